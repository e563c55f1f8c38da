import { codeIdOf } from '@gatebook/commands/code/code';
import { addOAuthAccount } from '@gatebook/commands/oauth/oauth-accounts';
import { setPassword, signInWithPassword, updatePassword } from '@gatebook/commands/password/password';
import { createProject, decideOnProject, updateProject } from '@gatebook/commands/project/project';
import { createSession } from '@gatebook/commands/session/session';
import { lastMail } from '@gatebook/commands/testing/mailbox';
import { signUp, testProject } from '@gatebook/commands/testing/people';
import { contextOf, createWorld } from '@gatebook/commands/testing/world';
import { addContactChannel, changeContactChannel } from '@gatebook/commands/user/contact-channel';
import { createUser } from '@gatebook/commands/user/create-user';
import { updateUser } from '@gatebook/commands/user/update-user';
import { type ReadSide, startReadSide } from '@gatebook/readmodel/testing/read-side';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { createSecurityNotices } from './security-notices.ts';

let side: ReadSide;
beforeAll(async () => {
  side = await startReadSide();
});
afterAll(() => side.close());

const publicUrl = 'https://auth.example.com';
const password = 'correct horse';
const { config } = testProject;
const chrome = 'Mozilla/5.0 (Windows NT 10.0) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/140.0.0.0 Safari/537.36';
const firefox = 'Mozilla/5.0 (X11; Linux x86_64; rv:142.0) Gecko/20100101 Firefox/142.0';
let count = 0;

/** A user with a verified address in a new project, and a subscription that has processed the whole log. */
async function withUser({ isVerified = true } = {}) {
  count += 1;
  const world = await createWorld(side);
  const { deps, clock } = world;
  const { projectId } = await createProject(deps, contextOf('internal'), {
    displayName: 'Shop',
    ownerUserId: deps.newId(),
  });
  const email = `ann-${count}@example.com`;
  /** Each command is a separate request. */
  const ctx = (origin: { ip?: string; userAgent?: string } = {}) => ({
    ...contextOf(projectId),
    requestId: deps.newId(),
    endUser: {
      ip: origin.ip ?? '203.0.113.7',
      userAgent: origin.userAgent ?? chrome,
      country: null,
      clientVersion: null,
    },
  });
  const facts = { primaryEmail: email, primaryEmailVerified: isVerified, primaryEmailAuthEnabled: true, password };
  const { userId } = await createUser(deps, ctx(), { project: testProject, ...facts });
  const signIn = (origin = {}) => signInWithPassword(deps, ctx(origin), { email, password, config });
  let seen = await deps.store.head();
  /** Processes new events. @returns the requested notices */
  const notices = async (from = seen) => {
    const reactor = createSecurityNotices({ write: { ...deps, publicUrl }, db: side.db, readModels: side.readModels });
    const before = await deps.store.head();
    for (const event of await deps.store.readAll(from, 10_000)) await reactor.react(event);
    seen = await deps.store.head();
    const requested = await world.eventsOf('EmailRequested');
    return requested.filter(({ position }) => position > before).map(({ data }) => data);
  };
  return { ...world, clock, projectId, email, ctx, userId, signIn, notices };
}

