import { decodeJwt } from 'jose';
import { beforeAll, describe, expect, test } from 'vitest';
import { newPerson, projectsOf } from '../../testing/oauth.ts';
import { changeSettings, password, type SignedIn, signUp } from '../../testing/requests.ts';
import { startSuite } from '../../testing/suite.ts';

const { api, send } = await startSuite();
const { project, codeFor, redeem } = await projectsOf(api)();

const hours = 3_600;
type Tokens = { access_token: string; refresh_token: string };

const secondsOf = ({ access_token }: Pick<Tokens, 'access_token'>) => {
  const { iat = 0, exp = 0 } = decodeJwt(access_token);
  return exp - iat;
};
async function sessionSeconds({ access_token }: Tokens): Promise<number> {
  const { events } = await api.deps.store.readStream(`session-${decodeJwt(access_token).refreshTokenId}`);
  const [started] = events as unknown as [{ data: { at: string; expiresAt: string } }];
  return (Date.parse(started.data.expiresAt) - Date.parse(started.data.at)) / 1000;
}
const post = async (path: string, body: object, call = {}): Promise<Tokens> =>
  (await send('POST', path, { ...project, body, ...call })).body;
const refresh = ({ refresh_token }: Tokens) =>
  post('/auth/sessions/current/refresh', {}, { headers: { 'x-stack-refresh-token': refresh_token } });

let user: SignedIn;
const signIn = () => post('/auth/password/sign-in', { email: user.email, password });
const fromServer = (expires_in_millis?: number) =>
  post('/auth/sessions', { user_id: user.userId, expires_in_millis }, { access: 'server' });

async function signInFromCommandLine(): Promise<Tokens> {
  const { login_code, polling_code } = (await send('POST', '/auth/cli', { ...project, body: {} })).body;
  await post('/auth/cli/complete', { login_code, refresh_token: user.refreshToken });
  return refresh(await post('/auth/cli/poll', { polling_code }));
}

describe('sessions that start after the setting changed', () => {
  beforeAll(async () => {
    await changeSettings(send, project, { anonymous_sign_up_enabled: true, session_lifetime_hours: 12 });
    user = await signUp(send, project);
  });

  test.each<[string, () => Promise<Tokens>]>([
    ['with a password', signIn],
    ['with a provider', async () => (await redeem(await codeFor('google', newPerson()))).body],
    ['anonymously', () => post('/auth/anonymous/sign-up', {})],
    ['from the command line', signInFromCommandLine],
    ['from a server', () => fromServer()],
  ])('%s last as long as it says', async (_, start) => {
    expect(await sessionSeconds(await start())).toBe(12 * hours);
  });

  test('from a server can be shorter, but not longer', async () => {
    expect(await sessionSeconds(await fromServer(60_000))).toBe(60);
    expect(await sessionSeconds(await fromServer(24 * hours * 1000))).toBe(12 * hours);
  });

  test('leave earlier ones as they were', async () => {
    const before = await signIn();
    await changeSettings(send, project, { session_lifetime_hours: 1 });
    expect(await sessionSeconds(before)).toBe(12 * hours);
    expect(await sessionSeconds(await signIn())).toBe(hours);
  });
});

describe('access tokens', () => {
  test('last as long as the project says, else as the installation says', async () => {
    const started = await signIn();
    expect(secondsOf(started)).toBe(600);
    await changeSettings(send, project, { access_token_lifetime_seconds: 120 });
    expect(secondsOf(await signIn())).toBe(120);
    expect(secondsOf(await refresh(started))).toBe(120);
    const granted = (await redeem(await codeFor('google', newPerson()))).body;
    expect([secondsOf(granted), granted.expires_in]).toEqual([120, 120]);
    await changeSettings(send, project, { access_token_lifetime_seconds: null });
    expect(secondsOf(await refresh(started))).toBe(600);
  });

  test('end with their session, but last the minute that clients need', async () => {
    expect(secondsOf(await fromServer(120_000))).toBeLessThanOrEqual(120);
    const short = await fromServer(90_000);
    expect(secondsOf(await refresh(short))).toBeLessThanOrEqual(90);
    expect(secondsOf(await fromServer(5_000))).toBe(60);
  });
});
