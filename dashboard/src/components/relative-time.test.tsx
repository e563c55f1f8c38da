// @vitest-environment happy-dom
import { act, fireEvent, screen } from '@testing-library/react';
import { afterEach, expect, test, vi } from 'vitest';
import { formatExactTime, formatZonedTime } from '../lib/format.ts';
import { renderPage } from '../testing/render.tsx';
import { DisplayMenu } from './display-menu.tsx';
import { RelativeTime } from './relative-time.tsx';

afterEach(() => {
  vi.useRealTimers();
  localStorage.clear();
});

const at = new Date(Date.now() - 3 * 3_600_000);

async function choose(name: string | RegExp): Promise<void> {
  fireEvent.click(screen.getByRole('button', { name: 'Display' }));
  fireEvent.click(await screen.findByRole('menuitem', { name }));
}

test('the display menu shows exact times instead of relative ones', async () => {
  renderPage(
    <>
      <DisplayMenu />
      <RelativeTime at={at} />
    </>,
  );
  expect(screen.getByText('3 hours ago').title).toBe(formatZonedTime(at));
  await choose('Exact');
  expect(screen.getByText(formatExactTime(at)).getAttribute('datetime')).toBe(at.toISOString());
  await choose(/^Relative/);
  expect(screen.getByText('3 hours ago')).toBeDefined();
});

/** The component in a document that was just opened. */
async function showInNewDocument(): Promise<HTMLElement> {
  vi.resetModules();
  vi.useFakeTimers();
  const loadedNow = await import('./relative-time.tsx');
  renderPage(<loadedNow.RelativeTime at={at} />);
  return screen.getByText('3 hours ago');
}

test('the exact time is only there once the page has its data', async () => {
  const time = await showInNewDocument();
  expect(time.title).toBe('');
  await act(() => vi.advanceTimersByTime(2_000));
  expect(time.title).toBe(formatZonedTime(at));
});

test('paper has the exact time, also of a page that was just opened', async () => {
  const time = await showInNewDocument();
  await act(() => dispatchEvent(new Event('beforeprint')));
  expect(time.title).toBe(formatZonedTime(at));
});
