import { findFreePort } from '@gatebook/runtime/free-port';
import * as oldest from 'stack-js-2-8-3';
import * as newest from 'stack-js-2-8-108';
import { describe, expect, test } from 'vitest';
import { mailTo } from './testing/mailbox.ts';
import { createProject, newEmail, password, senderOf } from './testing/requests.ts';
import { startSuite } from './testing/suite.ts';

/*
 * Teams, invitations, permissions, contact channels and API keys, driven by the published client library, unmodified:
 * the oldest and the newest of the 2.8 line.
 */
const versions = [
  { version: '2.8.3', library: oldest },
  { version: '2.8.108', library: newest as unknown as typeof oldest },
];

const page = (name: string) => `http://localhost:3000/handler/${name}`;
const quietly = { noRedirect: true, verificationCallbackUrl: page('email-verification') };

const port = await findFreePort();
const baseUrl = `http://localhost:${port}`;
const { api } = await startSuite({ publicUrl: baseUrl, port });
await api.app.listen({ port, host: 'localhost' });
const config = {
  client_team_creation_enabled: true,
  client_user_deletion_enabled: true,
  allow_user_api_keys: true,
  allow_team_api_keys: true,
};
const project = await createProject(senderOf(api), { config });

/** Outside of browsers both libraries need the address, which the types of the oldest do not know yet. */
function sendVerificationEmail(channel: oldest.ContactChannel, options: { callbackUrl: string }): Promise<void> {
  return (channel.sendVerificationEmail as (given: typeof options) => Promise<void>)(options);
}

const asServer = (method: string, path: string) =>
  senderOf(api)(method, path, { ...project, access: 'server', body: {} });
const idsOf = (list: readonly { id: string }[]) => list.map(({ id }) => id).sort();

