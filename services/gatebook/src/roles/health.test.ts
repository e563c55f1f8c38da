import { randomBytes } from 'node:crypto';
import { NO_STREAM } from '@gatebook/eventlog/port';
import { operationsStatus } from '@gatebook/projections/operations/queries';
import { checkReadiness, type Readiness } from '@gatebook/projections/operations/readiness';
import { runProjector } from '@gatebook/projections/run-projector';
import { silentLogger as logger, testMetadata } from '@gatebook/projections/testing/test-log';
import { auditGroup, eventsGroup, mainGroup, metricsGroup } from '@gatebook/readmodel/projection-groups';
import { takeTurns } from '@gatebook/runtime/leadership';
import { createPool, type Pool } from '@gatebook/runtime/postgres';
import { createShutdown } from '@gatebook/runtime/shutdown';
import { type TestDatabase, testDatabase } from '@gatebook/runtime/testing/database';
import { fixedTime } from '@gatebook/runtime/testing/fixed';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { prepareDatabase } from '../database/prepare.ts';
import { readLogHistory } from '../log-history.ts';
import { type Log, openLog } from '../open-log.ts';
import { healthParts } from './health.ts';
import { type RunningProjector, startProjector } from './projector.ts';

let database: TestDatabase;
let log: Log;
let projectors: Pool;
const closers: (() => Promise<unknown>)[] = [];
beforeEach(async () => {
  database = await testDatabase();
  const urls = await prepareDatabase(database.url, { hasJobs: false });
  const shutdown = createShutdown(logger);
  log = await openLog({ databaseUrl: urls.api, masterKey: randomBytes(32), logger, shutdown });
  projectors = createPool(urls.projector, { max: 8, name: 'projectors' });
  closers.push(
    () => database.close(),
    () => projectors.end(),
    () => shutdown.run(),
  );
});
afterEach(async () => {
  for (const close of closers.splice(0).reverse()) await close();
});

const findHistory = () => readLogHistory(log.pool, { backups: { dueDays: 7 } });

/** As the API, which has the fewest privileges. `laterMs`: as if this much time had passed. */
const readiness = (laterMs = 0): Promise<Readiness> => {
  const operations = async () => {
    const status = await operationsStatus(log.pool);
    return { ...status, now: status.now + laterMs };
  };
  return checkReadiness({ ...healthParts, operations, findHistory, store: log.store, logger });
};
const codes = async (laterMs = 0) =>
  (await readiness(laterMs)).problems.map(({ code, part }) => (part ? `${code} ${part}` : code));

function startProjecting(): RunningProjector {
  const parts = { group: mainGroup, store: log.store, pool: projectors, databaseUrl: database.url, logger };
  const projector = startProjector(parts);
  closers.push(() => projector.stop());
  return projector;
}

/** The lock of a worker without its work. */
function startIdleWorker(): void {
  const stopping = new AbortController();
  const work = (signal: AbortSignal) =>
    new Promise<void>((resolve) => signal.addEventListener('abort', () => resolve()));
  const ended = takeTurns({ url: database.url, name: 'worker', logger }, work, stopping.signal);
  closers.push(() => {
    stopping.abort();
    return ended;
  });
}

const record = (requestId: string) =>
  log.store.append(
    [
      {
        stream: `request-${requestId}`,
        expected: NO_STREAM,
        events: [{ type: 'RequestDecided', data: { requestId, at: fixedTime } }],
      },
    ],
    testMetadata,
  );

async function startEverything(): Promise<RunningProjector> {
  const projector = startProjecting();
  const stopping = new AbortController();
  const projected = [metricsGroup, auditGroup, eventsGroup].map((group) =>
    runProjector({ store: log.store, pool: projectors, group, logger }, stopping.signal),
  );
  closers.push(() => {
    stopping.abort();
    return Promise.all(projected);
  });
  startIdleWorker();
  await expect.poll(() => codes()).toEqual([]);
  return projector;
}

test('an installation without a projector or a worker is not ready, although nothing lags', async () => {
  const projector = await startEverything();
  expect(await readiness()).toMatchObject({ isReady: true, lag: 0, oldestUnprojectedMs: 0, readModels: 'ok' });
  await projector.stop();
  expect(await readiness()).toMatchObject({ isReady: false, lag: 0, problems: [{ code: 'projector_missing' }] });
});

test('blocked appends are a problem within a second, and pass when the lock is free', async () => {
  await startEverything();
  const blocker = await database.pool.connect();
  await blocker.query(`begin; select pg_advisory_xact_lock('log.events'::regclass::int, 0)`);
  const start = performance.now();
  expect(await codes()).toEqual(['appends_blocked']);
  expect(performance.now() - start).toBeLessThan(2_500);
  await blocker.query('rollback');
  blocker.release();
  expect(await codes()).toEqual([]);
});

test('a read-only database is a problem', async () => {
  await startEverything();
  await database.pool.query(`do $$ begin
    execute format('alter database %I set default_transaction_read_only = on', current_database());
    perform pg_terminate_backend(pid) from pg_stat_activity
      where datname = current_database() and application_name = 'gatebook log';
  end $$`);
  await expect.poll(() => codes()).toContain('database_read_only');
});

test('a reactor or projection that does not process an old event is a problem, whatever it reports', async () => {
  await startEverything();
  await database.pool.query(
    `insert into readmodel.subscriptions (name, position) values ('emails', 0), ('erasures', 0)`,
  );
  await record('1');
  // Metrics pass events without a figure after some seconds.
  const lags = async () =>
    (await readiness()).subscriptions.filter(({ kind }) => kind === 'projection').map(({ lag }) => lag);
  await expect.poll(lags).toEqual([0, 0, 0, 0]);
  expect(await codes()).toEqual([]);
  expect(await codes(45_000)).toEqual([]);
  expect(await codes(62_000)).toEqual(['reactor_behind emails', 'reactor_behind erasures']);
  await database.pool.query(`update readmodel.projection_shards set position = 0`);
  expect(await codes(12_000)).toEqual(['projection_behind main']);
  expect(await readiness(12_000)).toMatchObject({ readModels: 'stalled', lag: 1 });
  expect((await readiness(12_000)).oldestUnprojectedMs).toBeGreaterThan(11_000);
});

test('a reactor that fails is a problem', async () => {
  await startEverything();
  await database.pool.query(
    `insert into readmodel.subscriptions (name, position, stopped_error, stopped_position) values ('emails', 0, 'no queue', 1)`,
  );
  expect(await codes()).toEqual(['reactor_stopped emails']);
});

test('a database that does not respond is a problem within a second', async () => {
  const operations = () => new Promise<never>(() => undefined);
  const start = performance.now();
  const { problems, isReady } = await checkReadiness({
    ...healthParts,
    operations,
    findHistory,
    store: log.store,
    logger,
  });
  expect(performance.now() - start).toBeLessThan(3_000);
  expect([isReady, problems.map(({ code }) => code)]).toEqual([false, ['database_unavailable']]);
});
