// @vitest-environment happy-dom
import type { Team, TeamMember, TeamsClient } from '@gatebook/js/admin';
import { KnownError } from '@gatebook/js/errors';
import { fireEvent, screen, within } from '@testing-library/react';
import { expect, test, vi } from 'vitest';
import { noAudit, noExplanations, noPermissions, noTeams } from '../../testing/clients.ts';
import { never, pending, renderPage } from '../../testing/render.tsx';
import { sampleProject, sampleTeam, sampleUser } from '../../testing/samples.ts';
import { TeamPage } from './team-page.tsx';

const ann: TeamMember = { user: sampleUser(), displayName: 'Chief', profileImageUrl: null };
const bob = sampleUser({ id: 'u2', displayName: 'Bob', primaryEmail: 'bob@example.com' });
const definitions = [
  { id: '$update_team', description: 'Change the team', containedPermissionIds: [] },
  { id: 'team_admin', description: '', containedPermissionIds: ['$update_team'] },
  { id: 'post', description: '', containedPermissionIds: [] },
];

type Fakes = { teams?: Partial<TeamsClient>; permissions?: Partial<typeof noPermissions>; allowTeamApiKeys?: boolean };

function show({ teams, permissions, allowTeamApiKeys = false }: Fakes = {}) {
  const { config } = sampleProject();
  return renderPage(
    <TeamPage
      teams={{
        ...noTeams,
        find: async () => sampleTeam(),
        listMembers: async () => ({ items: [ann], nextCursor: null }),
        listInvitations: async () => ({ items: [], nextCursor: null }),
        ...teams,
      }}
      users={{
        search: async ({ teamId }) => ({
          items: teamId === 't1' ? [sampleUser()] : [sampleUser(), bob],
          nextCursor: null,
        }),
      }}
      permissions={{
        ...noPermissions,
        list: async () => definitions,
        listGrants: async () => ['team_admin'],
        ...permissions,
      }}
      explanations={noExplanations}
      audit={{ ...noAudit, list: async () => ({ items: [], nextCursor: null }) }}
      apiKeys={{ list: async () => [], listUses: async () => new Map(), create: never, rotate: never, revoke: never }}
      projectId="p1"
      teamId="t1"
      config={{ ...config, allowTeamApiKeys, domains: [{ domain: 'https://shop.example', handlerPath: '/handler' }] }}
    />,
  );
}

test('shows a loading state', () => {
  show({ teams: { find: () => pending<Team>() } });
  expect(screen.getByRole('status', { name: 'Loading team' })).toBeTruthy();
});

test('an unknown team offers a link to the list', async () => {
  show({ teams: { find: async () => Promise.reject(new KnownError('TEAM_NOT_FOUND', 404, '')) } });
  expect((await screen.findByRole('link', { name: 'View teams' })).getAttribute('href')).toBe('/projects/p1/teams');
});

test('a failed load can be retried', async () => {
  const find = vi.fn().mockRejectedValueOnce(new Error('broken')).mockResolvedValue(sampleTeam());
  show({ teams: { find } });
  await screen.findByText('broken');
  fireEvent.click(screen.getByRole('button', { name: 'Try again' }));
  expect(await screen.findByRole('heading', { level: 1, name: 'Editors' })).toBeTruthy();
});

test('members are listed with their team profile name, and users can be searched and added', async () => {
  const addMember = vi.fn(async () => {});
  show({ teams: { addMember } });
  const members = await screen.findByRole('region', { name: 'Members' });
  expect(await within(members).findByRole('link', { name: 'Chief' })).toBeTruthy();
  fireEvent.click(within(members).getByRole('button', { name: 'Add member' }));
  const dialog = await screen.findByRole('dialog', { name: 'Add member' });
  expect((await within(dialog).findByRole('button', { name: 'Member: Ann Achebe' })).textContent).toBe('Member');
  fireEvent.click(within(dialog).getByRole('button', { name: 'Add Bob' }));
  await vi.waitFor(() => expect(addMember).toHaveBeenCalledWith('t1', 'u2'));
});

test('members are shown page by page', async () => {
  const listMembers: TeamsClient['listMembers'] = async (_, { cursor }) =>
    cursor === 'c2'
      ? { items: [{ user: bob, displayName: null, profileImageUrl: null }], nextCursor: null }
      : { items: [ann], nextCursor: 'c2' };
  show({ teams: { listMembers } });
  const members = within(await screen.findByRole('region', { name: 'Members' }));
  fireEvent.click(await members.findByRole('button', { name: 'Next' }));
  expect(await members.findByRole('link', { name: 'Bob' })).toBeTruthy();
  expect(members.queryByRole('link', { name: 'Chief' })).toBeNull();
});

test('a member is removed after confirmation', async () => {
  const removeMember = vi.fn(async () => {});
  show({ teams: { removeMember } });
  fireEvent.click(await screen.findByRole('button', { name: 'Remove Chief' }));
  const dialog = await screen.findByRole('dialog', { name: 'Remove this member?' });
  fireEvent.click(within(dialog).getByRole('button', { name: 'Remove member' }));
  await vi.waitFor(() => expect(removeMember).toHaveBeenCalledWith('t1', ann.user.id));
});

