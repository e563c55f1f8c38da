import { createActivity } from '@gatebook/readmodel/activity/activity';
import { createReadDb } from '@gatebook/readmodel/read-db';
import { createLogger } from '@gatebook/runtime/logger';
import type { Pool } from '@gatebook/runtime/postgres';
import { expireRejections } from '@gatebook/worker/jobs/expire-rejections';
import { adminHeaders } from './audit-pages.ts';
import type { Bench } from './bench.ts';
import { historyKeys, historyProject } from './history-log.ts';
import type { HistoryWorld, Server } from './history-world.ts';
import { type Call, callAtRate, openConnection, sendOnce, toMessage } from './load.ts';
import type { Result } from './report.ts';
import { percentile } from './statistics.ts';

const password = 'correct horse battery staple';
const failures = 100_000;
const addresses = 1_000;
/** That many accounts are tried, of which every other one exists. */
const accounts = 40;
const attackers = 32;
/** 100,000 in five minutes. */
const failuresPerSecond = 333;
/** A share of what one core hashes, so that queues do not decide. */
const signInsPerSecond = 10;
/** With and without an attack in turn, so that noise of the machine hits both. */
const rounds = 4;
const besideMs = 10_000;
/** Unless another number is given: each statement deletes the same number of rows. */
const expiredRows = 500_000;

export type FailedSignInSettings = Pick<Bench, 'scale' | 'rejections'>;

/** What failed sign-ins write, and whether they or their expiry delay the sign-ins of others. */
export const benchFailedSignIns = (
  { withServer, pool, main }: HistoryWorld,
  { scale, rejections = Math.round(expiredRows * scale) }: FailedSignInSettings,
): Promise<Result[]> =>
  withServer(async (server) => {
    const signIn = await createSignIns(server);
    const duration = besideMs * scale;
    await callAtRate({ origin: server.origin, nextCall: signIn }, signInsPerSecond, duration);
    const attack = await attackAll(server, pool, Math.round(failures * scale));
    const times = new Map<string, number[]>();
    const measure = async (name: string) => {
      times.set(name, [...(times.get(name) ?? []), ...(await signInsFor(server, signIn, duration))]);
    };
    for (let round = 0; round < rounds; round += 1) {
      await measure(quiet);
      for (const [name, nextFailed] of Object.entries(attacks)) {
        const attacking = failAtRate(server, nextFailed, duration);
        await measure(name);
        await attacking;
      }
    }
    const p99 = (name: string) => percentile(times.get(name) ?? [], 0.99);
    const beside = Object.keys(attacks).map(
      (name): Result => ({
        name: `check 13: sign-ins beside ${failuresPerSecond} failed ones per second at ${name}, 99th percentile`,
        gatebook: p99(name),
        reference: p99(quiet),
        referenceName: quiet,
        unit: 'ms',
        aim: { atMostRatio: 1.2 },
      }),
    );
    return [...attack, ...beside, ...(await benchExpiry({ server, signIn, pool, main, count: rejections }))];
  });

const quiet = 'without failed ones';

const signInsFor = async ({ origin }: Server, nextCall: () => Call, ms: number) =>
  (await callAtRate({ origin, nextCall }, signInsPerSecond, ms)).times;

/** Of people and of attackers. */
const userAgent = 'Mozilla/5.0 (Windows NT 10.0; Win64; x64) Chrome/140.0.0.0 Safari/537.36';
type Body = { email: string; password: string };
const signInCall = (body: Body, address: string): Call => ({
  method: 'POST',
  path: '/auth/password/sign-in',
  headers: {
    'content-type': 'application/json',
    'x-stack-access-type': 'client',
    'x-stack-project-id': historyProject,
    'x-stack-publishable-client-key': historyKeys.client,
    'x-forwarded-for': address,
    'user-agent': userAgent,
  },
  body: JSON.stringify(body),
});

/** Users with a password, who sign in in turn, each from their own address. */
async function createSignIns({ origin }: Server): Promise<() => Call> {
  const emails = Array.from({ length: 20 }, (_, n) => `person${n}@signs-in.example`);
  for (const email of [...emails, ...knownAccounts]) {
    const body = { primary_email: email, primary_email_auth_enabled: true, password };
    await sendOnce(origin, {
      method: 'POST',
      path: '/users',
      headers: { ...adminHeaders, 'content-type': 'application/json' },
      body: JSON.stringify(body),
    });
  }
  let n = 0;
  return () => {
    n += 1;
    const nth = n % emails.length;
    return signInCall({ email: emails[nth] ?? '', password }, `203.0.113.${nth + 1}`);
  };
}

const accountOf = (n: number) => `${n % 2 === 0 ? 'known' : 'unknown'}${n % accounts}@tried.example`;
const knownAccounts = Array.from({ length: accounts }, (_, n) => n)
  .filter((n) => n % 2 === 0)
  .map(accountOf);
const attackerOf = (n: number) => `10.${Math.floor((n % addresses) / 250)}.${n % 250}.1`;
const failedCall = (n: number) => signInCall({ email: accountOf(n), password: 'wrong' }, attackerOf(n));

let strangers = 0;
const attacks: Readonly<Record<string, (n: number) => Call>> = {
  // Most are over the limits of these accounts, so they are rejected without a hash.
  [`${accounts} accounts`]: failedCall,
  // Each is hashed, if the machine can hash that many.
  'ever new accounts': (n) => {
    strangers += 1;
    return signInCall({ email: `stranger${strangers}@tried.example`, password: 'wrong' }, attackerOf(n));
  },
};

