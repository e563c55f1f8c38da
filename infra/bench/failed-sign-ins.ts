import { createPasswordHasher } from '@gatebook/commands/password/password-hashing';
import { createActivity } from '@gatebook/readmodel/activity/activity';
import { createReadDb } from '@gatebook/readmodel/read-db';
import { createLogger } from '@gatebook/runtime/logger';
import { createPool, type Pool } from '@gatebook/runtime/postgres';
import { expireRejections } from '@gatebook/worker/jobs/expire-rejections';
import { startAttacker } from './attack.ts';
import { adminHeaders } from './audit-pages.ts';
import { bareIndexes, bareTables } from './bare-tables.ts';
import type { Bench } from './bench.ts';
import {
  type Attack,
  accounts,
  failedCall,
  failuresPerSecond,
  password,
  signInsFor,
  usersWithPassword,
} from './failing-calls.ts';
import { historyKeys, historyProject } from './history-log.ts';
import { createHistoryWorld, type HistoryWorld, type Server } from './history-world.ts';
import { type Origin, openConnection, sendOnce, toMessage } from './load.ts';
import type { Result } from './report.ts';
import { percentile } from './statistics.ts';
import { startBare } from './world.ts';

const users = 10_000;
const failures = 100_000;
const attackers = 32;
/** With and without an attack in turn, so that noise of the machine hits both. */
const rounds = 10;
/** Without an aim. */
const roundsOfStrangers = 3;
const besideMs = 10_000;
/** Unless another number is given: each statement deletes the same number of rows. */
const expiredRows = 500_000;

type FailedSignInSettings = Pick<Bench, 'scale' | 'rejections' | 'freshDatabase'>;

/** What failed sign-ins write, and whether they or their expiry delay the sign-ins of others. */
export async function benchFailedSignIns({
  scale,
  freshDatabase,
  rejections,
}: FailedSignInSettings): Promise<Result[]> {
  const world = await createHistoryWorld(await freshDatabase('failed_sign_ins'), Math.round(users * scale));
  try {
    return await world.withServer(async (server) => {
      await createUsers(server);
      const bare = await startBareSignIns(await freshDatabase('bare_sign_ins'));
      const attacker = await startAttacker();
      try {
        const ms = besideMs * scale;
        for (const { origin } of [server, bare]) await signInsFor(origin, ms);
        // Takes the accounts over the limit, as the attack on Gatebook does.
        await attacker.attack({ origin: bare.origin, accounts: 'few', ms });
        return [
          ...(await attackAll(server, world.pool, Math.round(failures * scale))),
          ...(await benchBesideFailures({ gatebook: server.origin, bare: bare.origin }, attacker, ms)),
          ...(await benchExpiry(server, world, rejections ?? Math.round(expiredRows * scale))),
        ];
      } finally {
        await attacker.stop();
        await bare.stop();
      }
    });
  } finally {
    await world.close();
  }
}

/** The bare server with the same users. */
async function startBareSignIns(databaseUrl: string) {
  const pool = createPool(databaseUrl, { max: 1, name: 'bench of sign-ins' });
  try {
    const storedHash = await (await createPasswordHasher()).hash(password);
    await pool.query(bareTables);
    await pool.query(
      `insert into users (id, primary_email, primary_email_verified, primary_email_auth_enabled, signed_up_at_millis,
         last_active_at_millis, has_password, password_hash, auth_with_email)
       select gen_random_uuid(), email, false, true, 0, 0, true, $2, true from unnest($1::text[]) email`,
      [usersWithPassword, storedHash],
    );
    await pool.query(bareIndexes);
  } finally {
    await pool.end();
  }
  const { client, server } = historyKeys;
  const smtpUrl = 'smtp://nobody.example';
  const { server: started, stop } = await startBare({
    databaseUrl,
    projectId: historyProject,
    client,
    server,
    smtpUrl,
  });
  return { ...started, stop };
}

type Origins = { gatebook: Origin; bare: Origin };
type Attacker = Awaited<ReturnType<typeof startAttacker>>;

/** Compares how much failed sign-ins slow down others, in Gatebook and in the bare server. */
async function benchBesideFailures({ gatebook, bare }: Origins, attacker: Attacker, ms: number): Promise<Result[]> {
  const times = new Map<string, number[]>();
  const measure = async (name: string, origin: Origin, accounts?: Attack['accounts']) => {
    const attack = accounts && attacker.attack({ origin, accounts, ms });
    times.set(name, [...(times.get(name) ?? []), ...(await signInsFor(origin, ms))]);
    await attack;
  };
  for (let round = 0; round < rounds; round += 1) {
    await measure('quiet', gatebook);
    await measure('beside', gatebook, 'few');
    await measure('bare quiet', bare);
    await measure('bare beside', bare, 'few');
    if (round < roundsOfStrangers) await measure('beside strangers', gatebook, 'ever new');
  }
  const p99 = (name: string) => percentile(times.get(name) ?? [], 0.99);
  const name = (which: string, unit: string) =>
    `check 13: sign-ins beside ${failuresPerSecond} failed ones per second at ${which}, 99th percentile${unit}`;
  return [
    {
      name: name(`${accounts} accounts`, ' ÷ that without failed ones'),
      gatebook: p99('beside') / p99('quiet'),
      reference: p99('bare beside') / p99('bare quiet'),
      referenceName: 'bare server',
      unit: '×',
      aim: { atMostRatio: 1.2 },
    },
    {
      name: name(`${accounts} accounts`, ''),
      gatebook: p99('beside'),
      reference: p99('bare beside'),
      referenceName: 'bare server',
      unit: 'ms',
      aim: null,
    },
    {
      name: name('ever new accounts', ''),
      gatebook: p99('beside strangers'),
      reference: p99('quiet'),
      referenceName: 'without failed ones',
      unit: 'ms',
      aim: null,
    },
  ];
}

async function createUsers({ origin }: Server): Promise<void> {
  for (const email of usersWithPassword) {
    const body = { primary_email: email, primary_email_auth_enabled: true, password };
    await sendOnce(origin, {
      method: 'POST',
      path: '/users',
      headers: { ...adminHeaders, 'content-type': 'application/json' },
      body: JSON.stringify(body),
    });
  }
}

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

/** Deletes old rejections while users sign in. */
async function benchExpiry({ origin }: Server, { pool, main }: HistoryWorld, count: number): Promise<Result[]> {
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
  while (Number.isNaN(seconds)) times.push(...(await signInsFor(origin, 1_000)));
  await expiring;
  await activity.close();
  const name = (what: string) => `check 14: expiry of ${count.toLocaleString('en-US')} rejections, ${what}`;
  return [
    { name: name('most rows in a statement'), gatebook: Math.max(...deleted), unit: 'rows', aim: { atMost: 500 } },
    { name: name('slowest sign-in meanwhile'), gatebook: Math.max(...times), unit: 'ms', aim: { atMost: 1_000 } },
    { name: name('rate'), gatebook: count / seconds, unit: 'rows/s', aim: null },
  ];
}
