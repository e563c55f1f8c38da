import { randomBytes } from 'node:crypto';
import { copyFile, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Recorded } from '@gatebook/domain/event';
import { type Simulator, startSimulator } from '@gatebook/eventlog/eventstoredb/simulator';
import { LogFellBackError, NO_STREAM } from '@gatebook/eventlog/port';
import { createLogTail } from '@gatebook/projections/log-tail';
import { operationsStatus } from '@gatebook/projections/operations/queries';
import { askForRebuild, promoteStandby } from '@gatebook/projections/operations/rebuilds';
import { listProjectionVersions } from '@gatebook/projections/projection-versions';
import { runProjector } from '@gatebook/projections/run-projector';
import { runReactor } from '@gatebook/projections/subscriptions/reactor';
import { resetReactor } from '@gatebook/projections/subscriptions/reset-reactor';
import { silentLogger as logger, testMetadata } from '@gatebook/projections/testing/test-log';
import { createReadModels } from '@gatebook/projections/wait';
import { mainGroup } from '@gatebook/readmodel/projection-groups';
import { createShutdown } from '@gatebook/runtime/shutdown';
import { type TestDatabase, testDatabase } from '@gatebook/runtime/testing/database';
import { fixedTime } from '@gatebook/runtime/testing/fixed';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { prepareDatabase } from './database/prepare.ts';
import { type Log, openLog, startWatch } from './open-log.ts';

const masterKey = randomBytes(32);
let database: TestDatabase;
let folder: string;
let simulator: Simulator;
const closers: (() => Promise<unknown>)[] = [];
beforeEach(async () => {
  [database, folder] = await Promise.all([testDatabase(), mkdtemp(join(tmpdir(), 'gatebook-eventstoredb-'))]);
  await prepareDatabase(database.url, { rolePrefix: null, hasJobs: false });
  simulator = await startSimulator({ file: join(folder, 'log') });
  closers.push(
    () => database.close(),
    () => rm(folder, { recursive: true }),
    () => simulator.close(),
  );
});
afterEach(async () => {
  for (const close of closers.splice(0).reverse()) await close();
});

async function startProcess({ url } = simulator): Promise<Log> {
  const shutdown = createShutdown(logger);
  const eventStore = { url, streamPrefix: '' };
  const log = await openLog({ databaseUrl: database.url, eventStore, masterKey, logger, shutdown });
  closers.push(() => shutdown.run());
  await startWatch(log, { shutdown });
  return log;
}

const record = async ({ store }: Pick<Log, 'store'>, requestId: string) => {
  const events = [{ type: 'RequestDecided', data: { requestId, at: fixedTime } }];
  const stream = `request-${requestId}`;
  return (await store.append([{ stream, expected: NO_STREAM, events }], testMetadata)).position;
};

const backUp = () => copyFile(join(folder, 'log'), join(folder, 'backup'));

/** Stops the server, restores its backup, and starts it again, while its clients keep running. */
async function restore(): Promise<void> {
  const { port } = simulator;
  await simulator.close();
  await copyFile(join(folder, 'backup'), join(folder, 'log'));
  simulator = await startSimulator({ port, file: join(folder, 'log') });
}

/** Events that were appended to the backup before anybody looked, as another history of the log. */
async function appendToBackup(...requestIds: string[]): Promise<void> {
  const other = await startSimulator({ file: join(folder, 'backup') });
  const shutdown = createShutdown(logger);
  const eventStore = { url: other.url, streamPrefix: '' };
  const log = await openLog({ databaseUrl: database.url, eventStore, masterKey, logger, shutdown });
  for (const id of requestIds) await record(log, id);
  await shutdown.run();
  await other.close();
}

const idsOf = (events: readonly Recorded[]) => events.map(({ data }) => data.requestId);
const epochs = async () => (await database.pool.query('select from log.epochs')).rowCount;

/** Two processes that have read events `1` to `3`, of which only `1` is in the backup. */
async function startTwo() {
  const [one, other] = [await startProcess(), await startProcess()];
  const positions = [await record(one, '1')];
  await backUp();
  positions.push(await record(one, '2'), await record(other, '3'));
  const seen: Recorded[] = [];
  const following = (async () => {
    for await (const batch of other.store.subscribe(0n, new AbortController().signal)) seen.push(...batch);
  })();
  following.catch(() => undefined);
  await expect.poll(() => idsOf(seen)).toEqual(['1', '2', '3']);
  await Promise.all([one.watch.look(), other.watch.look()]);
  const heads: bigint[] = [];
  for (const { watch } of [one, other]) watch.onFallBack((head) => heads.push(head));
  return { one, other, positions, following, heads, before: one.watch.epoch() };
}

