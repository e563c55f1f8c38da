import { createAuthenticator } from '@gatebook/commands/testing/authenticator';
import { createLogger } from '@gatebook/runtime/logger';
import { describe, expect, test, vi } from 'vitest';
import { mailTo } from '../testing/mailbox.ts';
import {
  type Answer,
  type Call,
  createProject,
  newEmail,
  type OwnedProject,
  password,
  signUp,
  unknownId,
} from '../testing/requests.ts';
import { startSuite } from '../testing/suite.ts';

const lines: string[] = [];
const logger = createLogger({ level: 'trace' }, { write: (line) => lines.push(line) });
const { api, send } = await startSuite({ rateLimits: true, trustedProxies: ['loopback'], logger });
const from = (address: string) => ({ 'x-forwarded-for': address });
const network = '203.0.113.0/24';

type Row = {
  code: string;
  route: string;
  access_type: string | null;
  user_id: string | null;
  network: string | null;
  count: number;
  first_request_id: string;
  last_request_id: string;
};
/** Waits for `length` rows: without a caller, the project is looked up first, and no response waits for that. */
const rowsOf = (projectId: string, length = 0) =>
  vi.waitUntil(async () => {
    const rows = await readRows(projectId);
    return rows.length >= length && rows;
  });

async function readRows(projectId: string): Promise<Row[]> {
  await api.deps.rejections.flush();
  const { rows } = await api.pool.query<Row>(
    `select code, route, access_type, user_id, network, count::int, first_request_id, last_request_id
     from activity.rejections where project_id = $1 order by first_at`,
    [projectId],
  );
  return rows;
}

const throttledOf = async (userId: string) => {
  await api.deps.rejections.flush();
  const { events } = await api.deps.store.readStream(`user-${userId}`);
  return events.filter(({ type }) => type === 'SignInsThrottled');
};

const signIn = (project: OwnedProject, email: string, tried: string, address = '203.0.113.7') =>
  send('POST', '/auth/password/sign-in', { ...project, body: { email, password: tried }, headers: from(address) });

async function startProject() {
  const project = await createProject(send, { config: { magic_link_enabled: true, passkey_enabled: true } });
  const user = await signUp(send, project);
  return { project, user };
}

