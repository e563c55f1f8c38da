import { createAuthenticator } from '@gatebook/commands/testing/authenticator';
import type { Metadata, Recorded } from '@gatebook/domain/event';
import { generateSync } from 'otplib';
import { describe, expect, test } from 'vitest';
import { mailTo } from './testing/mailbox.ts';
import { challenge, newPerson, projectsOf } from './testing/oauth.ts';
import { type Call, changeSettings, createProject, newEmail, password, signUp } from './testing/requests.ts';
import { startSuite } from './testing/suite.ts';

const { api, send } = await startSuite({ trustedProxies: ['127.0.0.1'] });
const project = await createProject(send, { config: { magic_link_enabled: true, passkey_enabled: true } });
const [keySet] = (await send('GET', '/internal/api-keys', { ...project, access: 'admin' })).body.items;

const browser = {
  'user-agent': 'Mozilla/5.0 (X11; Linux x86_64)',
  'x-forwarded-for': '193.99.144.80',
  'x-stack-client-version': 'react @gatebook/react@1.2.3',
};
const origin = { ip: '193.99.144.80', userAgent: browser['user-agent'] };
const endUser = { ...origin, country: 'DE', clientVersion: 'react @gatebook/react@1.2.3' };
const fromBrowser: Call = { ...project, headers: browser };

/** The events that `act` appends. */
async function eventsOf(act: () => Promise<unknown>): Promise<readonly Recorded[]> {
  const before = await api.deps.store.head();
  await act();
  return api.deps.store.readAll(before, 1_000);
}
async function metadataOf(act: () => Promise<unknown>): Promise<Metadata> {
  const [event] = await eventsOf(act);
  return event?.metadata ?? expect.fail('nothing was appended');
}
const sessionOf = async (userId: string) =>
  (await api.deps.store.readAll(0n, 10_000)).findLast(
    ({ type, data }) => type === 'SessionStarted' && data.userId === userId,
  )?.data.sessionId;

describe('an event names who acted and from where', () => {
  const rename = (call: Call, path = '/users/me') => send('PATCH', path, { ...call, body: { display_name: 'X' } });

  test('a user, with the session', async () => {
    const { accessToken: as, userId } = await signUp(send, project);
    const metadata = await metadataOf(() => rename({ ...fromBrowser, as }));
    const sessionId = await sessionOf(userId);
    expect(metadata).toMatchObject({ actor: { kind: 'user', id: userId }, sessionId, origin, causationId: null });
  });

  test('an owner, with the session at the dashboard', async () => {
    const { accessToken, userId } = project.owner;
    const keys = { 'x-stack-super-secret-admin-key': '', 'x-stack-admin-access-token': accessToken };
    const call: Call = { ...project, access: 'admin', headers: { ...browser, ...keys }, body: { display_name: 'New' } };
    const metadata = await metadataOf(() => send('PATCH', '/internal/projects/current', call));
    const sessionId = await sessionOf(userId);
    expect(metadata).toMatchObject({ actor: { kind: 'owner', id: userId }, sessionId, origin });
  });

  test.each(['server', 'admin'] as const)('a %s with its key, and its own address', async (access) => {
    const { userId } = await signUp(send, project);
    const headers = { 'user-agent': 'node', 'x-gatebook-end-user-address': '203.0.113.9' };
    const metadata = await metadataOf(() => rename({ ...project, access, headers }, `/users/${userId}`));
    const sender = { ip: '127.0.0.1', userAgent: 'node' };
    expect(metadata).toMatchObject({ actor: { kind: access, id: keySet.id }, sessionId: null, origin: sender });
  });

  test('a user who calls through an app server, with the address that the server passes on', async () => {
    const { accessToken: as } = await signUp(send, project);
    const passed = { 'x-stack-secret-server-key': project.keys.server, 'x-gatebook-end-user-address': '203.0.113.9' };
    const metadata = await metadataOf(() => rename({ ...project, as, headers: { ...browser, ...passed } }));
    expect(metadata.origin?.ip).toBe('203.0.113.9');
  });

  test('a server that impersonates a user, with the impersonation session', async () => {
    const { userId } = await signUp(send, project);
    const body = { user_id: userId, is_impersonation: true };
    const { access_token: as } = (await send('POST', '/auth/sessions', { ...project, access: 'server', body })).body;
    const metadata = await metadataOf(() => rename({ ...fromBrowser, as }));
    const actor = { kind: 'user', id: userId, impersonator: { kind: 'server', id: keySet.id } };
    expect(metadata).toMatchObject({ actor, sessionId: await sessionOf(userId), origin });
  });

  test('nobody for a sign-in, because the user is not known before', async () => {
    const metadata = await metadataOf(() => signUp(send, fromBrowser));
    expect(metadata).toMatchObject({ actor: { kind: 'client', id: null }, sessionId: null, origin: null });
  });

  test('without the origin once the user is deleted', async () => {
    const { accessToken: as, userId } = await signUp(send, project);
    const events = () => eventsOf(() => rename({ ...fromBrowser, as }));
    const position = (await events())[0]?.position ?? 0n;
    await send('DELETE', `/users/${userId}`, { ...project, access: 'server' });
    const renamed = (await api.deps.store.readAll(0n, 100_000)).find((event) => event.position === position);
    expect(renamed).toMatchObject({ position, metadata: { origin: null } });
  });
});