describe.each(versions)('@stackframe/js $version', ({ version, library }) => {
  const facts = () => ({
    baseUrl,
    projectId: project.projectId,
    publishableClientKey: project.keys.client,
    ...({ tokenStore: 'memory', redirectMethod: 'none' } as const),
  });
  const clientApp = () => new library.StackClientApp(facts());
  const serverApp = () => new library.StackServerApp({ ...facts(), secretServerKey: project.keys.server });
  const adminApp = () =>
    new library.StackAdminApp({
      ...facts(),
      secretServerKey: project.keys.server,
      superSecretAdminKey: project.keys.admin,
    });

  async function signedUp() {
    const app = clientApp();
    const email = newEmail();
    expect(await app.signUpWithCredential({ email, password, ...quietly })).toMatchObject({ status: 'ok' });
    return { app, email, user: await app.getUser({ or: 'throw' }) };
  }

  test('a user creates a team, which becomes selected, then changes and leaves it', async () => {
    const { app, user } = await signedUp();
    const team = await user.createTeam({ displayName: 'Band' });
    expect(team).toMatchObject({ displayName: 'Band', clientMetadata: null });
    expect((await app.getUser())?.selectedTeam?.id).toBe(team.id);
    await team.update({ displayName: 'Choir', clientMetadata: { voices: 4 } });
    expect(await user.getTeam(team.id)).toMatchObject({ displayName: 'Choir', clientMetadata: { voices: 4 } });
    expect(idsOf(await user.listTeams())).toEqual([team.id]);
    const profile = await user.getTeamProfile(team);
    await profile.update({ displayName: 'Soprano' });
    const members = await team.listUsers();
    expect(members).toMatchObject([{ id: user.id, teamProfile: { displayName: 'Soprano' } }]);
    await user.setSelectedTeam(null);
    expect((await app.getUser())?.selectedTeam).toBeNull();
    await user.leaveTeam(team);
    expect(await user.listTeams()).toEqual([]);
    const short = await user.createTeam({ displayName: 'Short' });
    await short.delete();
    expect(await user.listTeams()).toEqual([]);
  });

  test('a member invites a user, who views the invitation and joins; another invitation is revoked', async () => {
    const { user } = await signedUp();
    const team = await user.createTeam({ displayName: 'Band' });
    const [friend, second] = [await signedUp(), newEmail()];
    await team.inviteUser({ email: friend.email, callbackUrl: page('team-invitation') });
    await team.inviteUser({ email: second, callbackUrl: page('team-invitation') });
    const { code } = await mailTo(api, friend.email);
    expect((await team.listInvitations()).map(({ recipientEmail }) => recipientEmail)).toEqual([friend.email, second]);
    expect(await friend.app.verifyTeamInvitationCode(code)).toMatchObject({ status: 'ok' });
    expect(await friend.app.getTeamInvitationDetails(code)).toMatchObject({ data: { teamDisplayName: 'Band' } });
    expect(await friend.app.acceptTeamInvitation(code)).toMatchObject({ status: 'ok' });
    expect(await friend.app.acceptTeamInvitation(code)).toMatchObject({
      status: 'error',
      error: { errorCode: 'VERIFICATION_CODE_ALREADY_USED' },
    });
    expect(idsOf(await friend.user.listTeams())).toEqual([team.id]);
    const [left] = await team.listInvitations();
    await left?.revoke();
    expect(await team.listInvitations()).toEqual([]);
  });

  test('a user lists their permissions', async () => {
    const { user } = await signedUp();
    const team = await user.createTeam({ displayName: 'Band' });
    expect(idsOf(await user.listPermissions(team, { recursive: false }))).toEqual(['team_admin']);
    expect(idsOf(await user.listPermissions(team))).toContain('$update_team');
    expect(await user.hasPermission(team, '$delete_team')).toBe(true);
    expect(await user.getPermission(team, 'unknown')).toBeNull();
  });

  test('a user adds, changes and removes a contact channel', async () => {
    const { user, email } = await signedUp();
    const value = newEmail();
    const added = await user.createContactChannel({ type: 'email', value, usedForAuth: true });
    expect((await user.listContactChannels()).map((channel) => channel.value)).toEqual([email, value]);
    await added.update({ isPrimary: true });
    await sendVerificationEmail(added, { callbackUrl: page('email-verification') });
    const { code } = await mailTo(api, value);
    expect(await clientApp().verifyEmail(code)).toMatchObject({ status: 'ok' });
    expect(await user.listContactChannels()).toMatchObject([
      { value: email, isPrimary: false },
      { value, isPrimary: true, isVerified: true, usedForAuth: true },
    ]);
    await added.delete();
    expect(await user.listContactChannels()).toHaveLength(1);
  });

  test('a user creates an API key, which identifies them to a server until it is revoked', async () => {
    const { user } = await signedUp();
    const key = await user.createApiKey({ description: 'laptop', expiresAt: null, isPublic: false });
    expect(key.value).toMatch(/^sk_/);
    expect((await serverApp().getUser({ apiKey: key.value }))?.id).toBe(user.id);
    const [listed] = await user.listApiKeys();
    expect(listed).toMatchObject({ id: key.id, description: 'laptop', value: { lastFour: key.value.slice(-4) } });
    await listed?.revoke();
    expect((await user.listApiKeys())[0]?.manuallyRevokedAt).toBeInstanceOf(Date);
    expect(await serverApp().getUser({ apiKey: key.value })).toBeNull();
  });

  test('a team has API keys too', async () => {
    const { user } = await signedUp();
    const team = await user.createTeam({ displayName: 'Band' });
    const expiresAt = new Date(Date.now() + 60_000);
    const key = await team.createApiKey({ description: 'deployment', expiresAt });
    expect((await serverApp().getTeam({ apiKey: key.value }))?.id).toBe(team.id);
    expect(await team.listApiKeys()).toMatchObject([{ id: key.id, expiresAt }]);
    expect(await serverApp().getUser({ apiKey: key.value })).toBeNull();
  });

  test('a server manages teams, their members and the members’ permissions', async () => {
    const app = serverApp();
    const [ann, bob] = [
      await app.createUser({ displayName: 'Ann' }),
      await app.createUser({ displayName: 'Bob', primaryEmail: newEmail() }),
    ];
    const team = await app.createTeam({ displayName: 'Crew', creatorUserId: ann.id });
    await team.update({ serverMetadata: { plan: 'free' } });
    expect(await app.getTeam(team.id)).toMatchObject({ displayName: 'Crew', serverMetadata: { plan: 'free' } });
    await team.addUser(bob.id);
    expect(idsOf(await team.listUsers())).toEqual(idsOf([ann, bob]));
    await bob.grantPermission(team, '$update_team');
    expect(idsOf(await bob.listPermissions(team, { recursive: false }))).toEqual(['$update_team', 'team_member']);
    await bob.revokePermission(team, '$update_team');
    expect(await bob.hasPermission(team, '$update_team')).toBe(false);
    const [channel] = await bob.listContactChannels();
    await channel?.update({ isVerified: true });
    expect(await app.getUser(bob.id)).toMatchObject({ primaryEmailVerified: true });
    await team.removeUser(bob.id);
    expect(idsOf(await bob.listTeams())).toEqual([]);
    expect(idsOf(await app.listTeams())).toContain(team.id);
    await team.delete();
    expect(await app.getTeam(team.id)).toBeNull();
  });

  test('an administrator defines permissions', async () => {
    const app = adminApp();
    const id = `p_${newEmail().replace(/\D/g, '')}`;
    const definition = { id, description: 'Pays', containedPermissionIds: ['$read_members'] };
    await app.createTeamPermissionDefinition(definition);
    expect(await app.listTeamPermissionDefinitions()).toContainEqual(expect.objectContaining(definition));
    await app.updateTeamPermissionDefinition(id, { ...definition, description: 'Pays and reads' });
    expect(await app.listTeamPermissionDefinitions()).toContainEqual(
      expect.objectContaining({ ...definition, description: 'Pays and reads' }),
    );
    await app.deleteTeamPermissionDefinition(id);
    expect(idsOf(await app.listTeamPermissionDefinitions())).not.toContain(id);
    await app.createProjectPermissionDefinition({ id, containedPermissionIds: [] });
    expect(idsOf(await app.listProjectPermissionDefinitions())).toContain(id);
    const user = await app.createUser({ displayName: 'Payer' });
    // The oldest has no call for permissions of the whole project.
    if (version === '2.8.3') await asServer('POST', `/project-permissions/${user.id}/${id}`);
    else await (user.grantPermission as unknown as (permissionId: string) => Promise<void>)(id);
    expect(idsOf(await user.listPermissions())).toEqual([id]);
    await app.deleteProjectPermissionDefinition(id);
    expect(await user.listPermissions()).toEqual([]);
  });

  test('a user deletes their account', async () => {
    const { app, user } = await signedUp();
    await user.delete();
    expect(await app.getUser()).toBeNull();
    expect(await serverApp().getUser(user.id)).toBeNull();
  });
});

