import { randomBytes } from 'node:crypto';
import type { Recorded } from '@gatebook/domain/event';
import type { EventStore } from '@gatebook/eventlog/port';
import { LogFellBackError, NO_STREAM } from '@gatebook/eventlog/port';
import { createLogTail } from '@gatebook/projections/log-tail';
import { createPeers } from '@gatebook/projections/peers/peers';
import { silentLogger as logger, testMetadata } from '@gatebook/projections/testing/test-log';
import { createShutdown } from '@gatebook/runtime/shutdown';
import { type TestDatabase, testDatabase } from '@gatebook/runtime/testing/database';
import { fixedTime } from '@gatebook/runtime/testing/fixed';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { prepareDatabase } from './database/prepare.ts';
import { type Log, openLog, startWatch } from './open-log.ts';

const masterKey = randomBytes(32);
let database: TestDatabase;
const closers: (() => Promise<unknown>)[] = [];
beforeEach(async () => {
  database = await testDatabase();
  closers.push(() => database.close());
});
afterEach(async () => {
  for (const close of closers.splice(0).reverse()) await close();
});

async function startProcess(): Promise<Log> {
  const { api } = await prepareDatabase(database.url, { hasJobs: false });
  const shutdown = createShutdown(logger);
  const log = await openLog({ databaseUrl: api, masterKey, logger, shutdown });
  closers.push(() => shutdown.run());
  await startWatch(log, { shutdown });
  return log;
}

const record = async ({ store }: Log, requestId: string) => {
  const events = [{ type: 'RequestDecided', data: { requestId, at: fixedTime } }];
  const stream = `request-${requestId}`;
  return (await store.append([{ stream, expected: NO_STREAM, events }], testMetadata)).position;
};

/** As a restore of a backup does, but without ending a connection. */
const loseEventsAfter = (position: bigint) =>
  database.pool.query(`begin; set local session_replication_role = replica;
    delete from log.events where position > ${position};
    delete from log.streams where last_position > ${position};
    commit`);

const epochs = async () => (await database.pool.query('select after_position from log.epochs')).rowCount;

test('a process that appends to a log that has lost events notices at once, and all others within a second', async () => {
  const [one, other] = [await startProcess(), await startProcess()];
  for (const id of ['1', '2', '3', '4']) await record(one, id);
  const seen: Recorded[] = [];
  const following = (async () => {
    for await (const batch of other.store.subscribe(0n, new AbortController().signal)) seen.push(...batch);
  })();
  following.catch(() => undefined);
  await expect.poll(() => seen.length).toBe(4);
  await Promise.all([one.watch.look(), other.watch.look()]);
  const before = one.watch.epoch();

  await loseEventsAfter(1n);
  expect(await record(one, '5')).toBe(2n);
  expect(one.watch.epoch()).not.toBe(before);
  await expect(following).rejects.toThrow(LogFellBackError);
  expect(other.watch.epoch()).toBe(one.watch.epoch());
  expect(await epochs()).toBe(2);
});

test('a log that has grown past the lost events is noticed too', async () => {
  const [one, other] = [await startProcess(), await startProcess()];
  for (const id of ['1', '2', '3']) await record(one, id);
  await Promise.all([one.watch.look(), other.watch.look()]);
  await loseEventsAfter(1n);
  await database.pool.query(
    `insert into log.events (position, stream, revision, id, type, version, data, metadata, committed_at)
     select later, 'request-later' || later, 0, gen_random_uuid(), type, version, data, metadata, committed_at
     from log.events, generate_series(2, 9) later where position = 1`,
  );
  await expect.poll(epochs).toBe(2);
  await expect.poll(() => other.watch.epoch() === one.watch.epoch()).toBe(true);
});

test('an event that is not new does not begin an epoch', async () => {
  const log = await startProcess();
  for (const id of ['1', '2', '3']) {
    await record(log, id);
    await log.watch.look();
  }
  expect(await epochs()).toBe(1);
});

test('a peer that has not noticed the lost events has not passed any position', async () => {
  const [one, other] = [await startProcess(), await startProcess()];
  const peersOf = async (
    { pool, listener, store }: Log,
    epoch: () => string | null,
    subscribe: EventStore['subscribe'] = store.subscribe,
  ) => {
    const tail = createLogTail({ store: { head: store.head, subscribe }, logger });
    const stopping = new AbortController();
    const following = tail.follow(stopping.signal);
    const peers = await createPeers({ pool, listener, tail, id: crypto.randomUUID(), logger, epoch });
    const announcing = peers.follow(stopping.signal);
    closers.push(() => {
      stopping.abort();
      return Promise.all([following, announcing]);
    });
    await expect.poll(peers.canCache).toBe(true);
    return peers;
  };
  let epoch = one.watch.epoch();
  const noticed = Promise.withResolvers<void>();
  const unaware = await peersOf(
    other,
    () => epoch,
    async function* (...args) {
      try {
        yield* other.store.subscribe(...args);
      } finally {
        await noticed.promise;
      }
    },
  );
  const peers = await peersOf(one, one.watch.epoch);
  for (const id of ['1', '2', '3']) await record(one, id);
  await peers.allPassed(3n);
  await loseEventsAfter(1n);
  let hasPassed = false;
  const passed = record(one, '4').then(async (position) => {
    await peers.allPassed(position);
    hasPassed = true;
  });
  await new Promise((resume) => setTimeout(resume, 1_000));
  expect(hasPassed).toBe(false);
  epoch = one.watch.epoch();
  noticed.resolve();
  await passed;
  await expect.poll(unaware.canCache).toBe(true);
});