test('an event names the revisions that it was decided on', async () => {
  const { accessToken: as, userId, email } = await signUp(send, project);
  const revisionOf = async (stream: string) => Number((await api.deps.store.readStream(stream)).revision);
  const ofProject = { [`project-${project.projectId}`]: await revisionOf(`project-${project.projectId}`) };
  const renamed = await metadataOf(() => send('PATCH', '/users/me', { ...project, as, body: { display_name: 'X' } }));
  expect(renamed.basis).toEqual(ofProject);
  const body = { email, password };
  const signedIn = await metadataOf(() => send('POST', '/auth/password/sign-in', { ...project, body }));
  const reservation = Object.keys(signedIn.basis).find((stream) => stream.startsWith('reservation-email-'));
  expect(signedIn.basis).toEqual({
    ...ofProject,
    [`user-${userId}`]: await revisionOf(`user-${userId}`),
    [reservation ?? '']: 0,
  });
});

describe('a session records how and from where it was started', () => {
  const started = async (act: () => Promise<unknown>) => {
    const events = await eventsOf(act);
    return events.findLast(({ type }) => type === 'SessionStarted')?.data;
  };
  const post = (path: string, body: unknown, call: Call = {}) => send('POST', path, { ...fromBrowser, body, ...call });
  const none = { provider: null, secondFactor: null };

  test('sign-up with a password, and the user records the same', async () => {
    const events = await eventsOf(() => signUp(send, fromBrowser));
    const facts = { method: 'password', provider: null, ...endUser };
    expect(events.find(({ type }) => type === 'UserCreated')?.data).toMatchObject(facts);
    expect(events.find(({ type }) => type === 'SessionStarted')?.data).toMatchObject({ ...facts, ...none });
  });

  test('password', async () => {
    const { email } = await signUp(send, project);
    const data = await started(() => post('/auth/password/sign-in', { email, password }));
    expect(data).toMatchObject({ method: 'password', ...none, ...endUser });
  });

  test('a second factor', async () => {
    const { email, accessToken: as } = await signUp(send, project);
    const secret = Buffer.from('12345678901234567890');
    const totp = generateSync({ secret, epoch: Math.floor(Date.parse(api.deps.now()) / 1000) });
    await send('PATCH', '/users/me', { ...project, as, body: { totp_secret_base64: secret.toString('base64') } });
    const { attempt_code: code } = (await post('/auth/password/sign-in', { email, password })).body.details;
    const data = await started(() => post('/auth/mfa/sign-in', { code, type: 'totp', totp }));
    expect(data).toMatchObject({ method: 'password', provider: null, secondFactor: 'totp', ...endUser });
  });

  test('an emailed code or link', async () => {
    const email = newEmail();
    await post('/auth/otp/send-sign-in-code', { email, callback_url: 'http://localhost/x' });
    const { code } = await mailTo(api, email);
    const events = await eventsOf(() => post('/auth/otp/sign-in', { code }));
    for (const type of ['UserCreated', 'SessionStarted']) {
      const event = events.find((candidate) => candidate.type === type);
      expect(event?.data).toMatchObject({ method: 'otp', provider: null, ...endUser });
    }
  });

  test('a passkey', async () => {
    const { accessToken: as } = await signUp(send, project);
    const authenticator = createAuthenticator();
    const registration = (await post('/auth/passkey/initiate-passkey-registration', {}, { as })).body;
    const credential = authenticator.register(registration.options_json);
    await post('/auth/passkey/register', { credential, code: registration.code }, { as });
    const { options_json, code } = (await post('/auth/passkey/initiate-passkey-authentication', {})).body;
    const authentication_response = authenticator.authenticate(options_json);
    const data = await started(() => post('/auth/passkey/sign-in', { authentication_response, code }));
    expect(data).toMatchObject({ method: 'passkey', ...none, ...endUser });
  });

  test('an OAuth provider, also with a second factor', async () => {
    const { signIn, codeFor, redeem, project: shop } = await projectsOf(api)();
    const person = newPerson();
    const events = await eventsOf(() => signIn('google', person));
    for (const type of ['UserCreated', 'SessionStarted']) {
      const event = events.find((candidate) => candidate.type === type);
      expect(event?.data).toMatchObject({ method: 'oauth', provider: 'google' });
    }
    const userId = events.find(({ type }) => type === 'UserCreated')?.data.userId;
    const secret = Buffer.from('12345678901234567890');
    const body = { totp_secret_base64: secret.toString('base64') };
    await send('PATCH', `/users/${userId}`, { ...shop, access: 'server', body });
    const { attempt_code: code } = (await redeem(await codeFor('google', person))).body.details;
    const totp = generateSync({ secret, epoch: Math.floor(Date.parse(api.deps.now()) / 1000) });
    const data = await started(() =>
      send('POST', '/auth/mfa/sign-in', { ...shop, body: { code, type: 'totp', totp } }),
    );
    expect(data).toMatchObject({ method: 'oauth', provider: 'google', secondFactor: 'totp' });
  });

  test('anonymous', async () => {
    await changeSettings(send, project, { anonymous_sign_up_enabled: true });
    const events = await eventsOf(() => post('/auth/anonymous/sign-up', {}));
    for (const { type, data } of events) expect([type, data]).toEqual([type, expect.objectContaining(endUser)]);
    expect(events.map(({ type }) => type)).toEqual(['UserCreated', 'SessionStarted']);
  });

  test('a command line', async () => {
    const { accessToken: as, refreshToken: refresh_token } = await signUp(send, project);
    const cli = { headers: { 'user-agent': 'gatebook-cli/1.0', 'x-stack-client-version': 'cli @gatebook/cli@1.0.0' } };
    const login = (await post('/auth/cli', {}, cli)).body;
    await post('/auth/cli/complete', { login_code: login.login_code, refresh_token }, { as });
    const data = await started(() => post('/auth/cli/poll', { polling_code: login.polling_code }, cli));
    const device = { ip: null, country: null, userAgent: 'gatebook-cli/1.0', clientVersion: 'cli @gatebook/cli@1.0.0' };
    expect(data).toMatchObject({ method: 'cli', ...none, ...device });
  });

  test.each([false, true])('a server (impersonation: %s)', async (is_impersonation) => {
    const { userId: user_id } = await signUp(send, project);
    const call: Call = { access: 'server', headers: { 'user-agent': 'node' } };
    const data = await started(() => post('/auth/sessions', { user_id, is_impersonation }, call));
    expect(data).toMatchObject({ method: 'server', isImpersonation: is_impersonation, ip: null, userAgent: 'node' });
  });

  test('another domain continues the session and starts none', async () => {
    const { accessToken: as, refreshToken } = await signUp(send, project);
    const redirect_uri = 'http://localhost:3000/handler/oauth-callback';
    const body = { redirect_uri, state: 's', code_challenge: challenge, code_challenge_method: 'S256' };
    const headers = { ...browser, 'x-stack-refresh-token': refreshToken };
    const events = await eventsOf(() => post('/auth/oauth/cross-domain/authorize', body, { as, headers }));
    expect(events.map(({ type, metadata }) => [type, metadata.origin])).toEqual([['CodeIssued', origin]]);
  });

  test.each(['js @x/y@1', `js @gatebook/${'y'.repeat(90)}@1.0.0`])(
    'without the malformed client version %s',
    async (version) => {
      const headers = { ...browser, 'x-stack-client-version': version };
      const data = await started(() => signUp(send, { ...project, headers }));
      expect(data).toMatchObject({ clientVersion: null, ip: origin.ip });
    },
  );
});

test('a user whom a server creates has no origin: the server is not that user', async () => {
  const call: Call = { ...project, access: 'server', headers: browser, body: {} };
  const [created] = await eventsOf(() => send('POST', '/users', call));
  expect(created?.data).toMatchObject({ method: 'server', ip: null, userAgent: null, country: null });
  expect(created?.metadata.origin).toEqual({ ip: origin.ip, userAgent: null });
});
