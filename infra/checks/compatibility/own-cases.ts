import { newEmail, password, unknownId } from '@gatebook/api/testing/requests';
import type { UserApiKeyFirstView } from '@gatebook/js';
import type { CurrentInternalUser, GatebookAdminApp } from '@gatebook/js/admin';
import { expect } from 'vitest';
import { addVirtualAuthenticator } from '../../testing/virtual-authenticator.ts';
import { kinds } from './all-kinds.ts';
import { openPage, openSignedUp } from './browsing.ts';
import { eventCases, eventMethods } from './event-cases.ts';
import { expectOk } from './expectations.ts';
import { historyCases } from './history-cases.ts';
import { type Call, type Case, inBrowser } from './kinds.ts';
import { ownedProject } from './projects.ts';
import { ownWebhookCases, ownWebhookMethods } from './webhook-cases.ts';
import { page, type World } from './world.ts';

/** Methods that only the objects of Gatebook have, and published ones that they lack. */
type Difference = { added?: readonly string[]; left?: readonly string[] };

export const ownMethods: Readonly<Record<string, Difference>> = {
  StackServerApp: { added: ['at', ...eventMethods] },
  StackAdminApp: {
    added: [
      ...eventMethods,
      ...ownWebhookMethods,
      ...['getSettings', 'updateSettings', 'getMetrics', 'getUserCounts', 'getUserActivity', 'listUserHistory'],
      ...[
        'listDeletedUsers',
        'restoreUser',
        'eraseUser',
        'mergeUsers',
        'exportUser',
        'listUndeliveredEmails',
        'retryEmail',
      ],
      ...['listDeletedTeams', 'restoreTeam', 'eraseTeam', 'restoreProject', 'eraseProject'],
      ...['previewEmailTemplate', 'resetEmailTemplate', 'at', 'compareStates', 'preview', 'getAction', 'undoAction'],
      ...['listAuditEvents', 'getAuditEvent', 'getAuditTimeline', 'listAuditEventTypes', 'getAuditChain'],
      ...['followAuditEvents', 'exportAuditLog', 'explainPermission', 'explainRejection', 'writePreviewed'],
    ],
  },
  CurrentInternalUser: { added: ['listDeletedProjects'] },
  UserApiKey: { added: ['rotate'] },
  TeamApiKey: { added: ['rotate'] },
};

/** The same for fields. */
export const ownFields: Readonly<Record<string, Difference>> = {
  ...Object.fromEntries(
    // The published apps have them as accessors.
    ['StackClientApp', 'StackServerApp', 'StackAdminApp'].map((name) => {
      return [name, { added: ['projectId', 'urls', 'version'] }];
    }),
  ),
  ServerUser: { added: ['primaryEmailAuthEnabled'] },
  CurrentServerUser: { added: ['primaryEmailAuthEnabled'] },
  UserApiKey: { added: ['isPublic'] },
  TeamApiKey: { added: ['isPublic'] },
  AdminProject: { added: ['isDevelopmentEnvironment', 'role', 'userCount'] },
};

async function created(world: World) {
  const email = newEmail();
  const app = world.serverApp();
  const user = await app.createUser({ primaryEmail: email, primaryEmailAuthEnabled: true, password });
  return { app, email, user };
}

const templateCase = kinds.find(({ name }) => name === 'StackAdminApp')?.cases.updateEmailTemplate;
if (!templateCase || !('perVersion' in templateCase)) throw new Error('there is no case for updateEmailTemplate');

const ownAdminApp = (world: World) => world.adminApp() as unknown as GatebookAdminApp;

/** A deleted user who can be restored. */
async function deleted(world: World) {
  const app = ownAdminApp(world);
  await app.updateSettings({ userDeletionGraceDays: 7 });
  const user = await app.createUser({ displayName: 'Ann' });
  await user.delete();
  return { app, user };
}

/** A deleted team that can be restored. */
async function deletedTeam(world: World) {
  const app = ownAdminApp(world);
  await app.updateSettings({ teamDeletionGraceDays: 7 });
  const team = await app.createTeam({ displayName: 'Crew' });
  await team.delete();
  const isTeamListed = async () => (await app.listDeletedTeams({ limit: 100 })).items.some(({ id }) => id === team.id);
  return { app, team, isTeamListed };
}

/** A deleted project that can be restored. */
async function deletedProject(world: World) {
  const { user, project } = await ownedProject(world);
  const app = project.app as unknown as GatebookAdminApp;
  await app.updateSettings({ projectDeletionGraceDays: 7 });
  await project.delete();
  const owner = user as unknown as CurrentInternalUser;
  const listOwned = async () => (await user.listOwnedProjects()).map(({ id }) => id);
  const listDeleted = async () => (await owner.listDeletedProjects()).map(({ id }) => id);
  return { app, id: project.id, listOwned, listDeleted };
}

