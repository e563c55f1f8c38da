import { createActivity } from '@gatebook/readmodel/activity/activity';
import { createReadDb } from '@gatebook/readmodel/read-db';
import { createLogger } from '@gatebook/runtime/logger';
import type { Pool } from '@gatebook/runtime/postgres';
import { expireRejections } from '@gatebook/worker/jobs/expire-rejections';
import { adminHeaders } from './audit-pages.ts';
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
const besideMs = 20_000;
/** Each statement deletes the same number of rows, so the time of 10,000,000 is twenty times that of these. */
const expiredRows = 500_000;

/** What failed sign-ins write, and whether they or their expiry delay the sign-ins of others. */
export const benchFailedSignIns = ({ withServer, pool, main }: HistoryWorld, scale: number): Promise<Result[]> =>
  withServer(async (server) => {
    const signIn = await createSignIns(server);
    const duration = besideMs * scale;
    await callAtRate({ origin: server.origin, nextCall: signIn }, signInsPerSecond, duration);
    const attack = await attackAll(server, pool, Math.round(failures * scale));
    const pair = { quiet: [] as number[], beside: [] as number[] };
    for (let round = 0; round < 2; round += 1) {
      pair.quiet.push(...(await signInsFor(server, signIn, duration)));
      const attacking = failAtRate(server, duration);
      pair.beside.push(...(await signInsFor(server, signIn, duration)));
      await attacking;
    }
    return [...attack, besideAttack(pair), ...(await benchExpiry({ server, signIn, pool, main, scale }))];
  });

const besideAttack = ({ quiet, beside }: { quiet: number[]; beside: number[] }): Result => ({
  name: `check 13: sign-ins beside ${failuresPerSecond} failed ones per second, 99th percentile`,
  gatebook: percentile(beside, 0.99),
  reference: percentile(quiet, 0.99),
  referenceName: 'without failed ones',
  unit: 'ms',
  aim: { atMostRatio: 1.2 },
});

const signInsFor = async ({ origin }: Server, nextCall: () => Call, ms: number) =>
  (await callAtRate({ origin, nextCall }, signInsPerSecond, ms)).times;

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
const failedCall = (n: number) =>
  signInCall({ email: accountOf(n), password: 'wrong' }, `10.${n % 4}.${n % (addresses / 4)}.1`);

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

async function failAtRate({ origin }: Server, ms: number): Promise<void> {
  const connection = await openConnection(origin);
  const start = performance.now();
  for (let n = 0; performance.now() - start < ms; n += 1) {
    const early = start + (n * 1000) / failuresPerSecond - performance.now();
    if (early > 0) await new Promise((resume) => setTimeout(resume, early));
    await connection.send(toMessage(origin, failedCall(n)));
  }
  connection.close();
}

type Expiry = { server: Server; signIn: () => Call; pool: Pool; main: HistoryWorld['main']; scale: number };

/** Deletes old rejections while users sign in. */
async function benchExpiry({ server, signIn, pool, main, scale }: Expiry): Promise<Result[]> {
  const count = Math.round(expiredRows * scale);
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
