// @vitest-environment happy-dom
import type { DeletedUser, DeletedUserPage, UsersClient } from '@gatebook/js/admin';
import { fireEvent, screen, within } from '@testing-library/react';
import { expect, test, vi } from 'vitest';
import { noUsers } from '../../testing/clients.ts';
import { withPreviews } from '../../testing/previews.tsx';
import { pending, renderPage } from '../../testing/render.tsx';
import { annId, sampleUser } from '../../testing/samples.ts';
import { DeletedUsersPage } from './deleted-users-page.tsx';

const day = 86_400_000;
const ann = (): DeletedUser => {
  const { id, displayName, primaryEmail, profileImageUrl, signedUpAt } = sampleUser();
  const times = { signedUpAt, deletedAt: new Date(Date.now() - day), erasedAt: new Date(Date.now() + 5.5 * day) };
  return { id, displayName, primaryEmail, profileImageUrl, ...times, deletedByUser: false };
};
const page = (nextCursor: string | null = null, items = [ann()]): DeletedUserPage => ({ items, nextCursor });

function show(users: Partial<UsersClient>) {
  return renderPage(<DeletedUsersPage users={{ ...noUsers, ...users }} projectId="p1" projectName="Acme" />);
}

test('shows a loading state', () => {
  show({ listDeleted: () => pending<DeletedUserPage>() });
  expect(screen.getByRole('status', { name: 'Loading deleted users' })).toBeTruthy();
});

test('a failed load can be retried', async () => {
  const listDeleted = vi.fn().mockRejectedValueOnce(new Error('broken')).mockResolvedValue(page());
  show({ listDeleted });
  await screen.findByText('broken');
  fireEvent.click(screen.getByRole('button', { name: 'Try again' }));
  expect(await screen.findByText('Ann Achebe')).toBeTruthy();
});

test('without deleted users, the page leads to the grace period', async () => {
  show({ listDeleted: async () => page(null, []) });
  expect(await screen.findByText(/Set it in the project’s settings/)).toBeTruthy();
  const link = screen.getByRole('link', { name: 'Open settings' });
  expect(link.getAttribute('href')).toBe('/projects/p1/settings/security#retention-title');
});

test('each user is shown with the time of the erasure', async () => {
  show({ listDeleted: async () => page(null, [ann(), { ...ann(), id: 'u2', deletedByUser: true }]) });
  // In a column, and below the name on narrow screens.
  expect(await screen.findAllByText('in 5 days')).toHaveLength(4);
  expect(screen.getAllByText('yesterday')).toHaveLength(2);
  expect(screen.getByText('ann@example.com')).toBeTruthy();
  expect(screen.getByText('Deleted their account')).toBeTruthy();
});

test('a user is restored and leaves the list', async () => {
  const restore = vi.fn(async () => undefined);
  const listDeleted = vi.fn().mockResolvedValueOnce(page()).mockResolvedValue(page(null, []));
  show({ listDeleted, restore });
  fireEvent.click(await screen.findByRole('button', { name: 'Restore Ann Achebe' }));
  expect(await screen.findByRole('heading', { name: 'No deleted users' })).toBeTruthy();
  expect(restore).toHaveBeenCalledExactlyOnceWith(annId);
});

test('a user is erased after a confirmation', async () => {
  const erase = vi.fn(async () => undefined);
  show({ listDeleted: vi.fn().mockResolvedValueOnce(page()).mockResolvedValue(page(null, [])), erase });
  fireEvent.click(await screen.findByRole('button', { name: 'Erase Ann Achebe now' }));
  expect(erase).not.toHaveBeenCalled();
  const dialog = await screen.findByRole('dialog', { name: 'Erase this user now?' });
  fireEvent.click(within(dialog).getByRole('button', { name: 'Erase user' }));
  expect(await screen.findByRole('heading', { name: 'No deleted users' })).toBeTruthy();
  expect(erase).toHaveBeenCalledExactlyOnceWith(annId);
});

test('an erasure before the end of the grace period is previewed', async () => {
  const users = { ...noUsers, listDeleted: async () => page() };
  const shown = withPreviews(<DeletedUsersPage users={users} projectId="p1" projectName="Acme" />);
  renderPage(shown.page);
  fireEvent.click(await screen.findByRole('button', { name: 'Erase Ann Achebe now' }));
  expect(await screen.findByText('Ends 3 sessions')).toBeTruthy();
  expect(shown.previewed).toEqual([{ method: 'POST', path: `/internal/users/${annId}/erase` }]);
});

test('pages are read forwards and backwards', async () => {
  const listDeleted = vi.fn(async ({ cursor }: { cursor?: string | null } = {}) => page(cursor ? null : 'next'));
  show({ listDeleted });
  fireEvent.click(await screen.findByRole('button', { name: 'Next' }));
  await vi.waitFor(() => expect(listDeleted).toHaveBeenCalledWith({ cursor: 'next', limit: 25 }));
  const previous = await screen.findByRole('button', { name: 'Previous' });
  await vi.waitFor(() => expect((previous as HTMLButtonElement).disabled).toBe(false));
  fireEvent.click(previous);
  await vi.waitFor(() =>
    expect((screen.getByRole('button', { name: 'Next' }) as HTMLButtonElement).disabled).toBe(false),
  );
});