const isListed = async (app: GatebookAdminApp, id: string) =>
  (await app.listDeletedUsers({ limit: 100 })).items.some((user) => user.id === id);

type RotatedKey = Pick<UserApiKeyFirstView, 'value' | 'description' | 'rotate'>;

/** Both keys work until the old one ends. */
async function expectRotation(owner: { listApiKeys(): Promise<readonly object[]> }, key: object): Promise<void> {
  const old = key as RotatedKey;
  const oldExpiresAt = new Date(Date.now() + 3_600_000);
  const next = (await old.rotate({ expiresAt: null, oldExpiresAt })) as RotatedKey;
  expect(next).toMatchObject({ value: expect.any(String), description: old.description });
  expect(next.value).not.toBe(old.value);
  const expiries = (await owner.listApiKeys()).map((one) => (one as { expiresAt?: Date | null }).expiresAt ?? null);
  expect(expiries).toEqual([null, oldExpiresAt]);
}

/** What only Gatebook's admin app has. */
const operatorCases: Readonly<Record<string, Call>> = {
  'StackAdminApp.getSettings': async (world) => {
    expect(await ownAdminApp(world).getSettings()).toMatchObject({ anonymousSignUpEnabled: true });
  },
  'StackAdminApp.updateSettings': async (world) => {
    const app = ownAdminApp(world);
    await app.updateSettings({ rejectionRetentionDays: 12 });
    expect(await app.getSettings()).toMatchObject({ rejectionRetentionDays: 12 });
  },
  'StackAdminApp.getMetrics': async (world) => {
    expect(await ownAdminApp(world).getMetrics()).toMatchObject({ totalUsers: expect.any(Number) });
  },
  'StackAdminApp.getUserCounts': async (world) => {
    const counts = { totalUsers: expect.any(Number), anonymousUsers: expect.any(Number) };
    expect(await ownAdminApp(world).getUserCounts()).toEqual(counts);
  },
  'StackAdminApp.getUserActivity': async (world) => {
    const { user } = await world.signedUp();
    const days = await ownAdminApp(world).getUserActivity(user.id);
    expect(days).toHaveLength(31);
    expect(days.at(-1)).toEqual({ date: new Date().toISOString().slice(0, 10), activity: expect.any(Number) });
  },
  'StackAdminApp.listUserHistory': async (world) => {
    const { user } = await created(world);
    const { items } = await ownAdminApp(world).listUserHistory(user.id, { limit: 5 });
    expect(items[0]).toMatchObject({ text: expect.any(String), at: expect.any(Date) });
  },
  'StackAdminApp.listDeletedUsers': async (world) => {
    const { app, user } = await deleted(world);
    expect(await isListed(app, user.id)).toBe(true);
  },
  'StackAdminApp.listDeletedTeams': async (world) => {
    expect(await (await deletedTeam(world)).isTeamListed()).toBe(true);
  },
  'StackAdminApp.restoreTeam': async (world) => {
    const { app, team } = await deletedTeam(world);
    expect(await app.getTeam(team.id)).toBeNull();
    await app.restoreTeam(team.id);
    expect(await app.getTeam(team.id)).toMatchObject({ id: team.id });
  },
  'StackAdminApp.eraseTeam': async (world) => {
    const { app, team, isTeamListed } = await deletedTeam(world);
    await app.eraseTeam(team.id);
    expect(await isTeamListed()).toBe(false);
  },
  'CurrentInternalUser.listDeletedProjects': async (world) => {
    const { id, listDeleted } = await deletedProject(world);
    expect(await listDeleted()).toEqual([id]);
  },
  'StackAdminApp.restoreProject': async (world) => {
    const { app, id, listOwned } = await deletedProject(world);
    expect(await listOwned()).toEqual([]);
    await app.restoreProject();
    expect(await listOwned()).toEqual([id]);
  },
  'StackAdminApp.eraseProject': async (world) => {
    const { app, listOwned, listDeleted } = await deletedProject(world);
    await app.eraseProject();
    expect([await listOwned(), await listDeleted()]).toEqual([[], []]);
  },
  'StackAdminApp.restoreUser': async (world) => {
    const { app, user } = await deleted(world);
    expect(await app.getUser(user.id)).toBeNull();
    await app.restoreUser(user.id);
    expect(await app.getUser(user.id)).toMatchObject({ id: user.id });
  },
  'StackAdminApp.eraseUser': async (world) => {
    const { app, user } = await deleted(world);
    await app.eraseUser(user.id);
    expect(await isListed(app, user.id)).toBe(false);
  },
  'StackAdminApp.mergeUsers': async (world) => {
    const [{ user }, { user: duplicate }] = [await created(world), await created(world)];
    const app = ownAdminApp(world);
    expect((await app.mergeUsers(user.id, duplicate.id)).dropped).toContainEqual(
      expect.objectContaining({ kind: 'sessions', reason: 'ends' }),
    );
    expect(await app.getUser(duplicate.id)).toBeNull();
  },
  'StackAdminApp.exportUser': async (world) => {
    const { user } = await created(world);
    expect(JSON.stringify(await ownAdminApp(world).exportUser(user.id))).toContain(user.id);
  },
  'StackAdminApp.listUndeliveredEmails': async (world) => {
    expect(await ownAdminApp(world).listUndeliveredEmails()).toEqual([]);
  },
  'StackAdminApp.retryEmail': async (world) => {
    await expect(ownAdminApp(world).retryEmail(unknownId)).rejects.toThrow('404');
  },
  'StackAdminApp.previewEmailTemplate': async (world) => {
    const app = ownAdminApp(world);
    const [template] = await app.listEmailTemplates();
    if (!template) return expect.fail('there are no templates');
    const preview = await app.previewEmailTemplate(template.type, { ...template, subject: 'Hello' });
    expect(preview).toMatchObject({ subject: 'Hello', html: expect.stringContaining('<') });
  },
};

