// @vitest-environment happy-dom

import type { AuditClient, User, UsersClient } from '@gatebook/js/admin';
import type { SessionsClient, UserSession } from '@gatebook/js/core';
import { KnownError } from '@gatebook/js/errors';
import { fireEvent, screen, within } from '@testing-library/react';
import { expect, test, vi } from 'vitest';
import { rememberList } from '../../lib/last-list.ts';
import { noAudit, noExplanations, noPermissions, noUsers } from '../../testing/clients.ts';
import { never, pending, renderPage } from '../../testing/render.tsx';
import { annId, sampleAuditEvent, sampleProject, sampleUser } from '../../testing/samples.ts';
import { UserPage } from './user-page.tsx';

const session: UserSession = {
  id: 's1',
  userId: annId,
  createdAt: new Date('2026-03-01T10:00:00Z'),
  lastUsedAt: null,
  isImpersonation: false,
  isCurrentSession: false,
  device: { browser: 'Chrome', system: 'macOS' },
  place: { ip: '203.0.113.9', city: 'Malmö', country: 'SE' },
};
const listOne = async () => ({ items: [session], nextCursor: null });
const signUp = sampleAuditEvent({ text: 'Signed up with a password' });

function show({ users = {}, sessions = {}, listEvents, findEvent }: Fakes = {}) {
  const list = listEvents ?? (async () => ({ items: [signUp], nextCursor: null }));
  return renderPage(
    <UserPage
      users={{ ...noUsers, find: async () => sampleUser(), ...users }}
      sessions={{ list: never, listPage: listOne, revoke: never, revokeAll: never, ...sessions }}
      audit={{ ...noAudit, list, ...(findEvent && { find: findEvent }) }}
      channels={{
        list: async () => [],
        create: never,
        update: never,
        delete: never,
        sendVerification: never,
      }}
      teams={{ listOf: async () => ({ items: [], nextCursor: null }) }}
      permissions={{ ...noPermissions, list: async () => [], listGrants: async () => [] }}
      explanations={noExplanations}
      apiKeys={{ list: async () => [], create: never, revoke: never }}
      project={sampleProject({
        config: { ...sampleProject().config, domains: [{ domain: 'https://shop.example', handlerPath: '/handler' }] },
      })}
      projectId="p1"
      userId={annId}
    />,
  );
}
type Fakes = {
  users?: Partial<UsersClient>;
  sessions?: {
    listPage?: SessionsClient['listPage'];
    revoke?: (id: string, userId: string) => Promise<void>;
    revokeAll?: (userId: string) => Promise<number>;
  };
  listEvents?: AuditClient['list'];
  findEvent?: AuditClient['find'];
};

const unknown = async () => Promise.reject(new KnownError('USER_NOT_FOUND', 404, ''));

async function openMenuItem(name: string): Promise<void> {
  fireEvent.click(await screen.findByRole('button', { name: 'More actions' }));
  fireEvent.click(await screen.findByRole('menuitem', { name }));
}

test('shows a loading state', () => {
  show({ users: { find: () => pending<User>() } });
  expect(screen.getByRole('status', { name: 'Loading user' })).toBeTruthy();
});

test('an unknown user offers a link to the list', async () => {
  show({ users: { find: unknown }, listEvents: async () => ({ items: [], nextCursor: null }) });
  const link = await screen.findByRole('link', { name: 'View users' });
  expect(link.getAttribute('href')).toBe('/projects/p1/users');
});

test('a deleted user has a page with the last moment before the deletion', async () => {
  const at = new Date('2026-03-01T10:00:00Z');
  const deleted = sampleAuditEvent({ id: 'e5', type: 'UserDeleted', actionId: 'deletion', at });
  const part = sampleAuditEvent({ id: 'e4', actionId: 'deletion', at });
  const before = sampleAuditEvent({ id: 'e3', actionId: 'earlier', at });
  const listEvents: AuditClient['list'] = async ({ type } = {}) => {
    return { items: type === undefined ? [deleted, part, before] : [deleted], nextCursor: null };
  };
  show({ users: { find: unknown }, listEvents });
  expect(await screen.findByRole('heading', { name: 'This user was deleted' })).toBeTruthy();
  const link = screen.getByRole('link', { name: 'View the user as it last was' });
  expect(link.getAttribute('href')).toBe(`/projects/p1/users/${annId}?as_of=e3`);
  expect(screen.getByRole('region', { name: 'History' })).toBeTruthy();
  expect(screen.getByText(/The personal data is erased/)).toBeTruthy();
  expect(screen.queryByRole('link', { name: 'Deleted users' })).toBeNull();
});

