// @vitest-environment happy-dom
import { fireEvent, screen } from '@testing-library/react';
import { afterEach, expect, test } from 'vitest';
import { formatExactTime } from '../lib/format.ts';
import { renderPage } from '../testing/render.tsx';
import { DisplayMenu } from './display-menu.tsx';
import { RelativeTime } from './relative-time.tsx';

afterEach(() => localStorage.clear());

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
  expect(screen.getByText('3 hours ago').title).toBe(formatExactTime(at));
  await choose('Exact');
  expect(screen.getByText(formatExactTime(at)).getAttribute('datetime')).toBe(at.toISOString());
  await choose(/^Relative/);
  expect(screen.getByText('3 hours ago')).toBeDefined();
});
