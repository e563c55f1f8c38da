// @vitest-environment happy-dom
import type { ChangesClient, PreviewedCall } from '@gatebook/js/admin';
import { fireEvent, screen, within } from '@testing-library/react';
import type { ReactNode } from 'react';
import { expect, test, vi } from 'vitest';
import { ChangesContext } from '../../lib/changes.ts';
import { noChanges } from '../../testing/clients.ts';
import { renderPage } from '../../testing/render.tsx';
import { annId, sampleUser } from '../../testing/samples.ts';
import { RestrictUserDialog } from './restrict-user-dialog.tsx';
import { SetPasswordDialog } from './set-password-dialog.tsx';

const effect = {
  ...{ kind: 'sessions_ended', count: 3, text: 'Ends 3 sessions' },
  ...{ permissionId: null, people: null, hasMorePeople: false },
} as const;

/** A dialog, and the calls that it previews. */
async function open(dialog: ReactNode, name: string) {
  const previewed: PreviewedCall[] = [];
  const preview: ChangesClient['preview'] = async (call) => {
    previewed.push(call);
    return {
      ...{ status: 200, error: null, changes: [], events: [], effects: [effect], etag: 'x' },
      ...{ isReversible: false, irreversibleReasons: ['Sessions stay ended.'] },
    };
  };
  renderPage(<ChangesContext value={{ ...noChanges, preview }}>{dialog}</ChangesContext>);
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
  expect(previewed).toEqual([{ method: 'PATCH', path: `/users/${annId}`, body: { restricted_by_admin: true } }]);
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