test('running processes notice a server that was restored from a backup, and drop what they know', async () => {
  const { one, other, positions, following, heads, before } = await startTwo();
  await restore();
  await expect(following).rejects.toThrow(LogFellBackError);
  await expect.poll(() => heads).toEqual([positions[0], positions[0]]);
  expect(one.watch.epoch()).not.toBe(before);
  expect(other.watch.epoch()).toBe(one.watch.epoch());
  expect(await epochs()).toBe(2);
  expect(await record(other, '4')).toBe(positions[1]);
  expect(idsOf(await one.store.readAll(0n, 10))).toEqual(['1', '4']);
});

test('another history with the same head is noticed too', async () => {
  const { one, other, positions, following, heads, before } = await startTwo();
  await appendToBackup('4', '5');
  await restore();
  await expect(following).rejects.toThrow(LogFellBackError);
  await expect.poll(() => heads).toEqual([positions[2], positions[2]]);
  expect(one.watch.epoch()).not.toBe(before);
  expect(other.watch.epoch()).toBe(one.watch.epoch());
  expect(idsOf(await one.store.readAll(0n, 10))).toEqual(['1', '4', '5']);
});

test('a reactor continues from its checkpoint in the new history, without the lost events', async () => {
  const log = await startProcess();
  const first = await record(log, '1');
  let release = () => {};
  const isReleased = new Promise<void>((resume) => {
    release = resume;
  });
  const [acted, stopping] = [[] as unknown[], new AbortController()];
  const react = async ({ data }: Recorded) => {
    acted.push(data.requestId);
    if (data.requestId === '1') await isReleased;
  };
  const parts = { store: log.store, pool: log.pool, logger, retryPauseMs: 20 };
  const ended = runReactor(parts, { name: 'emails', react }, stopping.signal);
  closers.push(async () => {
    stopping.abort();
    await ended;
  });
  await expect.poll(() => acted).toEqual(['1']);
  await backUp();
  for (const id of ['2', '3']) await record(log, id);
  await log.watch.look();
  const before = log.watch.epoch();
  await appendToBackup('4', '5');
  await restore();
  await expect.poll(log.watch.epoch).not.toBe(before);
  release();
  await expect.poll(() => acted).toEqual(['1', '4', '5']);
  const { subscriptions } = await operationsStatus(log.pool);
  expect(subscriptions).toMatchObject([{ name: 'emails', state: 'following' }]);
  expect(subscriptions[0]?.position).toBeGreaterThan(first);
});

test('a projection and a reactor that have processed lost events stop, and follow the new history once repaired', async () => {
  const log = await startProcess();
  const { pool, store, listener, watch } = log;
  const stopping = new AbortController();
  const acted: unknown[] = [];
  const react = async ({ data }: Recorded) => void acted.push(data.requestId);
  const running = [
    runProjector({ store, pool, group: mainGroup, logger }, stopping.signal),
    runReactor({ store, pool, logger, retryPauseMs: 20 }, { name: 'emails', react }, stopping.signal),
  ];
  const readModels = await createReadModels({ pool, listener, groups: [mainGroup], logger });
  watch.onFallBack(readModels.beginEpoch);
  const tail = createLogTail({ store, logger });
  const followed = tail.follow(stopping.signal);
  closers.push(async () => {
    stopping.abort();
    await Promise.all([...running, followed, readModels.close()]);
  });
  await record(log, '1');
  await backUp();
  const lost = [await record(log, '2'), await record(log, '3')];
  await expect.poll(() => readModels.reached(lost[1] ?? null)).toBe('reached');
  await expect.poll(() => acted).toEqual(['1', '2', '3']);
  const stopped = async () =>
    (await operationsStatus(pool)).subscriptions.filter((one) => one.isCheckpointLost).map(({ name }) => name);
  expect(await stopped()).toEqual([]);

  await restore();
  await expect.poll(stopped).toEqual(['main', 'emails']);
  const written = await record(log, '4');
  expect(await readModels.reached(written, 200)).toBe('behind');

  expect(await resetReactor(pool, 'emails', { position: 0n, eventId: null })).toBe(true);
  await expect.poll(() => acted.slice(3)).toEqual(['1', '4']);
  const { projectionVersion } = await askForRebuild(pool, mainGroup);
  const isReady = async () =>
    (await listProjectionVersions(pool, 'main')).find(({ id }) => id === projectionVersion.id)?.isReady;
  await expect.poll(isReady).toBe(true);
  await promoteStandby(pool, mainGroup, projectionVersion.id);
  await expect.poll(stopped).toEqual([]);
  await expect.poll(() => readModels.reached(written)).toBe('reached');
  expect(await readModels.reached(await record(log, '5'))).toBe('reached');
});
