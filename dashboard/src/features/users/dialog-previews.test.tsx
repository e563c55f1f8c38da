// @vitest-environment happy-dom
import { fireEvent, screen, within } from '@testing-library/react';
import type { ReactNode } from 'react';
import { expect, test, vi } from 'vitest';
import { withPreviews } from '../../testing/previews.tsx';
import { renderPage } from '../../testing/render.tsx';
import { annId, sampleUser } from '../../testing/samples.ts';
import { RestrictUserDialog } from './restrict-user-dialog.tsx';
import { SetPasswordDialog } from './set-password-dialog.tsx';

async function open(shown: ReactNode, name: string) {
  const { page, previewed } = withPreviews(shown);
  renderPage(page);
  return { previewed, dialog: await screen.findByRole('dialog', { name }) };
}

test('a restriction shows beforehand what it ends', async () => {
  const update = vi.fn(async () => {});
  const { previewed, dialog } = await open(
    <RestrictUserDialog isOpen onClose={() => {}} user={sampleUser()} update={update} />,
    'Restrict user',
  );
  expect(await within(dialog).findByText('Ends 3 sessions')).toBeTruthy();
  expect(within(dialog).getByText('Cannot be undone. Sessions stay ended.')).toBeTruthy();
  const texts = { restricted_by_admin_reason: null, restricted_by_admin_private_details: null };
  const body = { restricted_by_admin: true, ...texts };
  expect(previewed).toEqual([{ method: 'PATCH', path: `/users/${annId}`, body }]);
  expect(update).not.toHaveBeenCalled();
});

test('other texts of a restriction end nothing, so nothing is previewed', async () => {
  const user = sampleUser({ restrictedByAdmin: true });
  const { previewed, dialog } = await open(
    <RestrictUserDialog isOpen onClose={() => {}} user={user} update={async () => {}} />,
    'Edit restriction',
  );
  expect(within(dialog).getByRole('button', { name: 'Save' })).toBeTruthy();
  expect(previewed).toEqual([]);
});

test('a new password shows beforehand what it ends, without sending the typed one', async () => {
  const setPassword = vi.fn(async (_: string) => {});
  const { previewed, dialog } = await open(
    <SetPasswordDialog isOpen onClose={() => {}} userId={annId} hasPassword setPassword={setPassword} />,
    'Set password',
  );
  expect(await within(dialog).findByText('Ends 3 sessions')).toBeTruthy();
  fireEvent.change(within(dialog).getByLabelText('New password'), { target: { value: 'correct horse' } });
  fireEvent.click(within(dialog).getByRole('button', { name: 'Set password' }));
  await vi.waitFor(() => expect(setPassword).toHaveBeenCalledWith('correct horse'));
  expect(previewed).toEqual([{ method: 'PATCH', path: `/users/${annId}`, body: { password: expect.any(String) } }]);
  expect(JSON.stringify(previewed)).not.toContain('correct horse');
});