describe('a security notice', () => {
  test('a notice of a changed password goes to the verified address, once, with a link that signs out everywhere', async () => {
    const world = await withUser();
    const { deps, ctx, userId, email, notices, eventsOf } = world;
    const change = { userId, oldPassword: password, newPassword: 'battery staple', keptSessionId: null, config };
    const from = await deps.store.head();
    await updatePassword(deps, ctx(), change);
    const [notice, ...more] = await notices(from);
    expect(more).toEqual([]);
    expect(notice).toMatchObject({ emailType: 'security_notice', recipient: email, userId });
    const { link, code } = await lastMail(world);
    expect(link).toBe(`${publicUrl}/handler/report-activity?code=${code}`);
    expect(notice?.variables).toEqual({
      projectDisplayName: 'Shop',
      passwordChanged: 'yes',
      reportLink: link,
      happenedAt: '2026-01-15T12:00:00.000Z',
    });
    const issued = (await eventsOf('CodeIssued')).at(-1)?.data;
    expect(issued).toMatchObject({ purpose: 'activity_report', recipient: email, payload: { userId } });
    expect(issued?.codeId).toBe(codeIdOf(deps, { projectId: '' }, 'activity_report', code));
    // A subscription that died before its checkpoint processes the same events again.
    expect(await notices(from)).toEqual([]);
  });

  test('notices do not need the whole history of a user in memory', async () => {
    const { deps, ctx, userId, email, signIn, projectId } = await withUser();
    await signIn();
    const from = await deps.store.head();
    const change = { userId, oldPassword: password, newPassword: 'battery staple', keptSessionId: null, config };
    await signIn({ userAgent: firefox });
    await updatePassword(deps, ctx(), change);
    const readStream: typeof deps.store.readStream = async (stream, ...how) => {
      if (stream === `user-${userId}`) throw new Error('too many events');
      return deps.store.readStream(stream, ...how);
    };
    const write = { ...deps, store: { ...deps.store, readStream }, publicUrl };
    const reactor = createSecurityNotices({ write, db: side.db, readModels: side.readModels });
    for (const event of await deps.store.readAll(from, 10_000)) await reactor.react(event);
    const requested = (await deps.store.readAll(from, 10_000)).filter(({ type }) => type === 'EmailRequested');
    expect(requested.map(({ data, metadata }) => [metadata.projectId, data.emailType, data.recipient])).toEqual([
      [projectId, 'new_device_sign_in', email],
      [projectId, 'security_notice', email],
    ]);
  });

  test('a notice of a new primary address goes only to the former one', async () => {
    const { deps, ctx, userId, email, notices } = await withUser();
    const added = await addContactChannel(deps, ctx(), { userId, value: 'eve@evil.org', usedForAuth: false });
    expect((await notices()).map(({ recipient, variables }) => [recipient, variables?.addedEmail])).toEqual([
      [email, 'eve@evil.org'],
    ]);
    await changeContactChannel(deps, ctx(), { userId, channelId: added.channel.id, isPrimary: true });
    expect((await notices()).map(({ recipient, variables }) => [recipient, variables?.newPrimaryEmail])).toEqual([
      [email, 'eve@evil.org'],
    ]);
  });

  test('a notice of a new account names a provider that the owner added', async () => {
    const { deps, ctx, userId, notices } = await withUser();
    const acme = { id: 'acme', issuer: 'https://id.acme.example', clientId: 'shop', displayName: 'Acme Login' };
    const set = { type: 'SetOpenIdProvider', provider: acme, clientSecret: 'x', at: deps.now() } as const;
    const { state } = await decideOnProject(deps, ctx(), [set]);
    if (state.status !== 'active') throw new Error(state.status);
    const project = { ...testProject, config: state.config };
    const uses = { allowSignIn: true, allowConnectedAccounts: true };
    const account = { provider: 'acme', accountId: '17', email: null, ...uses };
    await addOAuthAccount(deps, ctx(), { userId, project, ...account });
    expect((await notices()).map(({ variables }) => variables?.linkedProvider)).toEqual(['Acme Login']);
  });

  test('a notice is not sent to an unverified address', async () => {
    const { deps, ctx, userId, notices } = await withUser({ isVerified: false });
    await updateUser(deps, ctx(), { userId, project: testProject, totpSecret: 'c2VjcmV0' });
    expect(await notices()).toEqual([]);
  });

  test('a notice is not sent if the project has turned notices off', async () => {
    const { deps, ctx, userId, notices } = await withUser();
    await updateProject(deps, ctx(), { settings: { securityNoticesEnabled: false } });
    await updateUser(deps, ctx(), { userId, project: testProject, totpSecret: 'c2VjcmV0' });
    expect(await notices()).toEqual([]);
    await updateProject(deps, ctx(), { settings: { securityNoticesEnabled: true } });
    await updateUser(deps, ctx(), { userId, project: testProject, totpSecret: null });
    expect(await notices()).toHaveLength(1);
  });

  test('a notice is not sent about an event older than a day, as in a subscription that starts with an old log', async () => {
    const { deps, ctx, userId, clock, notices } = await withUser();
    await updateUser(deps, ctx(), { userId, project: testProject, totpSecret: 'c2VjcmV0' });
    clock.advance(24 * 60 * 60_000 + 1);
    expect(await notices()).toEqual([]);
  });
});