describe('a rejected call', () => {
  test('is found by its request ID, with code, route, account and network', async () => {
    const { project, user } = await startProject();
    const call = (change: Call): Call => ({ ...project, headers: from('203.0.113.7'), ...change });
    const code = 'z'.repeat(45);
    const callback_url = 'https://evil.example/handler';
    const keys = { ...project.keys, server: project.keys.client };
    const rejected: [answer: Promise<Answer>, row: Partial<Row>][] = [
      [signIn(project, user.email, 'wrong password'), { code: 'EMAIL_PASSWORD_MISMATCH', user_id: user.userId }],
      [signIn(project, newEmail(), 'wrong password'), { code: 'EMAIL_PASSWORD_MISMATCH', user_id: null }],
      [
        send('POST', '/auth/otp/sign-in', call({ body: { code } })),
        { code: 'VERIFICATION_CODE_NOT_FOUND', route: 'POST /api/v1/auth/otp/sign-in', user_id: null },
      ],
      [
        send('POST', '/auth/otp/send-sign-in-code', call({ body: { email: newEmail(), callback_url } })),
        { code: 'REDIRECT_URL_NOT_WHITELISTED', user_id: null },
      ],
      [
        send('GET', '/users', call({ access: 'server', keys })),
        { code: 'INVALID_SECRET_SERVER_KEY', access_type: 'server', user_id: null },
      ],
      [
        send('GET', '/users', call({ as: user.accessToken })),
        { code: 'INSUFFICIENT_ACCESS_TYPE', access_type: 'client', user_id: user.userId },
      ],
      [
        send('PATCH', `/users/${unknownId}`, call({ access: 'server', keys, body: {} })),
        { route: 'PATCH /api/v1/users/:user_id' },
      ],
    ];
    const answers = await Promise.all(rejected.map(([answer]) => answer));
    const rows = await rowsOf(project.projectId, rejected.length);
    for (const [index, [, expected]] of rejected.entries()) {
      const requestId = answers[index]?.headers['x-stack-request-id'];
      const row = rows.find(({ first_request_id }) => first_request_id === requestId);
      expect(row, JSON.stringify(expected)).toMatchObject({ network, count: 1, ...expected });
    }
    expect(rows).toHaveLength(rejected.length);
  });

  test('with a wrong second-factor code, a wrong passkey or an expired code names the account', async () => {
    const { project, user } = await startProject();
    const post = (path: string, body: unknown, as?: string) =>
      send('POST', path, { ...project, body, headers: from('2001:db8:1:2::3'), ...(as !== undefined && { as }) });
    const authenticator = createAuthenticator({ origin: 'http://localhost:3000' });
    const registration = await post('/auth/passkey/initiate-passkey-registration', {}, user.accessToken);
    const credential = authenticator.register(registration.body.options_json);
    await post('/auth/passkey/register', { credential, code: registration.body.code }, user.accessToken);
    const [first, second] = [
      await post('/auth/passkey/initiate-passkey-authentication', {}),
      await post('/auth/passkey/initiate-passkey-authentication', {}),
    ];
    const authentication_response = authenticator.authenticate(first.body.options_json);
    await post('/auth/passkey/sign-in', { authentication_response, code: second.body.code });

    const totp = { totp_secret_base64: Buffer.alloc(20, 3).toString('base64') };
    await send('PATCH', '/users/me', { ...project, as: user.accessToken, body: totp });
    const { details } = (await signIn(project, user.email, password)).body;
    await post('/auth/mfa/sign-in', { code: details.attempt_code, type: 'totp', totp: '000000' });

    await post('/auth/password/send-reset-code', { email: user.email, callback_url: 'http://localhost/reset' });
    const { code } = await mailTo(api, user.email);
    api.advance(8 * 24 * 60 * 60_000);
    await post('/auth/password/reset', { code, password: 'another long password' });
    const rows = await rowsOf(project.projectId);
    expect(rows).toMatchObject([
      { code: 'PASSKEY_AUTHENTICATION_FAILED' },
      { code: 'INVALID_TOTP_CODE' },
      { code: 'VERIFICATION_CODE_EXPIRED' },
    ]);
    for (const row of rows) expect(row).toMatchObject({ user_id: user.userId, network: '2001:db8:1::/48' });
  });

  test('of an OAuth client is counted for the project that it names, whatever its headers say', async () => {
    const { project } = await startProject();
    const other = await createProject(send);
    const body = { grant_type: 'authorization_code', client_id: project.projectId, client_secret: 'wrong', code: 'x' };
    const headers = { 'x-stack-project-id': other.projectId };
    await api.app.inject({ method: 'POST', url: '/api/v1/auth/oauth/token', payload: body, headers });
    expect(await rowsOf(project.projectId, 1)).toMatchObject([
      { code: 'INVALID_OAUTH_CLIENT_ID_OR_SECRET', access_type: null },
    ]);
    expect(await rowsOf(other.projectId)).toEqual([]);
  });

  test('of an OAuth client with HTTP Basic is counted for the project that it names, whatever else names one', async () => {
    const [project, other] = [await createProject(send), await createProject(send)];
    const authorization = `Basic ${Buffer.from(`${project.projectId}%23main:guessed`).toString('base64')}`;
    const grant = { grant_type: 'refresh_token', refresh_token: 'x' };
    const url = '/api/v1/auth/oauth/token';
    for (const [query, payload] of [
      ['', grant],
      [`?client_id=${other.projectId}`, { ...grant, client_id: other.projectId }],
    ] as const) {
      await api.app.inject({ method: 'POST', url: `${url}${query}`, payload, headers: { authorization } });
    }
    await vi.waitFor(async () => {
      const rows = await rowsOf(project.projectId);
      expect(rows.map(({ code }) => code)).toContain('INVALID_OAUTH_CLIENT_ID_OR_SECRET');
      expect(rows.reduce((sum, { count }) => sum + count, 0)).toBe(2);
    });
    expect(await rowsOf(other.projectId)).toEqual([]);
  });

  test('is counted once per window with the first and the last request', async () => {
    const { project, user } = await startProject();
    const ids: unknown[] = [];
    for (let n = 0; n < 5; n += 1) {
      ids.push((await signIn(project, user.email, `wrong ${n}`)).headers['x-stack-request-id']);
    }
    const rows = await rowsOf(project.projectId);
    expect(rows.reduce((sum, { count }) => sum + count, 0)).toBe(5);
    expect(rows[0]?.first_request_id).toBe(ids[0]);
    expect(rows.at(-1)?.last_request_id).toBe(ids[4]);
  });

  test('that every app causes is not counted, nor one for a project that does not exist', async () => {
    const { project, user } = await startProject();
    await send('DELETE', '/auth/sessions/current', {
      ...project,
      as: user.accessToken,
      headers: { 'x-stack-refresh-token': user.refreshToken },
    });
    expect((await send('GET', '/users/me', { ...project, as: user.accessToken })).body.code).toBe(
      'ACCESS_TOKEN_EXPIRED',
    );
    expect((await send('GET', `/users/${unknownId}`, { ...project, access: 'server' })).status).toBe(404);
    expect(await rowsOf(project.projectId)).toEqual([]);
    expect((await send('GET', '/users', { ...project, projectId: unknownId })).status).toBe(401);
    expect(await rowsOf(unknownId)).toEqual([]);
  });

  test('leaves nothing that was typed: not in a table, the log or the logs of the process', async () => {
    const { project } = await startProject();
    const typed = 'canary-typed-by-mistake';
    for (let n = 0; n < 70; n += 1) await signIn(project, `${typed}@example.com`, typed, `198.51.${n}.7`);
    expect((await rowsOf(project.projectId)).map(({ code }) => code)).toContain('RATE_LIMITED');
    const { rows: tables } = await api.pool.query<{ name: string }>(
      `select c.oid::regclass::text as name from pg_class c join pg_namespace n on n.oid = c.relnamespace
       where c.relkind in ('r', 'p') and n.nspname !~ '^(pg_|information_schema)'`,
    );
    expect(tables.map(({ name }) => name)).toContain('activity.rejections');
    for (const { name } of tables) {
      const { rows } = await api.pool.query(`select t::text from ${name} t where t::text ilike $1`, [`%${typed}%`]);
      expect(rows, name).toEqual([]);
    }
    const events = await api.deps.store.readAll(0n, 100_000);
    expect(JSON.stringify(events, (_, value) => (typeof value === 'bigint' ? `${value}` : value))).not.toContain(typed);
    expect(lines.join('')).toContain('access rejected');
    expect(lines.join('')).not.toContain(typed);
  });
});

