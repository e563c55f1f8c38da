// @vitest-environment happy-dom
import type { UserMergePreview, UsersClient } from '@gatebook/js/admin';
import { fireEvent, screen, within } from '@testing-library/react';
import { expect, test, vi } from 'vitest';
import { NoticeContext } from '../../lib/notices.ts';
import { renderPage } from '../../testing/render.tsx';
import { annId, sampleUser } from '../../testing/samples.ts';
import { MergeUsersDialog } from './merge-users-dialog.tsx';

const duplicateId = '00000000-0000-4000-8000-0000000000d2';
const duplicate = sampleUser({ id: duplicateId, displayName: 'Ann A.', primaryEmail: 'ann@other.example' });
const item = (kind: string, name: string | null = null, teamName: string | null = null) => {
  return { kind, name, teamId: teamName === null ? null : 't1', teamName };
};
const preview: UserMergePreview = {
  merge: {
    moved: [
      ...[item('team', null, 'Crew'), item('team_permission', 'billing', 'Crew'), item('team', null, 'Press')],
      item('api_key', 'CI'),
    ],
    dropped: [
      { ...item('email', 'ann@mail.example'), reason: 'already_there' },
      { ...item('password'), reason: 'kept_one_stays' },
      { ...item('sessions'), reason: 'ends' },
    ],
  },
  effects: [
    { kind: 'sessions_ended', permissionId: null, text: 'Ends 2 sessions' },
    { kind: 'permissions_gained', permissionId: 'billing', text: '1 person gains billing' },
  ],
  etag: 'e1',
};

function show(users: Partial<UsersClient> = {}) {
  const [merge, onMerged, onClose] = [vi.fn(async () => preview.merge), vi.fn(async () => {}), vi.fn()];
  const notify = vi.fn();
  const search = async () => ({ items: [sampleUser(), duplicate], nextCursor: null });
  renderPage(
    <NoticeContext value={notify}>
      <MergeUsersDialog
        isOpen
        onClose={onClose}
        user={sampleUser()}
        users={{ search, previewMerge: async () => preview, merge, ...users }}
        projectId="p1"
        onMerged={onMerged}
      />
    </NoticeContext>,
  );
  return { merge, onMerged, onClose, notify };
}

async function choose() {
  fireEvent.click(await screen.findByRole('button', { name: 'Choose Ann A.' }));
}

test('a user is not offered as their own duplicate', async () => {
  show();
  await screen.findByRole('button', { name: 'Choose Ann A.' });
  expect(screen.getAllByRole('button', { name: /^Choose/ })).toHaveLength(1);
});

test('shows what moves and what does not before anything is merged', async () => {
  const { merge, onMerged, onClose, notify } = show();
  await choose();
  const factsIn = (region: HTMLElement) =>
    within(region)
      .getAllByRole('definition')
      .map((fact) => [
        fact.previousElementSibling?.textContent,
        ...[...fact.children].map(({ textContent }) => textContent),
      ]);
  expect(factsIn(await screen.findByRole('region', { name: 'Moves' }))).toEqual([
    ['Teams', 'Crew', 'Press'],
    ['Team permissions', 'billing in Crew'],
    ['API keys', 'CI'],
  ]);
  expect(factsIn(screen.getByRole('region', { name: 'Does not move' }))).toEqual([
    ['Email addresses', 'ann@mail.example', 'The user who stays has the same'],
    ['Password', 'The user who stays keeps their own'],
    ['Sessions', 'All end'],
  ]);
  const effects = within(screen.getByRole('region', { name: 'Effects' }));
  expect(effects.getAllByRole('listitem').map(({ textContent }) => textContent)).toEqual(['Ends 2 sessions']);
  expect(merge).not.toHaveBeenCalled();
  fireEvent.click(screen.getByRole('button', { name: 'Merge users' }));
  await vi.waitFor(() => expect(onClose).toHaveBeenCalled());
  expect(merge).toHaveBeenCalledWith(annId, duplicateId, { etag: 'e1' });
  expect(onMerged).toHaveBeenCalled();
  expect(notify.mock.calls).toEqual([['Merged Ann A. into Ann Achebe']]);
});

test('another user can be chosen, and two who can’t be merged have no button', async () => {
  show({ previewMerge: async () => Promise.reject(new Error('The user to merge is a member of projects.')) });
  await choose();
  expect(await screen.findByText('The user to merge is a member of projects.')).toBeTruthy();
  expect(screen.getByRole('button', { name: 'Merge users' }).hasAttribute('disabled')).toBe(true);
  expect(screen.queryByText(/cannot be undone/)).toBeNull();
  fireEvent.click(screen.getByRole('button', { name: 'Choose another user' }));
  expect(await screen.findByLabelText('Search users')).toBeTruthy();
});

test('users who changed meanwhile are shown again', async () => {
  const previewMerge = vi.fn(async () => preview);
  const { onClose, notify } = show({
    previewMerge,
    merge: async () => Promise.reject(new Error('Something changed.')),
  });
  await choose();
  await screen.findByRole('region', { name: 'Moves' });
  fireEvent.click(screen.getByRole('button', { name: 'Merge users' }));
  expect(await screen.findByText('Something changed.')).toBeTruthy();
  expect(previewMerge).toHaveBeenCalledTimes(2);
  expect(onClose).not.toHaveBeenCalled();
  expect(notify).not.toHaveBeenCalled();
});
