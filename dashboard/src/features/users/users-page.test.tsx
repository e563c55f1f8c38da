// @vitest-environment happy-dom
import type { UserPage as PageOfUsers, SearchUsers, UsersClient } from '@gatebook/js/admin';
import { KnownError } from '@gatebook/js/errors';
import { fireEvent, screen, within } from '@testing-library/react';
import { expect, test, vi } from 'vitest';
import { switchShortcuts } from '../../lib/shortcuts.ts';
import { pending } from '../../testing/render.tsx';
import { annId, sampleUser } from '../../testing/samples.ts';
import { findLink, firstSearch, pageOfAnn, recordUserExport, showUsers, usersPage } from './testing/users-page.tsx';

test('shows a loading state', () => {
  showUsers({ search: () => pending<PageOfUsers>() });
  expect(screen.getByRole('status', { name: 'Loading users' })).toBeTruthy();
});

test('a failed load can be retried', async () => {
  const search = vi.fn().mockRejectedValueOnce(new Error('broken')).mockResolvedValue(pageOfAnn(null));
  showUsers({ search });
  await screen.findByText('broken');
  fireEvent.click(screen.getByRole('button', { name: 'Try again' }));
  expect(await screen.findByRole('link', { name: 'Ann Achebe' })).toBeTruthy();
});

test('an empty project explains how users appear', async () => {
  showUsers({ search: async () => ({ items: [], nextCursor: null }) });
  expect(await screen.findByRole('heading', { name: 'No users yet' })).toBeTruthy();
});

test('a search without results offers to show all users', async () => {
  const { visited } = showUsers(
    { search: async () => ({ items: [], nextCursor: null }) },
    { ...firstSearch, query: 'zed' },
  );
  expect(await screen.findByText(/No name, email or ID matches “zed”/)).toBeTruthy();
  fireEvent.click(screen.getByRole('button', { name: 'Show all users' }));
  expect(visited).toEqual(['/projects/p1/users']);
});

test('users are listed newest first with a link to each', async () => {
  const search = vi.fn(async () => pageOfAnn(null));
  showUsers({ search });
  const link = await screen.findByRole('link', { name: 'Ann Achebe' });
  expect(link.getAttribute('href')).toBe(`/projects/p1/users/${annId}`);
  expect(search).toHaveBeenCalledWith(
    expect.objectContaining({ cursor: null, limit: 25, desc: true, orderBy: 'signedUpAt', query: undefined }),
  );
  const header = screen.getByRole('columnheader', { name: /Signed up/ });
  expect(header.getAttribute('aria-sort')).toBe('descending');
  expect(screen.queryByRole('navigation', { name: 'Pages' })).toBeNull();
});

test('sort order and search are kept in the URL and reset to the first page', async () => {
  const { visited } = showUsers({ search: async () => pageOfAnn(null) }, { ...firstSearch, cursor: annId });
  await screen.findByRole('link', { name: 'Ann Achebe' });
  fireEvent.click(screen.getByRole('button', { name: 'Signed up' }));
  fireEvent.change(screen.getByRole('searchbox', { name: 'Search users' }), { target: { value: 'bo & co' } });
  await vi.waitFor(() => expect(visited).toHaveLength(2));
  expect(visited).toEqual(['/projects/p1/users?order=oldest', '/projects/p1/users?query=bo+%26+co']);
});

test.each([
  ['User', 'name', 'displayName'],
  ['Email', 'email', 'primaryEmail'],
  ['Last active', 'inactive', 'lastActiveAt'],
  ['Signed up', 'oldest', 'signedUpAt'],
] as const)('the column %s is sorted in both directions by its header', async (title, order, orderBy) => {
  const search = vi.fn(async () => pageOfAnn(null));
  const { visited } = showUsers({ search }, { ...firstSearch, order });
  const header = await screen.findByRole('columnheader', { name: title });
  expect(header.getAttribute('aria-sort')).toBe('ascending');
  expect(screen.getAllByRole('columnheader').filter((each) => each.hasAttribute('aria-sort'))).toHaveLength(1);
  expect(search).toHaveBeenCalledWith(expect.objectContaining({ orderBy, desc: false }));
  fireEvent.click(within(header).getByRole('button'));
  const reversed = {
    inactive: '?order=active',
    oldest: '',
    name: '?order=name-reversed',
    email: '?order=email-reversed',
  };
  expect(visited).toEqual([`/projects/p1/users${reversed[order]}`]);
});