test('member permissions are granted and revoked, and inherited ones are on', async () => {
  const [grant, revoke] = [vi.fn(async () => {}), vi.fn(async () => {})];
  show({ permissions: { grant, revoke } });
  fireEvent.click(await screen.findByRole('button', { name: 'Permissions of Chief' }));
  const dialog = await screen.findByRole('dialog', { name: 'Permissions of Chief' });
  expect(await within(dialog).findByText(/through team_admin/)).toBeTruthy();
  const inherited = within(dialog).getByRole('switch', { name: 'Grant $update_team' });
  expect(inherited).toMatchObject({ checked: true, disabled: true });
  fireEvent.click(within(dialog).getByRole('switch', { name: 'Grant post' }));
  expect(grant).not.toHaveBeenCalled();
  fireEvent.click(await within(dialog).findByRole('button', { name: 'Save' }));
  await vi.waitFor(() => expect(grant).toHaveBeenCalledWith({ teamId: 't1', userId: ann.user.id }, 'post'));
  await vi.waitFor(() => expect(within(dialog).queryByRole('button', { name: 'Save' })).toBeNull());
  fireEvent.click(within(dialog).getByRole('switch', { name: 'Grant team_admin' }));
  fireEvent.click(await within(dialog).findByRole('button', { name: 'Save' }));
  await vi.waitFor(() => expect(revoke).toHaveBeenCalledWith({ teamId: 't1', userId: ann.user.id }, 'team_admin'));
});

test('members are invited with a link to the app, and invitations are revoked', async () => {
  const [invite, revokeInvitation] = [vi.fn(async () => {}), vi.fn(async () => {})];
  const invitation = { id: 'i1', recipientEmail: 'eve@example.com', expiresAt: new Date(Date.now() + 86_400_000) };
  show({
    teams: { invite, revokeInvitation, listInvitations: async () => ({ items: [invitation], nextCursor: null }) },
  });
  const card = await screen.findByRole('region', { name: 'Invitations' });
  fireEvent.click(await within(card).findByRole('button', { name: 'Revoke invitation for eve@example.com' }));
  const confirm = await screen.findByRole('dialog', { name: 'Revoke this invitation?' });
  fireEvent.click(within(confirm).getByRole('button', { name: 'Revoke invitation' }));
  await vi.waitFor(() => expect(revokeInvitation).toHaveBeenCalledWith('t1', 'i1'));
  fireEvent.click(within(card).getByRole('button', { name: 'Invite member' }));
  const form = await screen.findByRole('dialog', { name: 'Invite member' });
  fireEvent.change(within(form).getByLabelText('Email'), { target: { value: 'new@example.com' } });
  fireEvent.click(within(form).getByRole('button', { name: 'Send invitation' }));
  const callbackUrl = 'https://shop.example/handler/team-invitation';
  await vi.waitFor(() => expect(invite).toHaveBeenCalledWith('t1', { email: 'new@example.com', callbackUrl }));
});

test('disabled team API keys link to the settings', async () => {
  show();
  const card = await screen.findByRole('region', { name: 'API keys' });
  expect(within(card).getByRole('link', { name: 'Settings' }).getAttribute('href')).toBe(
    '/projects/p1/settings/general#user-switches-title',
  );
});

test('the name and the image of a team are changed', async () => {
  const update = vi.fn(async () => sampleTeam());
  show({ teams: { update } });
  fireEvent.click(await screen.findByRole('button', { name: 'Edit team' }));
  const dialog = within(await screen.findByRole('dialog', { name: 'Edit team' }));
  fireEvent.change(dialog.getByLabelText('Image URL'), { target: { value: 'https://shop.example/t.png' } });
  fireEvent.click(dialog.getByRole('button', { name: 'Save' }));
  const profileImageUrl = 'https://shop.example/t.png';
  await vi.waitFor(() => expect(update).toHaveBeenCalledExactlyOnceWith('t1', { profileImageUrl }));
});

test('metadata of a team is changed', async () => {
  const update = vi.fn(async () => sampleTeam());
  show({ teams: { update } });
  fireEvent.click(await screen.findByRole('button', { name: 'Edit metadata' }));
  const dialog = within(await screen.findByRole('dialog', { name: 'Edit metadata' }));
  fireEvent.change(dialog.getByLabelText('Server metadata'), { target: { value: '{"seats": 5}' } });
  fireEvent.click(dialog.getByRole('button', { name: 'Save' }));
  await vi.waitFor(() => expect(update).toHaveBeenCalledExactlyOnceWith('t1', { serverMetadata: { seats: 5 } }));
});

test('deleting a team requires typing its name', async () => {
  const remove = vi.fn(async () => {});
  const { visited } = show({ teams: { delete: remove } });
  fireEvent.click(await screen.findByRole('button', { name: 'Delete team' }));
  const dialog = await screen.findByRole('dialog', { name: 'Delete this team?' });
  fireEvent.change(within(dialog).getByRole('textbox'), { target: { value: 'Editors' } });
  fireEvent.click(within(dialog).getByRole('button', { name: 'Delete team' }));
  await vi.waitFor(() => expect(visited).toEqual(['/projects/p1/teams']));
  expect(remove).toHaveBeenCalledWith('t1');
});