test('a deletion with a grace period can be undone until its end', async () => {
  const deleted = sampleAuditEvent({ id: 'e5', type: 'UserDeletionScheduled' });
  show({ users: { find: unknown }, listEvents: async () => ({ items: [deleted], nextCursor: null }) });
  const link = await screen.findByRole('link', { name: 'Deleted users' });
  expect(link.getAttribute('href')).toBe('/projects/p1/deleted-users');
  expect(screen.queryByText(/The personal data is erased/)).toBeNull();
});

test('a user who was merged has a page that leads to the user who stays', async () => {
  const deleted = sampleAuditEvent({ id: 'e5', type: 'UserDeleted' });
  const detail = { changes: null, effects: [], undo: { state: 'not_reversible', reasons: [] }, actionsSameRequest: [] };
  const keptId = '00000000-0000-4000-8000-0000000000d3';
  const find = async (id: string) => (id === keptId ? sampleUser({ id, displayName: 'Ann B.' }) : unknown());
  show({
    users: { find },
    listEvents: async () => ({ items: [deleted], nextCursor: null }),
    findEvent: async () => ({ ...deleted, ...detail, data: { mergedIntoId: keptId } }),
  });
  const link = await screen.findByRole('link', { name: 'Ann B.' });
  expect(link.getAttribute('href')).toBe(`/projects/p1/users/${keptId}`);
  expect(link.parentElement?.textContent).toContain('Merged into Ann B.');
});

test('a restored user is not shown as deleted', async () => {
  const items = ['UserDeletionCanceled', 'UserDeletionScheduled'].map((type) => sampleAuditEvent({ id: type, type }));
  show({ users: { find: unknown }, listEvents: async () => ({ items, nextCursor: null }) });
  expect(await screen.findByRole('heading', { name: 'This user does not exist' })).toBeTruthy();
});

test('a failed load can be retried', async () => {
  const find = vi.fn().mockRejectedValueOnce(new Error('broken')).mockResolvedValue(sampleUser());
  show({ users: { find } });
  await screen.findByText('broken');
  fireEvent.click(screen.getByRole('button', { name: 'Try again' }));
  expect(await screen.findByRole('heading', { level: 1, name: 'Ann Achebe' })).toBeTruthy();
});

test('shows profile, sessions and history of a user', async () => {
  show();
  const profile = await screen.findByRole('region', { name: 'Profile' });
  expect(profile.textContent).toContain('ann@example.com');
  expect(profile.textContent).toContain('Verified');
  const sessions = screen.getByRole('region', { name: 'Sessions' });
  expect(await within(sessions).findByText(/Malmö, Sweden, 203.0.113.9/)).toBeTruthy();
  expect(within(sessions).getByText(/Chrome on macOS/)).toBeTruthy();
  const history = screen.getByRole('region', { name: 'History' });
  expect((await within(history).findByText('Signed up with a password')).textContent).toBeTruthy();
  expect(history.textContent).toContain('by Maya (owner)');
  expect(document.title).toBe('Ann Achebe · Gatebook');
});

test('connected accounts are listed with provider, email and account ID', async () => {
  const oauthProviders = [
    { id: 'github', accountId: '5831', email: 'ann@work.example' },
    { id: 'x', accountId: '77', email: null },
  ];
  show({ users: { find: async () => sampleUser({ oauthProviders }) } });
  const accounts = await screen.findByRole('region', { name: 'Connected accounts' });
  expect(
    within(accounts)
      .getAllByRole('listitem')
      .map(({ textContent }) => textContent),
  ).toEqual(['GitHubann@work.example · account 5831', 'XNo email · account 77']);
  expect(screen.getByRole('region', { name: 'Profile' }).textContent).toContain('Password, GitHub, X');
});