test('the search field follows the URL, as after going back', async () => {
  const { rerender } = showUsers({ search: async () => pageOfAnn(null) }, { ...firstSearch, query: 'ann' });
  const field = screen.getByRole('searchbox') as HTMLInputElement;
  expect(field.value).toBe('ann');
  rerender(usersPage({ search: async () => pageOfAnn(null) }, firstSearch));
  await vi.waitFor(() => expect(field.value).toBe(''));
});

test('the pager goes to the next and the previous cursor', async () => {
  const findPreviousPage = vi.fn(async () => ({ cursor: 'before' }));
  const { visited } = showUsers(
    { search: async () => pageOfAnn('after'), findPreviousPage },
    { ...firstSearch, query: 'a', cursor: annId },
  );
  const pages = await screen.findByRole('navigation', { name: 'Pages' });
  fireEvent.click(within(pages).getByRole('button', { name: 'Next' }));
  fireEvent.click(within(pages).getByRole('button', { name: 'Previous' }));
  await vi.waitFor(() => expect(visited).toHaveLength(2));
  expect(findPreviousPage).toHaveBeenCalledWith(
    expect.objectContaining({ cursor: annId, limit: 25, desc: true, query: 'a' }),
  );
  expect(visited).toEqual(['/projects/p1/users?query=a&cursor=after', '/projects/p1/users?query=a&cursor=before']);
});

test('the pager disables Previous on the first page', async () => {
  showUsers({ search: async () => pageOfAnn('after') });
  const pages = await screen.findByRole('navigation', { name: 'Pages' });
  expect((within(pages).getByRole('button', { name: 'Previous' }) as HTMLButtonElement).disabled).toBe(true);
});

test('a page whose first user was deleted offers the first page', async () => {
  const { visited } = showUsers(
    { search: async () => ({ items: [], nextCursor: null }) },
    { ...firstSearch, cursor: annId },
  );
  fireEvent.click(await screen.findByRole('button', { name: 'Go to the first page' }));
  expect(visited).toEqual(['/projects/p1/users']);
});

