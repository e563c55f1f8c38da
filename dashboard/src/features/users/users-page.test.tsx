// @vitest-environment happy-dom
import type { UserPage as PageOfUsers, SearchUsers, UserExport, UsersClient } from '@gatebook/js/admin';
import { KnownError } from '@gatebook/js/errors';
import { useResourceCache } from '@gatebook/react';
import { fireEvent, screen, within } from '@testing-library/react';
import { expect, test, vi } from 'vitest';
import { readSavedViews } from '../../components/saved-views/stored-views.ts';
import { BatchesContext } from '../../lib/batches.ts';
import { MomentContext } from '../../lib/moment.ts';
import { switchShortcuts } from '../../lib/shortcuts.ts';
import { never, pending, renderPage } from '../../testing/render.tsx';
import { annId, sampleProject, sampleTeam, sampleUser } from '../../testing/samples.ts';
import { UsersPage } from './users-page.tsx';
import type { UsersSearch } from './users-search.ts';

const first: UsersSearch = { query: '', order: 'newest', cursor: null };
const page = (nextCursor: string | null): PageOfUsers => ({ items: [sampleUser()], nextCursor });

const recordUserExport = vi.fn(async (_: UserExport) => {});

function element(users: Partial<UsersClient>, search: UsersSearch) {
  const client: UsersClient = {
    list: never,
    search: never,
    findPreviousPage: never,
    count: async () => ({ count: 7, isComplete: true }),
    find: never,
    create: never,
    update: never,
    delete: never,
    listDeleted: never,
    restore: never,
    erase: never,
    export: never,
    impersonate: never,
    listAccounts: never,
    unlinkAccount: never,
    sendPasswordReset: never,
    previewMerge: never,
    merge: never,
    ...users,
  };
  return (
    <UsersPage
      users={client}
      teams={{ list: async () => [sampleTeam()], find: async () => sampleTeam() }}
      permissions={{ list: async () => [{ id: 'edit', description: '', containedPermissionIds: [] }] }}
      openIdProviders={{ list: async () => [] }}
      audit={{ recordUserExport }}
      projectId="p1"
      project={sampleProject()}
      search={search}
      opensForm={false}
    />
  );
}
const show = (users: Partial<UsersClient>, search = first) => renderPage(element(users, search));

/** Shows two users of more pages, and records the batches that are started. */
function showForBatches(users: Partial<UsersClient>) {
  const start = vi.fn();
  const all = { search: async () => ({ items: [sampleUser(), bo], nextCursor: 'after' }), ...users };
  renderPage(<BatchesContext value={{ isBusy: false, ownerId: 'o1', start }}>{element(all, first)}</BatchesContext>);
  return start;
}
const bo = sampleUser({ id: 'u2', displayName: 'Bo' });
const press = async (name: string) => fireEvent.click(await screen.findByRole('button', { name }));
const act = async (name: string) => {
  await press('Actions');
  fireEvent.click(await screen.findByRole('menuitem', { name }));
};

test('shows a loading state', () => {
  show({ search: () => pending<PageOfUsers>() });
  expect(screen.getByRole('status', { name: 'Loading users' })).toBeTruthy();
});

test('a failed load can be retried', async () => {
  const search = vi.fn().mockRejectedValueOnce(new Error('broken')).mockResolvedValue(page(null));
  show({ search });
  await screen.findByText('broken');
  fireEvent.click(screen.getByRole('button', { name: 'Try again' }));
  expect(await screen.findByRole('link', { name: 'Ann Achebe' })).toBeTruthy();
});

test('an empty project explains how users appear', async () => {
  show({ search: async () => ({ items: [], nextCursor: null }) });
  expect(await screen.findByRole('heading', { name: 'No users yet' })).toBeTruthy();
});

test('a search without results offers to show all users', async () => {
  const { visited } = show({ search: async () => ({ items: [], nextCursor: null }) }, { ...first, query: 'zed' });
  expect(await screen.findByText(/No name, email or ID matches “zed”/)).toBeTruthy();
  fireEvent.click(screen.getByRole('button', { name: 'Show all users' }));
  expect(visited).toEqual(['/projects/p1/users']);
});

test('users are listed newest first with a link to each', async () => {
  const search = vi.fn(async () => page(null));
  show({ search });
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
  const { visited } = show({ search: async () => page(null) }, { ...first, cursor: annId });
  await screen.findByRole('link', { name: 'Ann Achebe' });
  fireEvent.click(screen.getByRole('button', { name: 'Signed up' }));
  fireEvent.change(screen.getByRole('searchbox', { name: 'Search users' }), { target: { value: 'bo & co' } });
  await vi.waitFor(() => expect(visited).toHaveLength(2));
  expect(visited).toEqual(['/projects/p1/users?order=oldest', '/projects/p1/users?query=bo+%26+co']);
});