test('a user without connected accounts has an empty state', async () => {
  show();
  const accounts = await screen.findByRole('region', { name: 'Connected accounts' });
  expect(accounts.textContent).toContain('No connected accounts');
});

test('renaming a user sends only the name and reloads the history', async () => {
  const update = vi.fn(async () => sampleUser());
  const listEvents = vi.fn(async () => ({ items: [signUp], nextCursor: null }));
  show({ users: { update }, listEvents });
  fireEvent.click(await screen.findByRole('button', { name: 'Edit user' }));
  const dialog = await screen.findByRole('dialog', { name: 'Edit user' });
  fireEvent.change(within(dialog).getByLabelText('Name'), { target: { value: 'Ann B.' } });
  fireEvent.click(within(dialog).getByRole('button', { name: 'Save' }));
  await vi.waitFor(() => expect(update).toHaveBeenCalledExactlyOnceWith(annId, { displayName: 'Ann B.' }));
  await vi.waitFor(() => expect(listEvents).toHaveBeenCalledTimes(2));
});

test('a new password must be long enough', async () => {
  const update = vi.fn(async () => sampleUser());
  show({ users: { update } });
  await openMenuItem('Set password');
  const dialog = await screen.findByRole('dialog', { name: 'Set password' });
  const field = within(dialog).getByLabelText('New password');
  fireEvent.change(field, { target: { value: 'short' } });
  fireEvent.click(within(dialog).getByRole('button', { name: 'Set password' }));
  expect(await within(dialog).findByText('Use at least 8 characters')).toBeTruthy();
  fireEvent.change(field, { target: { value: 'long enough' } });
  fireEvent.click(within(dialog).getByRole('button', { name: 'Set password' }));
  await vi.waitFor(() => expect(update).toHaveBeenCalledExactlyOnceWith(annId, { password: 'long enough' }));
});

test('deleting a user requires typing the email', async () => {
  const remove = vi.fn(async () => {});
  const { visited } = show({ users: { delete: remove } });
  await openMenuItem('Delete user');
  const dialog = await screen.findByRole('dialog', { name: 'Delete this user?' });
  const button = within(dialog).getByRole('button', { name: 'Delete user' }) as HTMLButtonElement;
  expect(button.disabled).toBe(true);
  fireEvent.change(within(dialog).getByRole('textbox'), { target: { value: 'ann@example.com' } });
  expect(button.disabled).toBe(false);
  fireEvent.click(button);
  await vi.waitFor(() => expect(visited).toEqual(['/projects/p1/users']));
  expect(remove).toHaveBeenCalledExactlyOnceWith(annId);
});

test('a session is revoked after confirmation, and errors are shown', async () => {
  const revoke = vi.fn().mockRejectedValueOnce(new Error('not now')).mockResolvedValue(undefined);
  show({ sessions: { revoke } });
  fireEvent.click(await screen.findByRole('button', { name: 'Sign out Chrome on macOS' }));
  const dialog = await screen.findByRole('dialog', { name: 'Sign out this session?' });
  fireEvent.click(within(dialog).getByRole('button', { name: 'Sign out' }));
  expect(await within(dialog).findByText('not now')).toBeTruthy();
  fireEvent.click(within(dialog).getByRole('button', { name: 'Sign out' }));
  await vi.waitFor(() => expect(screen.queryByRole('dialog')).toBeNull());
  expect(revoke).toHaveBeenLastCalledWith('s1', annId);
});

test('user data is exported as a JSON file', async () => {
  const saved: string[] = [];
  vi.spyOn(HTMLAnchorElement.prototype, 'click').mockImplementation(function click(this: HTMLAnchorElement) {
    saved.push(this.download);
  });
  const exportUser = vi.fn(async () => ({ user: 'everything' }));
  show({ users: { export: exportUser } });
  await openMenuItem('Export user data');
  await vi.waitFor(() => expect(saved).toEqual([`user-${annId}.json`]));
  expect(exportUser).toHaveBeenCalledWith(annId);
  vi.restoreAllMocks();
});