test('a new user is created and opened, and a taken email is reported at its field', async () => {
  const create = vi
    .fn()
    .mockRejectedValueOnce(new KnownError('USER_EMAIL_ALREADY_EXISTS', 409, ''))
    .mockResolvedValue(sampleUser({ id: 'u9' }));
  const { visited } = showUsers({ search: async () => pageOfAnn(null), create });
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

test('the pager shows how many users match, also where they are too many to count', async () => {
  const more = { search: async () => pageOfAnn('after') };
  const view = showUsers(more);
  expect(await screen.findByText('1 of 1,234 users')).toBeTruthy();
  view.rerender(
    usersPage({ ...more, count: async () => ({ count: 7, isComplete: false }) }, { ...firstSearch, verified: 'yes' }),
  );
  expect(await screen.findByText('1 of at least 7 users')).toBeTruthy();
  view.rerender(
    usersPage({ ...more, count: async () => ({ count: 0, isComplete: false }) }, { ...firstSearch, query: 'ann' }),
  );
  expect(await screen.findByText('1 user on this page')).toBeTruthy();
});

test('a search that got to its limit can be continued', async () => {
  const { visited } = showUsers(
    { search: async () => ({ items: [], nextCursor: 'c9' }) },
    { ...firstSearch, country: 'SE' },
  );
  fireEvent.click(await screen.findByRole('button', { name: 'Continue searching' }));
  expect(visited).toEqual(['/projects/p1/users?country=SE&cursor=c9']);
});

test('the list is sorted by activity, latest first and then reversed', async () => {
  const { visited, rerender } = showUsers({ search: async () => pageOfAnn(null) });
  fireEvent.click(await screen.findByRole('button', { name: 'Last active' }));
  rerender(usersPage({ search: async () => pageOfAnn(null) }, { ...firstSearch, order: 'active' }));
  await vi.waitFor(() =>
    expect(screen.getByRole('columnheader', { name: 'Last active' }).getAttribute('aria-sort')).toBe('descending'),
  );
  fireEvent.click(screen.getByRole('button', { name: 'Last active' }));
  expect(visited).toEqual(['/projects/p1/users?order=active', '/projects/p1/users?order=inactive']);
});

test('columns and density are chosen and remembered', async () => {
  localStorage.clear();
  const search = vi.fn(async () => pageOfAnn(null));
  showUsers({ search });
  await findLink('Ann Achebe');
  fireEvent.click(screen.getByRole('button', { name: 'Columns and density' }));
  fireEvent.click(await screen.findByRole('menuitemcheckbox', { name: 'User ID' }));
  fireEvent.click(screen.getByRole('menuitemcheckbox', { name: 'Sign-in methods' }));
  fireEvent.click(screen.getByRole('menuitemcheckbox', { name: 'Compact rows' }));
  const heads = () => screen.getAllByRole('columnheader', { hidden: true }).map((head) => head.textContent?.trim());
  await vi.waitFor(() => expect(heads()).toEqual(['', 'User', 'Email', 'User ID', 'Last active', 'Signed up']));
  expect(JSON.parse(localStorage.getItem('gatebook-users-table') ?? '')).toEqual({
    columns: ['email', 'id', 'active', 'signedUp'],
    isCompact: true,
  });
  await vi.waitFor(() => expect(search).toHaveBeenLastCalledWith(expect.objectContaining({ limit: 50 })));
  localStorage.clear();
});

test('j and k move between users, and do nothing while somebody types or after they are switched off', async () => {
  const items = [sampleUser(), sampleUser({ id: 'u2', displayName: 'Bo' })];
  showUsers({ search: async () => ({ items, nextCursor: null }) });
  const [ann, bo] = [await findLink('Ann Achebe'), await findLink('Bo')];
  const press = (key: string, target: Element = document.body) => fireEvent.keyDown(target, { key });
  const field = screen.getByRole('searchbox', { name: 'Search users' });
  field.focus();
  press('j', field);
  expect(document.activeElement).toBe(field);
  press('j');
  expect(document.activeElement).toBe(ann);
  press('j', ann);
  expect(document.activeElement).toBe(bo);
  press('x', bo);
  expect(screen.getByRole('checkbox', { name: 'Select Bo' })).toHaveProperty('checked', true);
  press('k', bo);
  expect(document.activeElement).toBe(ann);
  switchShortcuts(false);
  press('j', ann);
  expect(document.activeElement).toBe(ann);
  switchShortcuts(true);
});

test('all users who match are exported as CSV, in which no cell is a formula', async () => {
  const blobs: Blob[] = [];
  vi.spyOn(URL, 'createObjectURL').mockImplementation((blob) => {
    blobs.push(blob as Blob);
    return 'blob:x';
  });
  vi.spyOn(HTMLAnchorElement.prototype, 'click').mockImplementation(() => {});
  const pages = [
    { items: [sampleUser({ displayName: '=1+1' })], nextCursor: 'c2' },
    { items: [sampleUser({ displayName: 'Bo, "the cook"' })], nextCursor: null },
  ];
  const search: UsersClient['search'] = async ({ limit, cursor }) => {
    if (limit !== 1_000) return pageOfAnn(null);
    expect(recordUserExport).toHaveBeenCalledExactlyOnceWith({
      format: 'csv',
      filters: expect.objectContaining({ isVerified: true }),
    });
    return pages[cursor === 'c2' ? 1 : 0] ?? pageOfAnn(null);
  };
  showUsers({ search }, { ...firstSearch, verified: 'yes' });
  fireEvent.click(screen.getByRole('button', { name: 'Export' }));
  const dialog = await screen.findByRole('dialog', { name: 'Export users' });
  fireEvent.click(within(dialog).getByRole('button', { name: 'Export' }));
  await within(dialog).findByText('2 users. The export is complete.');
  const lines = (await blobs[0]?.text())?.split('\r\n') ?? [];
  expect(lines[0]).toContain('id,name,email');
  expect(lines[1]).toContain(`${annId},'=1+1,ann@example.com,true,Password`);
  expect(lines[2]).toContain('"Bo, ""the cook"""');
  vi.restoreAllMocks();
});

test('an export that can’t be recorded reads and writes nothing', async () => {
  const search = vi.fn(async (_: SearchUsers) => pageOfAnn(null));
  showUsers({ search });
  recordUserExport.mockRejectedValueOnce(new Error('no'));
  fireEvent.click(screen.getByRole('button', { name: 'Export' }));
  const dialog = await screen.findByRole('dialog', { name: 'Export users' });
  fireEvent.click(within(dialog).getByRole('button', { name: 'Export' }));
  await within(dialog).findByText('The users could not be exported');
  expect(search.mock.calls.filter(([{ limit }]) => limit === 1_000)).toEqual([]);
});
