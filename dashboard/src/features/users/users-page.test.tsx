// @vitest-environment happy-dom
import type { UserPage as PageOfUsers, UsersClient } from '@gatebook/js/admin';
import { KnownError } from '@gatebook/js/errors';
import { fireEvent, screen, within } from '@testing-library/react';
import { expect, test, vi } from 'vitest';
import { never, pending, renderPage } from '../../testing/render.tsx';
import { annId, sampleUser } from '../../testing/samples.ts';
import { UsersPage } from './users-page.tsx';
import type { UsersSearch } from './users-search.ts';

const first: UsersSearch = { query: '', oldestFirst: false, cursor: null };
const page = (nextCursor: string | null): PageOfUsers => ({ items: [sampleUser()], nextCursor });

function element(users: Partial<UsersClient>, search: UsersSearch) {
  const client: UsersClient = {
    list: never,
    findPreviousPage: never,
    find: never,
    create: never,
    update: never,
    delete: never,
    listDeleted: never,
    restore: never,
    erase: never,
    export: never,
    ...users,
  };
  return <UsersPage users={client} projectId="p1" projectName="Acme" search={search} />;
}
const show = (users: Partial<UsersClient>, search = first) => renderPage(element(users, search));

test('shows a loading state', () => {
  show({ list: () => pending<PageOfUsers>() });
  expect(screen.getByRole('status', { name: 'Loading users' })).toBeTruthy();
});

test('a failed load can be retried', async () => {
  const list = vi.fn().mockRejectedValueOnce(new Error('broken')).mockResolvedValue(page(null));
  show({ list });
  await screen.findByText('broken');
  fireEvent.click(screen.getByRole('button', { name: 'Try again' }));
  expect(await screen.findByRole('link', { name: 'Ann Achebe' })).toBeTruthy();
});

test('an empty project explains how users appear', async () => {
  show({ list: async () => ({ items: [], nextCursor: null }) });
  expect(await screen.findByRole('heading', { name: 'No users yet' })).toBeTruthy();
});

test('a search without results offers to show all users', async () => {
  const { visited } = show({ list: async () => ({ items: [], nextCursor: null }) }, { ...first, query: 'zed' });
  expect(await screen.findByText(/No name, email or ID matches “zed”/)).toBeTruthy();
  fireEvent.click(screen.getByRole('button', { name: 'Show all users' }));
  expect(visited).toEqual(['/projects/p1/users']);
});

test('users are listed newest first with a link to each', async () => {
  const list = vi.fn(async () => page(null));
  show({ list });
  const link = await screen.findByRole('link', { name: 'Ann Achebe' });
  expect(link.getAttribute('href')).toBe(`/projects/p1/users/${annId}`);
  expect(list).toHaveBeenCalledWith({ cursor: null, limit: 25, desc: true, query: '' });
  const header = screen.getByRole('columnheader', { name: /Signed up/ });
  expect(header.getAttribute('aria-sort')).toBe('descending');
  expect(screen.queryByRole('navigation', { name: 'Pages' })).toBeNull();
});

test('sort order and search are kept in the URL and reset to the first page', async () => {
  const { visited } = show({ list: async () => page(null) }, { ...first, cursor: annId });
  await screen.findByRole('link', { name: 'Ann Achebe' });
  fireEvent.click(screen.getByRole('button', { name: /Signed up/ }));
  fireEvent.change(screen.getByRole('searchbox', { name: 'Search users' }), { target: { value: 'bo & co' } });
  await vi.waitFor(() => expect(visited).toHaveLength(2));
  expect(visited).toEqual(['/projects/p1/users?order=oldest', '/projects/p1/users?query=bo+%26+co']);
});

test('the search field follows the URL, as after going back', async () => {
  const { rerender } = show({ list: async () => page(null) }, { ...first, query: 'ann' });
  const field = screen.getByRole('searchbox') as HTMLInputElement;
  expect(field.value).toBe('ann');
  rerender(element({ list: async () => page(null) }, first));
  await vi.waitFor(() => expect(field.value).toBe(''));
});

test('the pager goes to the next and the previous cursor', async () => {
  const findPreviousPage = vi.fn(async () => ({ cursor: 'before' }));
  const { visited } = show(
    { list: async () => page('after'), findPreviousPage },
    { ...first, query: 'a', cursor: annId },
  );
  const pages = await screen.findByRole('navigation', { name: 'Pages' });
  fireEvent.click(within(pages).getByRole('button', { name: 'Next' }));
  fireEvent.click(within(pages).getByRole('button', { name: 'Previous' }));
  await vi.waitFor(() => expect(visited).toHaveLength(2));
  expect(findPreviousPage).toHaveBeenCalledWith({ cursor: annId, limit: 25, desc: true, query: 'a' });
  expect(visited).toEqual(['/projects/p1/users?query=a&cursor=after', '/projects/p1/users?query=a&cursor=before']);
});

test('the pager disables Previous on the first page', async () => {
  show({ list: async () => page('after') });
  const pages = await screen.findByRole('navigation', { name: 'Pages' });
  expect((within(pages).getByRole('button', { name: 'Previous' }) as HTMLButtonElement).disabled).toBe(true);
});

test('a page whose first user was deleted offers the first page', async () => {
  const { visited } = show({ list: async () => ({ items: [], nextCursor: null }) }, { ...first, cursor: annId });
  fireEvent.click(await screen.findByRole('button', { name: 'Go to the first page' }));
  expect(visited).toEqual(['/projects/p1/users']);
});

test('a new user is created and opened, and a taken email is reported at its field', async () => {
  const create = vi
    .fn()
    .mockRejectedValueOnce(new KnownError('USER_EMAIL_ALREADY_EXISTS', 409, ''))
    .mockResolvedValue(sampleUser({ id: 'u9' }));
  const { visited } = show({ list: async () => page(null), create });
  fireEvent.click(screen.getByRole('button', { name: 'Create user' }));
  const dialog = await screen.findByRole('dialog', { name: 'Create user' });
  fireEvent.change(within(dialog).getByLabelText('Email'), { target: { value: 'bo@example.com' } });
  fireEvent.click(within(dialog).getByRole('button', { name: 'Create user' }));
  expect(await within(dialog).findByText(/already signs in with this email/)).toBeTruthy();
  fireEvent.click(within(dialog).getByRole('button', { name: 'Create user' }));
  await vi.waitFor(() => expect(visited).toEqual(['/projects/p1/users/u9']));
  expect(create).toHaveBeenLastCalledWith({
    primaryEmail: 'bo@example.com',
    primaryEmailAuthEnabled: true,
    primaryEmailVerified: false,
  });
});