/** Sends failed sign-ins as fast as they are answered, and compares what they wrote with what was sent. */
async function attackAll({ origin }: Server, pool: Pool, count: number): Promise<Result[]> {
  const before = await stateOf(pool);
  let next = 0;
  const connections = await Promise.all(Array.from({ length: attackers }, () => openConnection(origin)));
  const start = performance.now();
  await Promise.all(
    connections.map(async (connection) => {
      for (let n = next++; n < count; n = next++) {
        const { status } = await connection.send(toMessage(origin, failedCall(n)));
        if (status < 400 || status >= 500) throw new Error(`a wrong password was answered with ${status}`);
      }
    }),
  );
  const seconds = (performance.now() - start) / 1000;
  for (const connection of connections) connection.close();
  const after = await untilCounted(pool, before.counted + count);
  const name = (what: string) => `check 13: ${count.toLocaleString('en-US')} failed sign-ins, ${what}`;
  return [
    {
      name: name('not counted'),
      gatebook: Math.abs(after.counted - before.counted - count),
      unit: '',
      aim: { atMost: 0 },
    },
    { name: name('rows'), gatebook: after.rows - before.rows, unit: 'rows', aim: { atMost: 4_999 } },
    { name: name('events in the log'), gatebook: after.head - before.head, unit: 'events', aim: { atMost: 99 } },
    { name: name('rate'), gatebook: count / seconds, unit: '/s', aim: null },
  ];
}

async function stateOf(pool: Pool) {
  const { rows } = await pool.query<{ counted: string; rows: string; head: string }>(
    `select (select coalesce(sum(count), 0) from activity.rejections where project_id = $1) as counted,
       (select count(*) from activity.rejections) + (select count(*) from activity.rejected_requests) as rows,
       (select max(position) from log.events) as head`,
    [historyProject],
  );
  const [{ counted = '0', rows: all = '0', head = '0' } = {}] = rows;
  return { counted: Number(counted), rows: Number(all), head: Number(head) };
}

/** The process writes what it has counted once a second. */
async function untilCounted(pool: Pool, expected: number) {
  for (let left = 10; ; left -= 1) {
    const state = await stateOf(pool);
    if (state.counted >= expected || left === 0) return state;
    await new Promise((resume) => setTimeout(resume, 500));
  }
}

/** Sends each at its time, whether or not earlier ones are answered. @throws Error if they were sent more slowly */
async function failAtRate({ origin }: Server, nextFailed: (n: number) => Call, ms: number): Promise<void> {
  const idle: Awaited<ReturnType<typeof openConnection>>[] = [];
  const answers: Promise<void>[] = [];
  const fail = async (n: number): Promise<void> => {
    const connection = idle.pop() ?? (await openConnection(origin));
    await connection.send(toMessage(origin, nextFailed(n)));
    idle.push(connection);
  };
  const start = performance.now();
  while (performance.now() - start < ms) {
    const due = ((performance.now() - start) * failuresPerSecond) / 1000;
    while (answers.length < due) answers.push(fail(answers.length));
    await new Promise((resume) => setTimeout(resume, 1));
  }
  const perSecond = (answers.length * 1000) / (performance.now() - start);
  await Promise.all(answers);
  for (const connection of idle) connection.close();
  if (perSecond < failuresPerSecond / 2) throw new Error(`only ${perSecond.toFixed(0)} sign-ins per second were sent`);
}

type Expiry = { server: Server; signIn: () => Call; pool: Pool; main: HistoryWorld['main']; count: number };

/** Deletes old rejections while users sign in. */
async function benchExpiry({ server, signIn, pool, main, count }: Expiry): Promise<Result[]> {
  await pool.query(
    `insert into activity.rejections (project_id, window_at, code, route, network, count, first_at, last_at,
       first_request_id, last_request_id)
     select $1, at, 'EMAIL_PASSWORD_MISMATCH', 'POST /api/v1/auth/password/sign-in', n::text, 1, at, at, 'first', 'last'
     from (select n, now() - interval '400 days' - (n / 1000) * interval '5 minutes' as at
       from generate_series(1, $2::int) n) windows`,
    [historyProject, count],
  );
  const deleted: number[] = [];
  const query = async (text: string, values?: unknown[]) => {
    const result = await pool.query(text, values);
    if (text.startsWith('delete')) deleted.push(result.rowCount ?? 0);
    return result;
  };
  const watched: Pool = Object.assign(Object.create(pool) as Pool, { query });
  const db = createReadDb(pool, { schema: () => main.schema });
  const activity = createActivity({ pool, logger: createLogger({ level: 'error' }) });
  const start = performance.now();
  let seconds = Number.NaN;
  const expiring = expireRejections(
    { pool: watched, db, activity },
    new Date().toISOString(),
    new AbortController().signal,
  ).finally(() => {
    seconds = (performance.now() - start) / 1000;
  });
  const times: number[] = [];
  while (Number.isNaN(seconds)) times.push(...(await signInsFor(server, signIn, 1_000)));
  await expiring;
  await activity.close();
  const name = (what: string) => `check 14: expiry of ${count.toLocaleString('en-US')} rejections, ${what}`;
  return [
    { name: name('most rows in a statement'), gatebook: Math.max(...deleted), unit: 'rows', aim: { atMost: 500 } },
    { name: name('slowest sign-in meanwhile'), gatebook: Math.max(...times), unit: 'ms', aim: { atMost: 1_000 } },
    { name: name('rate'), gatebook: count / seconds, unit: 'rows/s', aim: null },
  ];
}
