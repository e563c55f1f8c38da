import { createHash, generateKeyPairSync, randomBytes, randomUUID } from 'node:crypto';
import { createPool } from '@gatebook/runtime/postgres';
import { hash, verify } from '@node-rs/argon2';
import fastify, { type FastifyRequest } from 'fastify';
import { createTransport } from 'nodemailer';
import { clientColumns, serverColumns } from './bare-tables.ts';
import { createBareTokens } from './bare-tokens.ts';

/**
 * The reference of the benchmarks: the least server that sends the same answers after the same checks. It keeps one row
 * per user, has no history, and asks the database every time. `npm run bench` compares its answers with Gatebook's.
 */
export type BareSettings = { databaseUrl: string; projectId: string; client: string; server: string; smtpUrl: string };

type Person = { id: string; display_name: string | null; primary_email: string | null; password_hash: string | null };
type SignUp = { email: string; password: string; verification_callback_url?: string };

/** As in Gatebook: 19 MiB, two passes, one lane. */
const cost = { memoryCost: 19 * 1024, timeCost: 2, parallelism: 1 };
const settings = JSON.parse(process.argv[2] ?? '') as BareSettings;
const pool = createPool(settings.databaseUrl, { max: 10, name: 'bare' });
/** The plan of a search depends on the text. */
const searchPool = createPool(settings.databaseUrl, {
  max: 10,
  name: 'bare searches',
  settings: { plan_cache_mode: 'force_custom_plan' },
});
const tokens = createBareTokens(generateKeyPairSync('ec', { namedCurve: 'P-256' }), settings.projectId);
const transport = createTransport({ url: settings.smtpUrl, pool: true });
const app = fastify();

const sha256 = (text: string) => createHash('sha256').update(text).digest('base64url');
const rejectWith = (statusCode: number, message: string): never => {
  throw Object.assign(new Error(message), { statusCode });
};
const query = async <Row extends object>(name: string, text: string, values: unknown[], from = pool): Promise<Row[]> =>
  (await from.query<Row>({ name, text, values })).rows;

function checkClient({ headers }: FastifyRequest): void {
  if (headers['x-stack-publishable-client-key'] !== settings.client) rejectWith(401, 'wrong client key');
}

function checkServer({ headers }: FastifyRequest): void {
  if (headers['x-stack-secret-server-key'] !== settings.server) rejectWith(401, 'wrong server key');
}

/** Verifies the access token. @returns IDs of user and session */
async function signedIn(request: FastifyRequest): Promise<[userId: string, sessionId: string]> {
  checkClient(request);
  return tokens.verify(String(request.headers['x-stack-access-token'])).catch(() => rejectWith(401, 'wrong token'));
}

const sessionOf = 'select from sessions s where s.id = $2 and s.user_id = u.id and s.expires_at > now()';

app.get('/users/me', async (request) => {
  const [me] = await query(
    'me',
    `select ${clientColumns} from users u where u.id = $1 and exists (${sessionOf})`,
    await signedIn(request),
  );
  return me ?? rejectWith(401, 'signed out');
});

app.patch<{ Body: { display_name: string } }>('/users/me', async (request) => {
  const { display_name: name } = request.body;
  if (typeof name !== 'string' || name.length > 256) rejectWith(400, 'wrong name');
  const [me] = await query(
    'rename',
    `update users u set display_name = $3 where u.id = $1 and exists (${sessionOf}) returning ${clientColumns}`,
    [...(await signedIn(request)), name],
  );
  return me ?? rejectWith(401, 'signed out');
});

app.get<{ Querystring: { limit: string; cursor?: string; query?: string } }>('/users', async (request) => {
  checkServer(request);
  const { limit: asked, cursor, query: sought } = request.query;
  const limit = Math.min(Number(asked), 1000);
  const from = cursor
    ? '(signed_up_at_millis, id) >= (select f.signed_up_at_millis, f.id from users f where f.id = $2)'
    : '$2::uuid is null';
  const text = `%${sought?.replace(/[\\%_]/g, '\\$&')}%`;
  const found = await query<{ id: string }>(
    `list-${Boolean(cursor)}-${Boolean(sought)}`,
    `select ${serverColumns} from users where ${from} ${sought ? 'and searched ilike $3' : ''}
     order by signed_up_at_millis, id limit $1`,
    [limit + 1, cursor ?? null, ...(sought ? [text] : [])],
    sought ? searchPool : pool,
  );
  return {
    items: found.slice(0, limit),
    is_paginated: true,
    pagination: { next_cursor: found[limit]?.id ?? null },
  };
});