describe('@stackframe/js 2.8.108', () => {
  const facts = {
    baseUrl,
    projectId: project.projectId,
    publishableClientKey: project.keys.client,
    ...({ tokenStore: 'memory', redirectMethod: 'none' } as const),
  };
  const server = new newest.StackServerApp({ ...facts, secretServerKey: project.keys.server });

  test('a user accepts an invitation to their verified address without its code', async () => {
    const [email, unverified] = [newEmail(), newEmail()];
    const friend = await server.createUser({ primaryEmail: email, primaryEmailVerified: true });
    const team = await server.createTeam({ displayName: 'Band' });
    for (const to of [email, unverified]) await team.inviteUser({ email: to, callbackUrl: page('team-invitation') });
    const [invitation, ...others] = await friend.listTeamInvitations();
    expect(others).toEqual([]);
    expect(invitation).toMatchObject({ teamId: team.id, teamDisplayName: 'Band', recipientEmail: email });
    await invitation?.accept();
    expect((await friend.listTeams()).map(({ id }) => id)).toEqual([team.id]);
    expect(await friend.listTeamInvitations()).toEqual([]);
  });

  test('a server reads all teams of a user in pages, newest first', async () => {
    const user = await server.createUser({});
    const made: string[] = [];
    for (const displayName of ['A 1', 'A 2', 'B 1', 'A 3']) {
      made.push((await server.createTeam({ displayName, creatorUserId: user.id })).id);
    }
    const found: string[] = [];
    const options = { orderBy: 'createdAt', desc: true, limit: 2, query: 'a ' } as const;
    for (let cursor: string | null | undefined; cursor !== null; ) {
      const listed = await user.listTeams({ ...options, ...(cursor && { cursor }) });
      found.push(...listed.map(({ id }) => id));
      cursor = listed.nextCursor;
    }
    expect(found).toEqual([made[3], made[1], made[0]]);
    const first = await server.listTeams({ limit: 1 });
    expect(first).toHaveLength(1);
    expect(first.nextCursor).toEqual(expect.any(String));
  });

  test('a user has no billing, products or invoices, and neither has a team', async () => {
    const user = await server.createUser({});
    const team = await server.createTeam({ displayName: 'Crew', creatorUserId: user.id });
    for (const customer of [user, team]) {
      expect(await customer.getBilling()).toEqual({ hasCustomer: false, defaultPaymentMethod: null });
      expect([...(await customer.listProducts({ limit: 1 }))]).toEqual([]);
    }
  });
});
