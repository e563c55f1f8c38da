// @vitest-environment happy-dom
import type { UserBatchPreview, UserBatchSelection, UsersClient } from '@gatebook/js/admin';
import { KnownError } from '@gatebook/js/errors';
import { fireEvent, screen } from '@testing-library/react';
import { expect, test, vi } from 'vitest';
import { BatchesContext } from '../../lib/batches.ts';
import { never, renderPage } from '../../testing/render.tsx';
import { annId, sampleUser } from '../../testing/samples.ts';
import { firstSearch, press, usersPage } from './testing/users-page.tsx';

/** Shows two users of more pages, and records the batches that are started. `matching`: how many match. */
function showForBatches(
  users: Partial<UsersClient>,
  { matching = (): number => 1_234, start = vi.fn(async () => {}) } = {},
) {
  const all = { search: async () => ({ items: [sampleUser(), bo], nextCursor: 'after' }), ...users };
  const preview = vi.fn(async (_: unknown, selection: UserBatchSelection): Promise<UserBatchPreview> => {
    const count = 'userIds' in selection ? selection.userIds.filter((id) => id !== 'o1').length : matching();
    return { count, previewed: 1, changed: 1, unchanged: 0, rejections: [], effects: [], isReversible: true };
  });
  renderPage(
    <BatchesContext value={{ isBusy: false, ownerId: 'o1', preview, start, previewUndo: never, undo: never }}>
      {usersPage(all, firstSearch)}
    </BatchesContext>,
  );
  return { start, preview };
}
const bo = sampleUser({ id: 'u2', displayName: 'Bo' });
const act = async (name: string) => {
  await press('Actions');
  fireEvent.click(await screen.findByRole('menuitem', { name }));
};
/** Once the preview is shown. */
const confirm = async (name: string) => {
  await vi.waitFor(() => expect(screen.getByRole('button', { name })).toHaveProperty('disabled', false));
  fireEvent.click(screen.getByRole('button', { name }));
};

test('selected users are restricted in one batch', async () => {
  const { start } = showForBatches({});
  fireEvent.click(await screen.findByRole('checkbox', { name: 'Select Bo' }));
  expect(screen.getByText('1 selected')).toBeTruthy();
  await act('Restrict');
  fireEvent.change(await screen.findByLabelText('Reason'), { target: { value: ' Spam ' } });
  await confirm('Restrict 1 user');
  const action = { type: 'restrict', reason: 'Spam' };
  await vi.waitFor(() => expect(start).toHaveBeenCalledExactlyOnceWith(action, { userIds: ['u2'] }, 1));
  await vi.waitFor(() => expect(screen.queryByRole('region', { name: 'Selected users' })).toBeNull());
});

test('all who match are deleted after their number is typed, unless it changes', async () => {
  let matching = 3;
  const outdated = new KnownError('USER_BATCH_OUTDATED', 412, 'Now 4 users match.', { count: 4 });
  const start = vi.fn(async () => {});
  showForBatches({}, { matching: () => matching, start });
  fireEvent.click(await screen.findByRole('checkbox', { name: 'Select all users on this page' }));
  await press('Select all 1,234 users that match');
  await act('Delete');
  const button = await screen.findByRole('button', { name: 'Delete 3 users' });
  expect(button).toHaveProperty('disabled', true);
  fireEvent.change(screen.getByLabelText('Type delete 3 users to confirm'), { target: { value: 'delete 3 users' } });
  start.mockRejectedValueOnce(outdated);
  matching = 4;
  await confirm('Delete 3 users');
  expect(await screen.findByRole('button', { name: 'Delete 4 users' })).toHaveProperty('disabled', true);
  fireEvent.change(screen.getByLabelText('Type delete 4 users to confirm'), { target: { value: 'delete 4 users' } });
  await confirm('Delete 4 users');
  await vi.waitFor(() => expect(start).toHaveBeenCalledTimes(2));
  expect(start).toHaveBeenLastCalledWith({ type: 'delete' }, { filters: expect.any(Object) }, 4);
});

test('a batch that ends sessions leaves out the owner who starts it', async () => {
  const items = [sampleUser(), sampleUser({ id: 'o1', displayName: 'Olga' })];
  const { start } = showForBatches({ search: async () => ({ items, nextCursor: null }) });
  fireEvent.click(await screen.findByRole('checkbox', { name: 'Select all users on this page' }));
  await act('Sign out everywhere');
  expect(await screen.findByText('Your own account is left out.')).toBeTruthy();
  await confirm('Sign out 1 user');
  const selection = { userIds: [annId, 'o1'] };
  await vi.waitFor(() => expect(start).toHaveBeenCalledExactlyOnceWith({ type: 'sign_out' }, selection, 1));
});

test('an action needs its team', async () => {
  const { start, preview } = showForBatches({});
  fireEvent.click(await screen.findByRole('checkbox', { name: 'Select Bo' }));
  await act('Add to team');
  expect(await screen.findByRole('button', { name: 'Add 1 user to a team' })).toHaveProperty('disabled', true);
  expect(preview).not.toHaveBeenCalled();
  fireEvent.click(screen.getByLabelText('Team', { selector: 'input' }));
  fireEvent.click(await screen.findByRole('option', { name: 'Editors' }));
  await confirm('Add 1 user to Editors');
  const action = { type: 'add_to_team', teamId: 't1' };
  await vi.waitFor(() => expect(start).toHaveBeenCalledExactlyOnceWith(action, { userIds: ['u2'] }, 1));
});