describe('reaching the limit of an account’s sign-ins', () => {
  test('is recorded once in the user’s history, with the request that was rejected first', async () => {
    const { project, user } = await startProject();
    const rejections: Answer[] = [];
    for (let n = 0; n < 80; n += 1) {
      const answer = await signIn(project, user.email, 'wrong password', `198.51.${n}.7`);
      if (answer.status === 429) rejections.push(answer);
      if (n === 70) expect(await throttledOf(user.userId)).toHaveLength(1);
    }
    expect(rejections).toHaveLength(20);
    const [event, ...others] = await throttledOf(user.userId);
    expect(others).toEqual([]);
    expect(event).toMatchObject({
      data: { userId: user.userId, failures: 60, minutes: 10 },
      metadata: { actor: { kind: 'system', id: null }, projectId: project.projectId },
    });
    const requestIds = rejections.map(({ headers }) => headers['x-stack-request-id']);
    expect(requestIds).toContain(event?.metadata.requestId);
    const limited = (await rowsOf(project.projectId)).filter(({ code }) => code === 'RATE_LIMITED');
    expect(limited.every(({ user_id }) => user_id === user.userId)).toBe(true);
    expect(limited.reduce((sum, { count }) => sum + count, 0)).toBe(20);

    await api.deps.readModels.reached(await api.deps.store.head());
    const history = await send('GET', `/internal/users/${user.userId}/history`, { ...project, access: 'admin' });
    expect(history.body.items.map(({ text }: { text: string }) => text)).toContain(
      'Sign-ins were throttled after 60 failures within 10 minutes',
    );

    api.advance(11 * 60_000);
    for (let n = 0; n < 62; n += 1) await signIn(project, user.email, 'wrong password', `198.51.${n}.8`);
    expect(await throttledOf(user.userId)).toHaveLength(2);
  });

  test('leaves no event for an unknown account, and the same answers', async () => {
    const { project, user } = await startProject();
    const head = await api.deps.store.head();
    const [known, unknown]: [string[], string[]] = [[], []];
    for (let n = 0; n < 65; n += 1) {
      known.push(answerOf(await signIn(project, user.email, 'wrong password', `198.51.${n}.7`)));
      unknown.push(answerOf(await signIn(project, 'nobody@example.com', 'wrong password', `198.51.${n}.7`)));
    }
    expect(unknown).toEqual(known);
    await api.deps.rejections.flush();
    const events = await api.deps.store.readAll(head, 1_000);
    expect(events.map(({ type, stream }) => [type, stream])).toEqual([['SignInsThrottled', `user-${user.userId}`]]);
  });
});

/** Everything that a caller sees, except for what differs in any two responses. */
const answerOf = ({ status, text, headers }: Answer) =>
  JSON.stringify({ status, text, headers: { ...headers, date: '', 'x-stack-request-id': '', 'retry-after': '' } });
