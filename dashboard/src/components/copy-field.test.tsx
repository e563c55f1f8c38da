// @vitest-environment happy-dom

import { fireEvent, screen } from '@testing-library/react';
import { afterEach, expect, test, vi } from 'vitest';
import { renderPage } from '../testing/render.tsx';
import { CopyField } from './copy-field.tsx';

afterEach(() => vi.unstubAllGlobals());

test('a value is copied, and the button says so', async () => {
  const writeText = vi.fn(async (_: string) => {});
  vi.stubGlobal('navigator', { ...navigator, languages: ['en'], clipboard: { writeText } });
  renderPage(<CopyField label="Project ID" value="p1" />);
  fireEvent.click(screen.getByRole('button', { name: 'Copy Project ID' }));
  await vi.waitFor(() => expect(screen.getByRole('status').textContent).toBe('Copied'));
  expect(writeText).toHaveBeenCalledExactlyOnceWith('p1');
});

test('without access to the clipboard, the value is selected instead', async () => {
  vi.stubGlobal('navigator', { ...navigator, languages: ['en'], clipboard: undefined });
  renderPage(<CopyField label="Project ID" value="p1" />);
  fireEvent.click(screen.getByRole('button', { name: 'Copy Project ID' }));
  await vi.waitFor(() => expect(screen.getByRole('status').textContent).toMatch(/^Selected/));
  expect(getSelection()?.toString()).toBe('p1');
});
