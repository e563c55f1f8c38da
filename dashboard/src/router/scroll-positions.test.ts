// @vitest-environment happy-dom

import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import type { Shown } from './router.ts';
import { createScrollPositions } from './scroll-positions.ts';

const scrollTo = vi.fn();
beforeEach(() => {
  scrollTo.mockClear();
  vi.stubGlobal('scrollTo', scrollTo);
});
afterEach(() => {
  vi.unstubAllGlobals();
  sessionStorage.clear();
});

const at = (key: string, scrolls: Shown['scrolls'], hash = ''): Pick<Shown, 'location' | 'scrolls'> => ({
  location: { href: `/${key}`, pathname: `/${key}`, search: {}, hash, key },
  scrolls,
});

test('the first page of a document is not scrolled to the top, where it is', () => {
  createScrollPositions().apply(at('users', 'back'))();
  expect(scrollTo).not.toHaveBeenCalled();
});

test('the first page of a document is scrolled to where it was left', () => {
  sessionStorage.setItem('gatebook-scroll', JSON.stringify([['users', 300]]));
  createScrollPositions().apply(at('users', 'back'))();
  expect(scrollTo).toHaveBeenCalledWith(0, 300);
});

test('the next page starts at the top', () => {
  const positions = createScrollPositions();
  positions.apply(at('users', 'back'))();
  positions.apply(at('teams', 'to-top'))();
  expect(scrollTo).toHaveBeenCalledWith(0, 0);
});