test('an owner restricts a user with a reason', async () => {
  const update = vi.fn(async () => sampleUser());
  show({ users: { update } });
  await openMenuItem('Restrict user');
  fireEvent.change(await screen.findByLabelText('Reason'), { target: { value: ' Spam ' } });
  fireEvent.click(screen.getByRole('button', { name: 'Restrict user' }));
  await vi.waitFor(() =>
    expect(update).toHaveBeenCalledExactlyOnceWith(annId, {
      restrictedByAdmin: true,
      restrictedByAdminReason: 'Spam',
      restrictedByAdminPrivateDetails: null,
    }),
  );
});

test('a restricted user has a badge and the reason, and the restriction can be lifted', async () => {
  const update = vi.fn(async () => sampleUser());
  const restricted = sampleUser({
    restriction: 'restricted_by_administrator',
    restrictedByAdmin: true,
    restrictedByAdminReason: 'Spam',
    restrictedByAdminPrivateDetails: 'Ticket 7',
  });
  show({ users: { find: async () => restricted, update } });
  expect(await screen.findByText('Spam')).toBeTruthy();
  expect(screen.getByText('Ticket 7')).toBeTruthy();
  expect(screen.getAllByText('Restricted').length).toBeGreaterThan(0);
  await openMenuItem('Lift restriction');
  fireEvent.click(await screen.findByRole('button', { name: 'Lift restriction' }));
  await vi.waitFor(() => expect(update).toHaveBeenCalledExactlyOnceWith(annId, { restrictedByAdmin: false }));
});

const account = { id: 'google', accountId: 'g1', email: null };
const withCredentials = sampleUser({
  passkeyAuthEnabled: true,
  isMultiFactorRequired: true,
  otpAuthEnabled: true,
  oauthProviders: [account],
});

test.each([
  ['Remove password', { password: null }],
  ['Turn off', { otpAuthEnabled: false }],
  ['Remove passkey', { passkeyAuthEnabled: false }],
  ['Reset two-factor', { totpSecret: null }],
])('“%s” removes a credential after confirmation', async (name, changes) => {
  const update = vi.fn(async () => withCredentials);
  show({ users: { find: async () => withCredentials, update, listAccounts: async () => [] } });
  fireEvent.click(await screen.findByRole('button', { name }));
  fireEvent.click(within(await screen.findByRole('dialog')).getByRole('button', { name }));
  await vi.waitFor(() => expect(update).toHaveBeenCalledExactlyOnceWith(annId, changes));
});

test('an account at a provider is unlinked', async () => {
  const unlinkAccount = vi.fn(async () => {});
  const listAccounts = async () => [{ id: 'a9', providerId: 'google', accountId: 'g1', email: null }];
  show({ users: { find: async () => withCredentials, listAccounts, unlinkAccount } });
  fireEvent.click(await screen.findByRole('button', { name: 'Unlink' }));
  fireEvent.click(await screen.findByRole('button', { name: 'Unlink account' }));
  await vi.waitFor(() => expect(unlinkAccount).toHaveBeenCalledExactlyOnceWith(annId, 'a9'));
});

test('sessions are shown page by page', async () => {
  const listPage = vi.fn(async (_: string, { cursor }: { cursor?: string | null }) =>
    cursor
      ? { items: [{ ...session, id: 's2', device: { browser: null, system: null } }], nextCursor: null }
      : { items: [session], nextCursor: 'c2' },
  );
  show({ sessions: { listPage } });
  const card = within(await screen.findByRole('region', { name: 'Sessions' }));
  fireEvent.click(await card.findByRole('button', { name: 'Next' }));
  expect(await card.findByText('Unknown device')).toBeTruthy();
  expect(card.queryByText('Chrome on macOS')).toBeNull();
  fireEvent.click(card.getByRole('button', { name: 'Previous' }));
  expect(await card.findByText('Chrome on macOS')).toBeTruthy();
  expect(listPage).toHaveBeenCalledWith(annId, { cursor: 'c2', limit: 10 });
});

test('the user is signed out everywhere', async () => {
  const revokeAll = vi.fn(async () => 1);
  show({ sessions: { revokeAll } });
  fireEvent.click(await screen.findByRole('button', { name: 'Sign out everywhere' }));
  const dialog = await screen.findByRole('dialog', { name: 'Sign out everywhere?' });
  fireEvent.click(within(dialog).getByRole('button', { name: 'Sign out everywhere' }));
  await vi.waitFor(() => expect(revokeAll).toHaveBeenCalledExactlyOnceWith(annId));
});

