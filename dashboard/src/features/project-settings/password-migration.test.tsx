// @vitest-environment happy-dom
import type { PasswordMigration as Migration } from '@gatebook/js/admin';
import { fireEvent, screen, within } from '@testing-library/react';
import { expect, test, vi } from 'vitest';
import { renderPage } from '../../testing/render.tsx';
import { PasswordMigration } from './password-migration.tsx';

const url = 'https://former.example.com/check';

/** A server that keeps the migration. */
function show(start: Migration) {
  let stored = start;
  const setPasswordMigration = vi.fn(async (next: string | null) => {
    stored = { url: next, secret: next && `whsec_${setPasswordMigration.mock.calls.length}` };
    return stored;
  });
  renderPage(
    <PasswordMigration client={{ findPasswordMigration: async () => stored, setPasswordMigration }} projectId="p1" />,
  );
  return setPasswordMigration;
}

test('a migration is started with a URL, and its secret can be copied', async () => {
  const set = show({ url: null, secret: null });
  fireEvent.click(await screen.findByRole('button', { name: 'Start migration' }));
  expect(await screen.findByText(/Enter the URL/)).toBeTruthy();
  expect(set).not.toHaveBeenCalled();
  fireEvent.change(screen.getByLabelText('URL that checks passwords'), { target: { value: ` ${url} ` } });
  fireEvent.click(screen.getByRole('button', { name: 'Start migration' }));
  expect(await screen.findByText('whsec_1')).toBeTruthy();
  expect(set).toHaveBeenCalledExactlyOnceWith(url);
  expect(screen.getByRole('button', { name: 'Copy Signing secret' })).toBeTruthy();
});

test('the secret is replaced after a question', async () => {
  const set = show({ url, secret: 'whsec_old' });
  expect(await screen.findByText('whsec_old')).toBeTruthy();
  fireEvent.click(screen.getByRole('button', { name: 'Replace secret' }));
  const dialog = await screen.findByRole('dialog', { name: 'Replace the signing secret?' });
  fireEvent.click(within(dialog).getByRole('button', { name: 'Replace secret' }));
  expect(await screen.findByText('whsec_1')).toBeTruthy();
  expect(set).toHaveBeenCalledExactlyOnceWith(url);
});

test('a migration is ended after a question', async () => {
  const set = show({ url, secret: 'whsec_old' });
  fireEvent.click(await screen.findByRole('button', { name: 'End migration' }));
  const dialog = await screen.findByRole('dialog', { name: 'End the migration?' });
  fireEvent.click(within(dialog).getByRole('button', { name: 'End migration' }));
  expect(await screen.findByRole('button', { name: 'Start migration' })).toBeTruthy();
  expect(set).toHaveBeenCalledExactlyOnceWith(null);
});
