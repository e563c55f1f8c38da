// @vitest-environment happy-dom
import { expect, test } from 'vitest';
import { addRecent, readRecent } from '../features/palette/recent.ts';
import { keepTabOf } from './tab-owner.ts';

test('a tab shows its recent pages to the owner who looked at them only', () => {
  keepTabOf('maya');
  addRecent({ href: '/projects/p1/users/u1', label: 'Ann' });
  keepTabOf('maya');
  expect(readRecent()).toHaveLength(1);
  keepTabOf('bo');
  expect(readRecent()).toEqual([]);
});