test('a link to set a new password is sent, to the page of the app', async () => {
  const sendPasswordReset = vi.fn(async () => {});
  show({ users: { sendPasswordReset } });
  await openMenuItem('Send password reset');
  fireEvent.click(await screen.findByRole('button', { name: 'Send email' }));
  const url = 'https://shop.example/handler/password-reset';
  await vi.waitFor(() => expect(sendPasswordReset).toHaveBeenCalledExactlyOnceWith('ann@example.com', url));
});

test('an impersonation asks for a reason and a duration, and leads to the page of the app', async () => {
  const impersonate = vi.fn(async () => 'token');
  show({ users: { impersonate } });
  await openMenuItem('Impersonate');
  const dialog = within(await screen.findByRole('dialog', { name: 'Impersonate Ann Achebe' }));
  fireEvent.click(dialog.getByRole('button', { name: 'Start impersonation' }));
  expect(await dialog.findByText('Enter a reason')).toBeTruthy();
  fireEvent.change(dialog.getByLabelText('Reason'), { target: { value: ' Ticket 42 ' } });
  const page = dialog.getByLabelText<HTMLInputElement>('Page of your app');
  const ownPage = page.value;
  fireEvent.change(page, { target: { value: 'https://shop.example.evil.test/handler/impersonation' } });
  fireEvent.click(dialog.getByRole('button', { name: 'Start impersonation' }));
  expect(await dialog.findByText('Enter a URL on a trusted domain of the project')).toBeTruthy();
  fireEvent.change(page, { target: { value: ownPage } });
  fireEvent.click(dialog.getByRole('button', { name: 'Start impersonation' }));
  const link = await dialog.findByRole('link', { name: 'Open app' });
  expect(link.getAttribute('href')).toBe('https://shop.example/handler/impersonation#token');
  expect(dialog.getByText(/lasts 15 minutes/)).toBeTruthy();
  expect(impersonate).toHaveBeenCalledExactlyOnceWith(annId, { reason: 'Ticket 42', minutes: 15 });
});

test('no link is sent to an address that the user does not sign in with', async () => {
  show({ users: { find: async () => sampleUser({ primaryEmailAuthEnabled: false }) } });
  await openMenuItem('Send password reset');
  expect(await screen.findByText('This user has no email address to sign in with.')).toBeTruthy();
});

test('metadata that is no JSON, or too large, is not saved', async () => {
  const update = vi.fn(async () => sampleUser());
  show({ users: { find: async () => sampleUser({ clientReadOnlyMetadata: { plan: 'free' } }), update } });
  fireEvent.click(await screen.findByRole('button', { name: 'Edit metadata' }));
  const dialog = within(await screen.findByRole('dialog', { name: 'Edit metadata' }));
  const field = dialog.getByLabelText('Client read-only metadata');
  const save = (value: string) => {
    fireEvent.change(field, { target: { value } });
    fireEvent.click(dialog.getByRole('button', { name: 'Save' }));
  };
  save('{ plan }');
  expect(dialog.getByText('Line 1, column 3: Enter a name in double quotes or }')).toBeTruthy();
  save(JSON.stringify('x'.repeat(65_536)));
  expect(dialog.getByText('Shorten this to 65,536 bytes. It has 65,538.')).toBeTruthy();
  save('{ "plan": "pro" }');
  expect(dialog.getByText('14 of 65,536 bytes')).toBeTruthy();
  expect(dialog.getByRole('row', { name: 'plan free pro' })).toBeTruthy();
  await vi.waitFor(() =>
    expect(update).toHaveBeenCalledExactlyOnceWith(annId, { clientReadOnlyMetadata: { plan: 'pro' } }),
  );
});

test('the way back leads to the list as it was left', async () => {
  rememberList('p1', 'users', '/projects/p1/users?query=ann&order=active&cursor=c2');
  show();
  const back = await screen.findByRole('link', { name: 'Users' });
  expect(back.getAttribute('href')).toBe('/projects/p1/users?query=ann&order=active&cursor=c2');
  sessionStorage.clear();
});