describe('a notice of a sign-in', () => {
  test('a sign-in notice is sent for a new device, but not for the first sign-in or a known device', async () => {
    const { signIn, notices, email, userId } = await withUser();
    await signIn();
    await signIn();
    expect(await notices()).toEqual([]);
    await signIn({ ip: '198.51.100.7', userAgent: firefox });
    expect(await notices()).toMatchObject([
      {
        emailType: 'new_device_sign_in',
        recipient: email,
        userId,
        variables: { deviceName: 'Firefox on Linux', ipAddress: '198.51.100.7' },
      },
    ]);
    await signIn({ ip: '198.51.100.7', userAgent: firefox });
    expect(await notices()).toEqual([]);
  });

  test('a sign-in notice goes to the address that was verified at the sign-in, even if it was removed right after', async () => {
    const { deps, ctx, signIn, notices, email, userId } = await withUser();
    await signIn();
    await notices();
    await signIn({ ip: '198.51.100.7', userAgent: firefox });
    await updateUser(deps, ctx(), { userId, project: testProject, primaryEmail: 'eve@evil.org' });
    const sent = await notices();
    expect(sent.map(({ emailType, recipient }) => [emailType, recipient])).toEqual([
      ['new_device_sign_in', email],
      ['security_notice', email],
    ]);
  });

  test('a sign-in notice is not sent for a sign-up, or for a session created by a server or an administrator', async () => {
    const { deps, ctx, signIn, notices, userId } = await withUser();
    await signUp(deps, ctx({ userAgent: firefox }), { email: `new-${count}@example.com`, password });
    await signIn();
    await createSession(deps, ctx({ userAgent: firefox }), { userId });
    await createSession(deps, ctx({ userAgent: firefox }), { userId, isImpersonation: true });
    expect(await notices()).toEqual([]);
  });

  test('sign-in notices are limited in number', async () => {
    const { signIn, notices } = await withUser();
    for (let nth = 0; nth < 12; nth += 1) await signIn({ ip: `198.51.${nth}.7`, userAgent: firefox });
    // The first device counts too.
    expect(await notices()).toHaveLength(4);
  });
});

test('a first password after a sign-up by code sends a notice too', async () => {
  const { deps, ctx, notices } = await withUser();
  const facts = {
    primaryEmail: `code-${count}@example.com`,
    primaryEmailVerified: true,
    primaryEmailAuthEnabled: true,
  };
  const { userId } = await createUser(deps, ctx(), { project: testProject, ...facts });
  await setPassword(deps, ctx(), { userId, password, config });
  expect(await notices()).toMatchObject([{ emailType: 'security_notice', recipient: facts.primaryEmail }]);
});

test('a change of a user with a long history does not read the whole history again', async () => {
  const { deps, ctx, userId, projectId } = await withUser();
  for (let n = 0; n < 105; n += 1) {
    await updateUser(deps, ctx(), { userId, project: testProject, displayName: `Ann ${n}` });
  }
  let read = 0;
  const readStreamPages: typeof deps.store.readStreamPages = async function* (...args) {
    for await (const page of deps.store.readStreamPages(...args)) {
      read += page.length;
      yield page;
    }
  };
  const write = { ...deps, publicUrl, store: { ...deps.store, readStreamPages } };
  const reactor = createSecurityNotices({ write, db: side.db, readModels: side.readModels });
  const readByChange: number[] = [];
  let oldPassword = password;
  for (const newPassword of ['battery staple', 'staple battery', 'battery horse']) {
    const before = await deps.store.head();
    await updatePassword(deps, ctx(), { userId, oldPassword, newPassword, keptSessionId: null, config });
    oldPassword = newPassword;
    read = 0;
    for (const event of await deps.store.readAll(before, 100)) await reactor.react(event);
    readByChange.push(read);
  }
  expect(readByChange[0]).toBeGreaterThan(105);
  expect(Math.max(...readByChange.slice(1))).toBeLessThan(20);
  const notices = (await deps.store.readAll(0n, 10_000)).filter(
    ({ type, metadata }) => type === 'EmailRequested' && metadata.projectId === projectId,
  );
  expect(notices).toHaveLength(3);
});