app.post<{ Body: { display_name: string; primary_email: string } }>('/users', async (request, reply) => {
  checkServer(request);
  const { display_name: name, primary_email: email } = request.body;
  if (typeof name !== 'string' || !isEmail(email)) rejectWith(400, 'wrong user');
  const [user] = await query(
    'create-user',
    `insert into users (id, display_name, primary_email, primary_email_verified, primary_email_auth_enabled,
       signed_up_at_millis, last_active_at_millis, has_password, auth_with_email)
     values ($1, $2, $3, false, false, $4, $4, false, false) returning ${serverColumns}`,
    [randomUUID(), name, email.toLowerCase(), Date.now()],
  );
  reply.code(201);
  return user;
});

const isEmail = (text: unknown) => typeof text === 'string' && /^[^\s@]+@[^\s@]+\.[^\s@]+$/.test(text);

app.post<{ Body: SignUp }>('/auth/password/sign-up', async (request) => {
  checkClient(request);
  const { email, password, verification_callback_url: verificationUrl } = request.body;
  if (!isEmail(email) || typeof password !== 'string' || password.length < 8)
    rejectWith(400, 'wrong address or password');
  const [user, session, code] = [randomUUID(), newSession(), randomBytes(24).toString('base64url')];
  const withCode =
    verificationUrl === undefined ? '' : ", code as (insert into codes values ($8, $1, now() + interval '7 days'))";
  const now = Date.now();
  await query(
    `sign-up-${verificationUrl !== undefined}`,
    `with person as (
       insert into users (id, primary_email, primary_email_verified, primary_email_auth_enabled, signed_up_at_millis,
         last_active_at_millis, has_password, password_hash, auth_with_email)
       values ($1, $2, false, true, $3, $3, true, $4, true)
     )${withCode} insert into sessions values ($5, $1, $6, $7)`,
    [
      ...[user, email.toLowerCase(), now, await hash(password, cost), session.id, session.hash, session.expiresAt],
      ...(verificationUrl === undefined ? [] : [sha256(code)]),
    ],
  );
  if (verificationUrl !== undefined) void sendVerification(email, `${verificationUrl}?code=${code}`);
  return tokens.answer(session, { id: user, display_name: null, primary_email: email });
});

async function sendVerification(to: string, link: string): Promise<void> {
  const filler = 'style="font-family: sans-serif; font-size: 16px; line-height: 24px; color: #222" '.repeat(40);
  await transport.sendMail({
    from: 'bare@bench.example',
    to,
    subject: 'Verify your email address',
    text: `Verify your email address: ${link}`,
    html: `<p ${filler}>Verify your email address: <a href="${link}">Verify</a></p>`,
  });
}

/** Per account, for good: the limit is reached before anything is measured. */
const maxWrongPasswords = 60;
const wrongPasswords = new Map<string, number>();
/** An unknown account takes as long as a wrong password. */
const dummyHash = hash('dummy password', cost);

app.post<{ Body: SignUp }>('/auth/password/sign-in', async (request) => {
  checkClient(request);
  const { email, password } = request.body;
  if (!isEmail(email) || typeof password !== 'string') rejectWith(400, 'wrong address or password');
  const wrong = wrongPasswords.get(email) ?? 0;
  if (wrong >= maxWrongPasswords) rejectWith(429, 'too many wrong passwords');
  // Until the password is known to be right.
  wrongPasswords.set(email, wrong + 1);
  const [found] = await query<Person>(
    'sign-in',
    'select id, display_name, primary_email, password_hash from users where primary_email = $1',
    [email.toLowerCase()],
  );
  if (!(await verify(found?.password_hash ?? (await dummyHash), password)) || !found) {
    return rejectWith(400, 'wrong password');
  }
  wrongPasswords.set(email, (wrongPasswords.get(email) ?? 1) - 1);
  const session = newSession();
  await startSession(session, found.id);
  return tokens.answer(session, found);
});