test('the search field follows the URL, as after going back', async () => {
  const { rerender } = show({ search: async () => page(null) }, { ...first, query: 'ann' });
  const field = screen.getByRole('searchbox') as HTMLInputElement;
  expect(field.value).toBe('ann');
  rerender(element({ search: async () => page(null) }, first));
  await vi.waitFor(() => expect(field.value).toBe(''));
});

test('the pager goes to the next and the previous cursor', async () => {
  const findPreviousPage = vi.fn(async () => ({ cursor: 'before' }));
  const { visited } = show(
    { search: async () => page('after'), findPreviousPage },
    { ...first, query: 'a', cursor: annId },
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
  show({ search: async () => page('after') });
  const pages = await screen.findByRole('navigation', { name: 'Pages' });
  expect((within(pages).getByRole('button', { name: 'Previous' }) as HTMLButtonElement).disabled).toBe(true);
});

test('a page whose first user was deleted offers the first page', async () => {
  const { visited } = show({ search: async () => ({ items: [], nextCursor: null }) }, { ...first, cursor: annId });
  fireEvent.click(await screen.findByRole('button', { name: 'Go to the first page' }));
  expect(visited).toEqual(['/projects/p1/users']);
});

test('a new user is created and opened, and a taken email is reported at its field', async () => {
  const create = vi
    .fn()
    .mockRejectedValueOnce(new KnownError('USER_EMAIL_ALREADY_EXISTS', 409, ''))
    .mockResolvedValue(sampleUser({ id: 'u9' }));
  const { visited } = show({ search: async () => page(null), create });
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

test('selected users are restricted in one batch', async () => {
  const start = showForBatches({});
  fireEvent.click(await screen.findByRole('checkbox', { name: 'Select Bo' }));
  expect(screen.getByText('1 selected')).toBeTruthy();
  await act('Restrict');
  fireEvent.change(await screen.findByLabelText('Reason'), { target: { value: ' Spam ' } });
  await press('Restrict 1 user');
  expect(start).toHaveBeenCalledExactlyOnceWith({ type: 'restrict', reason: 'Spam' }, ['u2']);
  await vi.waitFor(() => expect(screen.queryByRole('region', { name: 'Selected users' })).toBeNull());
});

test('all who match are found before they are deleted, after the number is typed', async () => {
  const pages = [
    { items: [sampleUser(), bo], nextCursor: 'c2' },
    { items: [sampleUser({ id: 'u3' })], nextCursor: null },
  ];
  const search: UsersClient['search'] = async ({ limit, cursor }) =>
    (limit === 1_000 && cursor === 'c2' ? pages[1] : pages[0]) ?? page(null);
  const start = showForBatches({ search });
  fireEvent.click(await screen.findByRole('checkbox', { name: 'Select all users on this page' }));
  await press('Select all 1,234 users that match');
  await act('Delete');
  const button = await screen.findByRole('button', { name: 'Delete 3 users' });
  expect(button).toHaveProperty('disabled', true);
  fireEvent.change(screen.getByLabelText('Type delete 3 users to confirm'), { target: { value: 'delete 3 users' } });
  fireEvent.click(button);
  expect(start).toHaveBeenCalledExactlyOnceWith({ type: 'delete' }, [annId, 'u2', 'u3']);
});

test('a batch that ends sessions leaves out the owner who starts it', async () => {
  const items = [sampleUser(), sampleUser({ id: 'o1', displayName: 'Olga' })];
  const start = showForBatches({ search: async () => ({ items, nextCursor: null }) });
  fireEvent.click(await screen.findByRole('checkbox', { name: 'Select all users on this page' }));
  await act('Sign out everywhere');
  expect(await screen.findByText('Your own account is left out.')).toBeTruthy();
  await press('Sign out 1 user');
  expect(start).toHaveBeenCalledExactlyOnceWith({ type: 'sign-out' }, [annId]);
});

test('users who match later are not in a batch that is already shown', async () => {
  let matching = [sampleUser(), bo];
  function Refresh() {
    const cache = useResourceCache();
    return (
      <button type="button" onClick={() => void cache.invalidate([])}>
        Refresh
      </button>
    );
  }
  const search: UsersClient['search'] = async ({ limit }) => ({
    items: matching,
    nextCursor: limit === 1_000 ? null : 'after',
  });
  const start = vi.fn();
  renderPage(
    <BatchesContext value={{ isBusy: false, ownerId: 'o1', start }}>
      {element({ search }, first)}
      <Refresh />
    </BatchesContext>,
  );
  fireEvent.click(await screen.findByRole('checkbox', { name: 'Select all users on this page' }));
  await press('Select all 1,234 users that match');
  await act('Sign out everywhere');
  await screen.findByRole('button', { name: 'Sign out 2 users' });
  matching = [bo, sampleUser({ id: 'u3', displayName: 'Cy' })];
  fireEvent.click(screen.getByText('Refresh'));
  await screen.findByText('Cy');
  await press('Sign out 2 users');
  expect(start).toHaveBeenCalledExactlyOnceWith({ type: 'sign-out' }, [annId, 'u2']);
});

test('an action needs its team', async () => {
  const start = showForBatches({});
  fireEvent.click(await screen.findByRole('checkbox', { name: 'Select Bo' }));
  await act('Add to team');
  expect(await screen.findByRole('button', { name: 'Add 1 user to a team' })).toHaveProperty('disabled', true);
  fireEvent.click(screen.getByLabelText('Team', { selector: 'input' }));
  fireEvent.click(await screen.findByRole('option', { name: 'Editors' }));
  await press('Add 1 user to Editors');
  expect(start).toHaveBeenCalledExactlyOnceWith({ type: 'add-to-team', teamId: 't1', teamName: 'Editors' }, ['u2']);
});

const link = (name: string) => screen.findByRole('link', { name });

test('filters of the URL become filters of the API, and chips that remove them', async () => {
  const search = vi.fn(async () => page(null));
  const filters = { method: 'password,google', verified: 'no', team: 't1', active: 'over-30d', country: 'SE' };
  const { visited } = show({ search }, { ...first, ...filters, order: 'active', cursor: annId });
  await link('Ann Achebe');
  expect(search).toHaveBeenCalledWith(
    expect.objectContaining({
      methods: ['password', 'google'],
      isVerified: false,
      isRestricted: undefined,
      teamId: 't1',
      countryCodes: ['SE'],
      activeFrom: undefined,
      activeUntil: expect.any(Date),
      orderBy: 'lastActiveAt',
      desc: true,
    }),
  );
  expect(await screen.findByText('In team Editors')).toBeTruthy();
  expect(screen.getByText('Signs in with Password or Google')).toBeTruthy();
  fireEvent.click(screen.getByRole('button', { name: 'Remove filter: Not active for 30 days' }));
  fireEvent.click(screen.getByRole('button', { name: 'Clear filters' }));
  expect(visited).toEqual([
    '/projects/p1/users?order=active&method=password%2Cgoogle&verified=no&team=t1&country=SE',
    '/projects/p1/users?order=active',
  ]);
});

test('in the past, periods end at the time that is shown', async () => {
  const search = vi.fn(async () => page(null));
  const day = 86_400_000;
  renderPage(
    <MomentContext value={{ value: String(100 * day), set: () => {} }}>
      {element({ search }, { ...first, active: '30d' })}
    </MomentContext>,
  );
  await link('Ann Achebe');
  expect(search).toHaveBeenCalledWith(expect.objectContaining({ activeFrom: new Date(70 * day) }));
});

test('a filter is chosen in the menu', async () => {
  const { visited } = show({ search: async () => page(null) });
  fireEvent.click(screen.getByRole('button', { name: 'Filter' }));
  fireEvent.click(await screen.findByLabelText('Restriction', { selector: 'input' }));
  fireEvent.click(await screen.findByRole('option', { name: 'Restricted' }));
  expect(visited).toEqual(['/projects/p1/users?restricted=yes']);
});

test('the pager shows how many users match, also where they are too many to count', async () => {
  const more = { search: async () => page('after') };
  const view = show(more);
  expect(await screen.findByText('1 of 1,234 users')).toBeTruthy();
  view.rerender(
    element({ ...more, count: async () => ({ count: 7, isComplete: false }) }, { ...first, verified: 'yes' }),
  );
  expect(await screen.findByText('1 of at least 7 users')).toBeTruthy();
  view.rerender(element({ ...more, count: async () => ({ count: 0, isComplete: false }) }, { ...first, query: 'ann' }));
  expect(await screen.findByText('1 user on this page')).toBeTruthy();
});

test('a search that got to its limit can be continued', async () => {
  const { visited } = show({ search: async () => ({ items: [], nextCursor: 'c9' }) }, { ...first, country: 'SE' });
  fireEvent.click(await screen.findByRole('button', { name: 'Continue searching' }));
  expect(visited).toEqual(['/projects/p1/users?country=SE&cursor=c9']);
});

test('the list is sorted by activity, latest first and then reversed', async () => {
  const { visited, rerender } = show({ search: async () => page(null) });
  fireEvent.click(await screen.findByRole('button', { name: 'Last active' }));
  rerender(element({ search: async () => page(null) }, { ...first, order: 'active' }));
  await vi.waitFor(() =>
    expect(screen.getByRole('columnheader', { name: 'Last active' }).getAttribute('aria-sort')).toBe('descending'),
  );
  fireEvent.click(screen.getByRole('button', { name: 'Last active' }));
  expect(visited).toEqual(['/projects/p1/users?order=active', '/projects/p1/users?order=inactive']);
});

test('columns and density are chosen and remembered', async () => {
  localStorage.clear();
  const search = vi.fn(async () => page(null));
  show({ search });
  await link('Ann Achebe');
  fireEvent.click(screen.getByRole('button', { name: 'Columns and density' }));
  fireEvent.click(await screen.findByRole('menuitemcheckbox', { name: 'User ID' }));
  fireEvent.click(screen.getByRole('menuitemcheckbox', { name: 'Sign-in methods' }));
  fireEvent.click(screen.getByRole('menuitemcheckbox', { name: 'Compact rows' }));
  const heads = () => screen.getAllByRole('columnheader', { hidden: true }).map((head) => head.textContent?.trim());
  await vi.waitFor(() => expect(heads()).toEqual(['', 'User', 'User ID', 'Last active', 'Signed up']));
  expect(JSON.parse(localStorage.getItem('gatebook-users-table') ?? '')).toEqual({
    columns: ['id', 'active', 'signedUp'],
    isCompact: true,
  });
  await vi.waitFor(() => expect(search).toHaveBeenLastCalledWith(expect.objectContaining({ limit: 50 })));
  localStorage.clear();
});

test('j and k move between users, and do nothing while somebody types or after they are switched off', async () => {
  const items = [sampleUser(), sampleUser({ id: 'u2', displayName: 'Bo' })];
  show({ search: async () => ({ items, nextCursor: null }) });
  const [ann, bo] = [await link('Ann Achebe'), await link('Bo')];
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
    if (limit !== 1_000) return page(null);
    expect(recordUserExport).toHaveBeenCalledExactlyOnceWith({
      format: 'csv',
      filters: expect.objectContaining({ isVerified: true }),
    });
    return pages[cursor === 'c2' ? 1 : 0] ?? page(null);
  };
  show({ search }, { ...first, verified: 'yes' });
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
  const search = vi.fn(async (_: SearchUsers) => page(null));
  show({ search });
  recordUserExport.mockRejectedValueOnce(new Error('no'));
  fireEvent.click(screen.getByRole('button', { name: 'Export' }));
  const dialog = await screen.findByRole('dialog', { name: 'Export users' });
  fireEvent.click(within(dialog).getByRole('button', { name: 'Export' }));
  await within(dialog).findByText('The users could not be exported');
  expect(search.mock.calls.filter(([{ limit }]) => limit === 1_000)).toEqual([]);
});

test('filters and order are saved as a view of this list, without the page', async () => {
  const search: UsersSearch = { ...first, verified: 'no', order: 'active', cursor: 'c2' };
  const { visited } = show({ search: async () => page(null) }, search);
  await press('Saved views');
  fireEvent.click(await screen.findByRole('menuitem', { name: 'Save this view' }));
  const dialog = await screen.findByRole('dialog', { name: 'Save this view' });
  fireEvent.change(within(dialog).getByLabelText('Name'), { target: { value: 'Not verified' } });
  fireEvent.click(within(dialog).getByRole('button', { name: 'Save view' }));
  const saved = [{ name: 'Not verified', query: '?order=active&verified=no' }];
  await vi.waitFor(() => expect(readSavedViews('users', 'p1')).toEqual(saved));
  expect(readSavedViews('audit', 'p1')).toEqual([]);
  await press('Saved views');
  fireEvent.click(await screen.findByRole('menuitem', { name: 'Not verified' }));
  expect(visited).toEqual(['/projects/p1/users?order=active&verified=no']);
});
