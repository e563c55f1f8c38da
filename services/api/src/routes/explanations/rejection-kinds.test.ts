import { createAuthenticator } from '@gatebook/commands/testing/authenticator';
import { createLogger } from '@gatebook/runtime/logger';
import { expect, test } from 'vitest';
import { mailTo } from '../../testing/mailbox.ts';
import { type Answer, createProject, newEmail, password, type SignedIn, signUp } from '../../testing/requests.ts';
import { startSuite } from '../../testing/suite.ts';

const lines: string[] = [];
const logger = createLogger({ level: 'trace' }, { write: (line) => lines.push(line) });
const { api, send } = await startSuite({ trustedProxies: ['loopback'], logger });
const project = await createProject(send, { config: { magic_link_enabled: true, passkey_enabled: true } });

const headers = { 'x-forwarded-for': '203.0.113.7' };
const call = (method: string, path: string, body?: unknown, { accessToken }: Partial<SignedIn> = {}) =>
  send(method, path, { ...project, headers, body, ...(accessToken !== undefined && { as: accessToken }) });
const post = (path: string, body: unknown, as?: SignedIn) => call('POST', path, body, as);
const signIn = (email: string, typed: string) => post('/auth/password/sign-in', { email, password: typed });

const callback_url = 'http://localhost:3000/handler';
async function mailedCode(): Promise<string> {
  const email = newEmail();
  await post('/auth/otp/send-sign-in-code', { email, callback_url });
  return (await mailTo(api, email)).code;
}

async function typeWrongTotp(): Promise<Answer> {
  const user = await signUp(send, project);
  const secret = Buffer.from('12345678901234567890').toString('base64');
  await call('PATCH', '/users/me', { totp_secret_base64: secret }, user);
  const { body } = await signIn(user.email, password);
  return post('/auth/mfa/sign-in', { code: body.details.attempt_code, type: 'totp', totp: '000000' });
}

async function presentExpiredCode(): Promise<Answer> {
  const code = await mailedCode();
  const week = 7 * 24 * 60 * 60_000;
  api.advance(week);
  try {
    return await post('/auth/otp/sign-in', { code });
  } finally {
    api.advance(-week);
  }
}

async function useUnknownPasskey(): Promise<Answer> {
  const user = await signUp(send, project);
  const registration = (await post('/auth/passkey/initiate-passkey-registration', {}, user)).body;
  const authenticator = createAuthenticator();
  authenticator.register(registration.options_json);
  const { options_json, code } = (await post('/auth/passkey/initiate-passkey-authentication', {})).body;
  const authentication_response = authenticator.authenticate(options_json);
  return post('/auth/passkey/sign-in', { authentication_response, code });
}

async function changeTeamAsMember(): Promise<Answer> {
  const [owner, member] = [await signUp(send, project), await signUp(send, project)];
  const asServer = (path: string, body: object) => send('POST', path, { ...project, access: 'server', body });
  const team = (await asServer('/teams', { display_name: 'Band', creator_user_id: owner.userId })).body.id;
  await asServer(`/team-memberships/${team}/${member.userId}`, {});
  return call('PATCH', `/teams/${team}`, { display_name: 'x' }, member);
}

const typed = 'typed-canary';
const otherKeys = { ...project.keys, server: project.keys.client };
const kinds: [name: string, reject: () => Promise<Answer>, code: string, route: string][] = [
  [
    'a wrong password',
    async () => signIn((await signUp(send, project)).email, typed),
    'EMAIL_PASSWORD_MISMATCH',
    'POST /api/v1/auth/password/sign-in',
  ],
  [
    'an unknown account',
    () => signIn(`${typed}@example.com`, typed),
    'EMAIL_PASSWORD_MISMATCH',
    'POST /api/v1/auth/password/sign-in',
  ],
  ['a wrong second factor', typeWrongTotp, 'INVALID_TOTP_CODE', 'POST /api/v1/auth/mfa/sign-in'],
  [
    'a wrong code',
    () => post('/auth/otp/sign-in', { code: 'z'.repeat(45) }),
    'VERIFICATION_CODE_NOT_FOUND',
    'POST /api/v1/auth/otp/sign-in',
  ],
  ['an expired code', presentExpiredCode, 'VERIFICATION_CODE_EXPIRED', 'POST /api/v1/auth/otp/sign-in'],
  ['a failed passkey', useUnknownPasskey, 'PASSKEY_AUTHENTICATION_FAILED', 'POST /api/v1/auth/passkey/sign-in'],
  [
    'a redirect to an untrusted URL',
    () => post('/auth/otp/send-sign-in-code', { email: newEmail(), callback_url: `https://${typed}.example.org/` }),
    'REDIRECT_URL_NOT_WHITELISTED',
    'POST /api/v1/auth/otp/send-sign-in-code',
  ],
  [
    'a wrong key',
    () => send('GET', '/users', { ...project, access: 'server', keys: otherKeys, headers }),
    'INVALID_SECRET_SERVER_KEY',
    'GET /api/v1/users',
  ],
  ['a missing permission', changeTeamAsMember, 'TEAM_PERMISSION_REQUIRED', 'PATCH /api/v1/teams/:team_id'],
];

test.each(kinds)('%s is found by its request ID with code, route and address (#20 check 12)', async (...kind) => {
  const [, reject, error_code, route] = kind;
  const answer = await reject();
  const path = `/internal/rejections/${answer.headers['x-stack-request-id']}`;
  const find = async () => (await send('GET', path, { ...project, access: 'admin' })).body;
  // A call without a caller is recorded after its response.
  await expect.poll(find).toMatchObject({
    ...{ precision: 'request', error_code, status: answer.status, route },
    caller: { network: '203.0.113.0/24' },
  });
});

test('what was typed is in no table, no event and no line of the logs (#20 check 12)', async () => {
  await api.deps.rejections.flush();
  const { rows: tables } = await api.pool.query<{ name: string }>(
    `select format('%I.%I', schemaname, tablename) as name from pg_tables
     where schemaname not in ('pg_catalog', 'information_schema')`,
  );
  const found: string[] = [];
  for (const { name } of tables) {
    const { rowCount } = await api.pool.query(`select from ${name} t where t::text like $1`, [`%${typed}%`]);
    if (rowCount !== 0) found.push(name);
  }
  expect(tables.length).toBeGreaterThan(30);
  expect(found).toEqual([]);
  const events = await api.deps.store.readAll(0n, 10_000);
  for (const text of [JSON.stringify(events.map(({ data }) => data)), lines.join()]) {
    expect(text.length).toBeGreaterThan(1_000);
    expect(text).not.toContain(typed);
  }
});