function newSession() {
  const refreshToken = randomBytes(32).toString('base64url');
  const expiresAt = new Date(Date.now() + 31_536_000_000);
  return { id: randomUUID(), refreshToken, hash: sha256(refreshToken), expiresAt };
}

const startSession = ({ id, hash: tokenHash, expiresAt }: ReturnType<typeof newSession>, userId: string) =>
  query('start-session', 'insert into sessions values ($1, $2, $3, $4)', [id, userId, tokenHash, expiresAt]);

app.post<{ Body: { user_id: string } }>('/auth/sessions', async (request) => {
  checkServer(request);
  const [user] = await query<Person>('person', 'select * from users where id = $1', [request.body.user_id]);
  if (!user) return rejectWith(404, 'no user');
  const session = newSession();
  await startSession(session, user.id);
  return tokens.answer(session, user);
});

app.addContentTypeParser('application/x-www-form-urlencoded', { parseAs: 'string' }, (_request, body, done) =>
  done(null, Object.fromEntries(new URLSearchParams(String(body)))),
);

app.post<{ Body: Record<string, string> }>('/auth/oauth/token', async (request) => {
  const { client_id: id, client_secret: secret, grant_type: type, refresh_token: token = '' } = request.body;
  if (id !== settings.projectId || secret !== settings.client || type !== 'refresh_token')
    rejectWith(401, 'wrong client');
  const [found] = await query<Person & { session_id: string }>(
    'refresh',
    `select u.id, u.display_name, u.primary_email, s.id as session_id from sessions s join users u on u.id = s.user_id
     where s.refresh_token_hash = $1 and s.expires_at > now()`,
    [sha256(token)],
  );
  if (!found) return rejectWith(401, 'signed out');
  return {
    access_token: tokens.issue(found.session_id, found),
    token_type: 'Bearer',
    expires_in: tokens.lifeSeconds,
    scope: 'legacy',
  };
});

app.post<{ Body: { user_id: string; description: string } }>('/user-api-keys', async (request) => {
  checkServer(request);
  const value = `uk_${randomBytes(32).toString('base64url')}`;
  const [row] = await query<KeyRow>(
    'create-key',
    `insert into api_keys values ($1, $2, $3, $4, false, $5, null, null, $6) returning *`,
    [sha256(value), randomUUID(), request.body.user_id, request.body.description, Date.now(), value.slice(-4)],
  );
  return row && toKey(row, value);
});

type KeyRow = Record<'id' | 'user_id' | 'description' | 'last_four', string> & {
  is_public: boolean;
  created_at_millis: number;
  expires_at_millis: number | null;
  manually_revoked_at_millis: number | null;
};

const toKey = (row: KeyRow, value: unknown) => ({
  id: row.id,
  description: row.description,
  is_public: row.is_public,
  created_at_millis: row.created_at_millis,
  value,
  type: 'user',
  user_id: row.user_id,
});

app.post<{ Body: { api_key: string } }>('/user-api-keys/check', async (request) => {
  checkServer(request);
  const [row] = await query<KeyRow>(
    'check-key',
    'select k.* from api_keys k join users u on u.id = k.user_id where k.hash = $1',
    [sha256(request.body.api_key)],
  );
  if (!row || row.manually_revoked_at_millis !== null) return rejectWith(404, 'no key');
  if (row.expires_at_millis !== null && row.expires_at_millis < Date.now()) return rejectWith(401, 'expired');
  return toKey(row, { last_four: row.last_four });
});

await app.listen({ port: 0, host: '127.0.0.1' });
const address = app.server.address();
process.stdout.write(`${JSON.stringify({ port: typeof address === 'object' ? address?.port : null })}\n`);
const stop = async () => {
  await app.close();
  transport.close();
  await Promise.all([pool.end(), searchPool.end()]);
  process.exit();
};
process.once('SIGTERM', stop);
process.once('disconnect', stop);
