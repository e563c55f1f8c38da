import { newEmail, password, unknownId } from '@gatebook/api/testing/requests';
import { expect } from 'vitest';
import { expectCode, expectOk } from './expectations.ts';
import { type Cases, isUpTo, type Kind, unrelated } from './kinds.ts';
import { quietly, type ServerApp } from './world.ts';

type OldServerApp = ServerApp & { getServerUserById(id: string): ReturnType<ServerApp['getUser']> };

const userCases: Cases = {
  createUser: async (world) => {
    const email = newEmail();
    const user = await world.serverApp().createUser({
      ...{ primaryEmail: email, primaryEmailAuthEnabled: true, primaryEmailVerified: true, password },
      serverMetadata: { plan: 'free' },
    });
    expect(user).toMatchObject({ primaryEmail: email, primaryEmailVerified: true, serverMetadata: { plan: 'free' } });
    expectOk(await world.clientApp().signInWithCredential({ email, password, ...quietly }));
    const again = world.serverApp().createUser({ primaryEmail: email, primaryEmailAuthEnabled: true });
    await expect(again).rejects.toMatchObject({ errorCode: 'USER_EMAIL_ALREADY_EXISTS' });
    return user;
  },
  getUser: async (world) => {
    const { app, user } = await world.signedUpAtServer();
    expect(await app.getUser(user.id)).toMatchObject({ id: user.id });
    expect(await app.getUser(unknownId)).toBeNull();
    expect(await app.getUser()).toMatchObject({ id: user.id });
    const key = await user.createApiKey({ description: 'laptop', expiresAt: null });
    expect((await app.getUser({ apiKey: key.value }))?.id).toBe(user.id);
    return user;
  },
  getServerUser: async (world) => {
    const { app, user } = await world.signedUpAtServer();
    expect(await app.getServerUser()).toMatchObject({ id: user.id });
  },
  getServerUserById: async (world) => {
    const app = world.serverApp() as unknown as OldServerApp;
    const user = await app.createUser({ displayName: 'Ann' });
    expect(await app.getServerUserById(user.id)).toMatchObject({ id: user.id });
  },
  getPartialUser: async (world) => {
    const { app, user } = await world.signedUpAtServer();
    expect(await app.getPartialUser({ from: 'token' })).toMatchObject({ id: user.id });
  },
  listUsers: async (world) => {
    const app = world.serverApp();
    const email = newEmail();
    const { id } = await app.createUser({ primaryEmail: email });
    const found = await app.listUsers({ query: email });
    expect(found.map((user) => user.id)).toEqual([id]);
    const newest = await app.listUsers({ limit: 1, desc: true, orderBy: 'signedUpAt' });
    expect(newest).toHaveLength(1);
    expect(newest.nextCursor).toEqual(expect.any(String));
    const next = await app.listUsers({ limit: 1, desc: true, orderBy: 'signedUpAt', cursor: newest.nextCursor ?? '' });
    expect(next.map((user) => user.id)).not.toEqual(newest.map((user) => user.id));
    return found;
  },
  createOAuthProvider: async (world) => {
    const app = world.serverApp();
    const user = await app.createUser({ displayName: 'Ann' });
    const account = { accountId: newEmail(), email: newEmail(), providerConfigId: 'github' };
    const provider = { ...account, userId: user.id, allowSignIn: true, allowConnectedAccounts: true };
    const created = await app.createOAuthProvider(provider);
    expectOk(created);
    const other = await app.createUser({ displayName: 'Bob' });
    const taken = await app.createOAuthProvider({ ...provider, userId: other.id });
    expectCode(taken, 'OAUTH_PROVIDER_ACCOUNT_ID_ALREADY_USED_FOR_SIGN_IN');
    return created;
  },
};

const teamCases: Cases = {
  createTeam: async (world) => {
    const app = world.serverApp();
    const ann = await app.createUser({ displayName: 'Ann' });
    const team = await app.createTeam({ displayName: 'Crew', creatorUserId: ann.id });
    expect((await team.listUsers()).map(({ id }) => id)).toEqual([ann.id]);
    return team;
  },
  getTeam: async (world) => {
    const app = world.serverApp();
    const team = await app.createTeam({ displayName: 'Crew' });
    expect(await app.getTeam(team.id)).toMatchObject({ displayName: 'Crew' });
    expect(await app.getTeam(unknownId)).toBeNull();
    const key = await team.createApiKey({ description: 'deployment', expiresAt: null });
    expect((await app.getTeam({ apiKey: key.value }))?.id).toBe(team.id);
  },
  listTeams: async (world) => {
    const app = world.serverApp();
    const team = await app.createTeam({ displayName: newEmail() });
    expect((await app.listTeams()).map(({ id }) => id)).toContain(team.id);
    if (isUpTo('2.8.77', world.version)) return;
    const page = await world.serverApp().listTeams({ limit: 1, orderBy: 'createdAt', desc: true });
    expect(page).toHaveLength(1);
    const found = await world.serverApp().listTeams({ query: team.displayName });
    expect(found.map(({ id }) => id)).toEqual([team.id]);
    const user = await app.createUser({ displayName: 'Ann' });
    for (const displayName of ['A', 'B']) await user.createTeam({ displayName });
    const [first] = await user.listTeams({ limit: 1, orderBy: 'createdAt' });
    const newest = await user.listTeams({ limit: 1, orderBy: 'createdAt', desc: true });
    expect([first?.displayName, newest[0]?.displayName]).toEqual(['A', 'B']);
    const next = await user.listTeams({ limit: 1, orderBy: 'createdAt', desc: true, cursor: newest.nextCursor ?? '' });
    expect(next[0]?.id).toBe(first?.id);
  },
  listTeamMemberPermissions: async (world) => {
    const app = world.serverApp();
    const ann = await app.createUser({ displayName: 'Ann' });
    const team = await app.createTeam({ displayName: 'Crew', creatorUserId: ann.id });
    const permissions = await app.listTeamMemberPermissions(team.id, { recursive: false });
    expect(permissions).toEqual([{ userId: ann.id, permissionId: 'team_admin' }]);
  },
};

const emailCases: Cases = {
  sendEmail: async (world) => {
    const app = world.serverApp();
    const user = await app.createUser({ primaryEmail: newEmail(), primaryEmailVerified: true });
    await app.sendEmail({ userIds: [user.id], subject: 'News', html: '<p>Hello</p>' });
    const { items } = await world.adminApp().listOutboxEmails({ limit: 100 });
    const recipients = items.map(({ to }) => ('userId' in to ? to.userId : null));
    expect(recipients).toContain(user.id);
    await expect(app.sendEmail({ userIds: [unknownId], html: '<p>Hello</p>' })).rejects.toThrow();
  },
  getEmailDeliveryStats: async (world) => {
    const { stats } = await world.serverApp().getEmailDeliveryStats();
    expect(stats.day).toEqual({
      sent: expect.any(Number),
      bounced: expect.any(Number),
      marked_as_spam: expect.any(Number),
    });
  },
  activateEmailCapacityBoost: unrelated('managed email domains'),
};

export const serverApp: Kind = {
  name: 'StackServerApp',
  sample: async (world) => world.serverApp(),
  extends: async (world) => world.clientApp(),
  cases: {
    ...userCases,
    ...teamCases,
    ...emailCases,
    listProducts: async (world) => {
      const app = world.serverApp();
      const user = await app.createUser({ displayName: 'Ann' });
      expect(await app.listProducts({ userId: user.id })).toHaveLength(0);
    },
    getItem: unrelated('payments'),
    grantProduct: unrelated('payments'),
    getDataVaultStore: unrelated('data vault'),
  },
};
