// @vitest-environment happy-dom
import { MantineProvider } from '@mantine/core';
import { cleanup, fireEvent, render, screen } from '@testing-library/react';
import { afterEach, expect, test } from 'vitest';
import { formatExactTime } from '../lib/format.ts';
import { RelativeTime } from './relative-time.tsx';
import { TimeStyleToggle } from './time-style-toggle.tsx';

afterEach(() => {
  cleanup();
  localStorage.clear();
});

const at = new Date(Date.now() - 3 * 3_600_000);
const show = () =>
  render(
    <MantineProvider env="test">
      <TimeStyleToggle />
      <p>
        created <RelativeTime at={at} />
      </p>
    </MantineProvider>,
  );

test('a button shows exact times instead of relative ones, also after a reload', () => {
  const first = show();
  expect(screen.getByText('3 hours ago').title).toBe(formatExactTime(at));
  fireEvent.click(screen.getByRole('button', { name: 'Exact times', pressed: false }));
  expect(screen.getByText(formatExactTime(at)).getAttribute('datetime')).toBe(at.toISOString());
  first.unmount();
  show();
  fireEvent.click(screen.getByRole('button', { name: 'Exact times', pressed: true }));
  expect(screen.getByText('3 hours ago')).toBeDefined();
});
