// @vitest-environment happy-dom
import { KnownError } from '@gatebook/js/errors';
import type { UserPage as PageOfUsers, UsersClient } from '@gatebook/js/users';
import { fireEvent, screen, within } from '@testing-library/react';
import { expect, test, vi } from 'vitest';
import { never, open, renderPage } from '../../testing/render.tsx';
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
    export: never,
    ...users,
  };
  return <UsersPage users={client} projectId="p1" projectName="Acme" search={search} />;
}
const show = (users: Partial<UsersClient>, search = first) => renderPage(element(users, search));

test('loading', () => {
  show({ list: () => open<PageOfUsers>().promise });
  expect(screen.getByRole('status', { name: 'Loading users' })).toBeTruthy();
});

test('an error can be tried again', async () => {
  const list = vi.fn().mockRejectedValueOnce(new Error('broken')).mockResolvedValue(page(null));
  show({ list });
  await screen.findByText('broken');
  fireEvent.click(screen.getByRole('button', { name: 'Try again' }));
  expect(await screen.findByRole('link', { name: 'Ann Achebe' })).toBeTruthy();
});

test('a project without users says how they come', async () => {
  show({ list: async () => ({ items: [], nextCursor: null }) });
  expect(await screen.findByRole('heading', { name: 'No users yet' })).toBeTruthy();
});

test('a search without a find offers all users again', async () => {
  const { went } = show({ list: async () => ({ items: [], nextCursor: null }) }, { ...first, query: 'zed' });
  expect(await screen.findByText(/No name, e-mail or id fits “zed”/)).toBeTruthy();
  fireEvent.click(screen.getByRole('button', { name: 'Show all users' }));
  expect(went).toEqual(['/projects/p1/users']);
});

test('users are listed newest first, each with a link to them', async () => {
  const list = vi.fn(async () => page(null));
  show({ list });
  const link = await screen.findByRole('link', { name: 'Ann Achebe' });
  expect(link.getAttribute('href')).toBe(`/projects/p1/users/${annId}`);
  expect(list).toHaveBeenCalledWith({ cursor: null, limit: 25, desc: true, query: '' });
  const header = screen.getByRole('columnheader', { name: /Signed up/ });
  expect(header.getAttribute('aria-sort')).toBe('descending');
  expect(screen.queryByRole('navigation', { name: 'Pages' })).toBeNull();
});

test('sorting and searching simulator the address and begin at the first page', async () => {
  const { went } = show({ list: async () => page(null) }, { ...first, cursor: annId });
  await screen.findByRole('link', { name: 'Ann Achebe' });
  fireEvent.click(screen.getByRole('button', { name: /Signed up/ }));
  fireEvent.change(screen.getByRole('searchbox', { name: 'Search users' }), { target: { value: 'bo & co' } });
  await vi.waitFor(() => expect(went).toHaveLength(2));
  expect(went).toEqual(['/projects/p1/users?order=oldest', '/projects/p1/users?query=bo+%26+co']);
});

test('the search field follows the address, as after going back', async () => {
  const { show: showNext } = show({ list: async () => page(null) }, { ...first, query: 'ann' });
  const field = screen.getByRole('searchbox') as HTMLInputElement;
  expect(field.value).toBe('ann');
  showNext(element({ list: async () => page(null) }, first));
  await vi.waitFor(() => expect(field.value).toBe(''));
});

test('next leads to the cursor, previous to the page before', async () => {
  const findPreviousPage = vi.fn(async () => ({ cursor: 'before' }));
  const { went } = show({ list: async () => page('after'), findPreviousPage }, { ...first, query: 'a', cursor: annId });
  const pages = await screen.findByRole('navigation', { name: 'Pages' });
  fireEvent.click(within(pages).getByRole('button', { name: 'Next' }));
  fireEvent.click(within(pages).getByRole('button', { name: 'Previous' }));
  await vi.waitFor(() => expect(went).toHaveLength(2));
  expect(findPreviousPage).toHaveBeenCalledWith({ cursor: annId, limit: 25, desc: true, query: 'a' });
  expect(went).toEqual(['/projects/p1/users?query=a&cursor=after', '/projects/p1/users?query=a&cursor=before']);
});

test('on the first page there is no previous one', async () => {
  show({ list: async () => page('after') });
  const pages = await screen.findByRole('navigation', { name: 'Pages' });
  expect((within(pages).getByRole('button', { name: 'Previous' }) as HTMLButtonElement).disabled).toBe(true);
});

test('a page whose first user is gone leads to the first page', async () => {
  const { went } = show({ list: async () => ({ items: [], nextCursor: null }) }, { ...first, cursor: annId });
  fireEvent.click(await screen.findByRole('button', { name: 'Go to the first page' }));
  expect(went).toEqual(['/projects/p1/users']);
});

test('a new user is made and opened; a taken address is said at its field', async () => {
  const create = vi
    .fn()
    .mockRejectedValueOnce(new KnownError('USER_EMAIL_ALREADY_EXISTS', 409, ''))
    .mockResolvedValue(sampleUser({ id: 'u9' }));
  const { went } = show({ list: async () => page(null), create });
  fireEvent.click(screen.getByRole('button', { name: 'New user' }));
  const dialog = await screen.findByRole('dialog', { name: 'New user' });
  fireEvent.change(within(dialog).getByLabelText('E-mail'), { target: { value: 'bo@example.com' } });
  fireEvent.click(within(dialog).getByRole('button', { name: 'Create user' }));
  expect(await within(dialog).findByText(/signs in with this address already/)).toBeTruthy();
  fireEvent.click(within(dialog).getByRole('button', { name: 'Create user' }));
  await vi.waitFor(() => expect(went).toEqual(['/projects/p1/users/u9']));
  expect(create).toHaveBeenLastCalledWith({
    primaryEmail: 'bo@example.com',
    primaryEmailAuthEnabled: true,
    primaryEmailVerified: false,
  });
});