/** Where the published client has a defect, and where it designs emails in TSX. */
export const ownCases: Readonly<Record<string, Case>> = {
  'StackAdminApp.updateEmailTemplate': templateCase.perVersion('2.8.3'),
  'CurrentServerUser.registerPasskey': inBrowser(async (world) => {
    const { app, user } = await world.signedUpAtServer();
    const tokens = await user.getAuthJson();
    const page = await openPage(world);
    await addVirtualAuthenticator(page);
    const status = await page.evaluate(
      async (tokenStore) => {
        const options = { ...window.settings, tokenStore, redirectMethod: 'window' } as const;
        const found = await new window.library.StackServerApp(options).getUser({ or: 'throw' });
        return (await found.registerPasskey()).status;
      },
      { accessToken: tokens.accessToken ?? '', refreshToken: tokens.refreshToken ?? '' },
    );
    expect(status).toBe('ok');
    expect(await app.getUser(user.id)).toMatchObject({ passkeyAuthEnabled: true });
  }),
  // For clients that are not published ones, a verification without the user's session ends the user's sessions.
  'CurrentUser.sendVerificationEmail': inBrowser(async (world) => {
    const { page, email } = await openSignedUp(world);
    const send = () =>
      page.evaluate(async () => {
        const user = await window.app.getUser({ or: 'throw' });
        return (await user.sendVerificationEmail())?.errorCode;
      });
    expect(await send()).toBeUndefined();
    const code = await world.codeFor(email);
    expect(await page.evaluate(async (given) => (await window.app.verifyEmail(given)).status, code)).toBe('ok');
    expect(await send()).toBe('EMAIL_ALREADY_VERIFIED');
  }),
  'ServerUser.updatePassword': async (world) => {
    const { user } = await created(world);
    const change = user.updatePassword({ oldPassword: password, newPassword: 'another password' });
    await expect(change).rejects.toThrow('use setPassword');
    const { user: current } = await world.signedUpAtServer();
    expect(await current.updatePassword({ oldPassword: password, newPassword: 'another password' })).toBeUndefined();
  },
  'ServerUser.sendVerificationEmail': async (world) => {
    const { user, email } = await created(world);
    const callbackUrl = page('email-verification');
    type Send = (options: { callbackUrl: string }) => ReturnType<typeof user.sendVerificationEmail>;
    const send = user.sendVerificationEmail as unknown as Send;
    expect(await send({ callbackUrl })).toBeUndefined();
    expectOk(await world.clientApp().verifyEmail(await world.codeFor(email)));
    expect(await send({ callbackUrl })).toMatchObject({ errorCode: 'EMAIL_ALREADY_VERIFIED' });
  },
  'ServerUser.leaveTeam': async (world) => {
    const { user } = await created(world);
    await user.leaveTeam(await user.createTeam({ displayName: 'Band' }));
    expect(await user.listTeams()).toHaveLength(0);
  },
  'ServerUser.linkConnectedAccount': async (world) => {
    const { user } = await created(world);
    await expect(user.linkConnectedAccount('github')).rejects.toThrow('in a browser');
  },
  'ServerUser.getOrLinkConnectedAccount': async (world) => {
    const { user } = await created(world);
    await expect(user.getOrLinkConnectedAccount('github')).rejects.toThrow('in a browser');
  },
  'UserApiKey.rotate': async (world) => {
    const { user } = await world.signedUp();
    await expectRotation(user, await user.createApiKey({ description: 'laptop', expiresAt: null }));
  },
  'TeamApiKey.rotate': async (world) => {
    const { user } = await world.signedUp();
    const team = await user.createTeam({ displayName: 'Band' });
    await expectRotation(team, await team.createApiKey({ description: 'laptop', expiresAt: null }));
  },
  ...operatorCases,
  ...eventCases,
  ...ownWebhookCases,
  ...historyCases,
};
