import type { Recorded } from '@gatebook/domain/event';
import { UnreadableEventError } from '@gatebook/eventlog/port';
import { createListener } from '@gatebook/runtime/listener';
import { pause } from '@gatebook/runtime/pause';
import { type TestDatabase, testDatabase } from '@gatebook/runtime/testing/database';
import { pollDeadlineMs } from '@gatebook/runtime/testing/deadlines';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { listQuarantined, requestRelease } from '../quarantine/quarantine.ts';
import { projectionsTemplate } from '../testing/projections-template.ts';
import { runUntilEnded } from '../testing/run-until-ended.ts';
import { create, createTalliesLog, rename } from '../testing/tallies.ts';
import { createRecord, silentLogger as logger, type TestLog, testMetadata } from '../testing/test-log.ts';
import { runReactor } from './reactor.ts';
import { ProjectQuarantinedError } from './temporary.ts';

let database: TestDatabase;
let log: TestLog;
const closers: (() => Promise<unknown>)[] = [];
beforeEach(async () => {
  [database, log] = await Promise.all([testDatabase(projectionsTemplate), createTalliesLog()]);
});
afterEach(async () => {
  for (const close of closers.splice(0).reverse()) await close();
  await database.close();
});

const of = (projectId: string) => ({ record: createRecord(log.store, { ...testMetadata, projectId }) });

function startReacting(fail: (event: Recorded) => void) {
  const acted: string[] = [];
  const react = async (event: Recorded) => {
    fail(event);
    acted.push(`${event.metadata.projectId} ${event.data.name}`);
  };
  const listener = createListener(database.url, { name: 'test-listener', logger });
  closers.push(() => listener.close());
  const parts = { store: log.store, pool: database.pool, listener, logger, retryPauseMs: 5 };
  const end = runUntilEnded((signal) => runReactor(parts, { name: 'emails', react }, signal));
  closers.push(end);
  return { acted, end };
}

const quarantined = async () =>
  (await listQuarantined(database.pool)).map(({ subscriber, projectId, position }) => [
    subscriber,
    projectId,
    position,
  ]);

async function checkpoint(): Promise<bigint> {
  const { rows } = await database.pool.query<{ position: string }>('select position from readmodel.subscriptions');
  return BigInt(rows[0]?.position ?? -1);
}

/** An event of `shop` between events of both projects. @returns its position */
async function recordFault(): Promise<bigint> {
  const [shop, bank] = [of('shop'), of('bank')];
  await create(shop, 1, 'Ann');
  await create(bank, 2, 'Bob');
  const faulty = await rename(shop, 1, 'fault');
  await rename(bank, 2, 'Ben');
  await rename(shop, 1, 'waits');
  return faulty;
}

const rejectFault = ({ data }: Recorded) => {
  if (data.name === 'fault') throw new Error('this name is too much');
};

test('projects that are tried again do not hold up others until all of them have been', async () => {
  const faulty = Array.from({ length: 25 }, (_, nth) => `shop-${nth}`);
  for (const [nth, projectId] of faulty.entries()) await create(of(projectId), nth + 1, 'Ann');
  let isBroken = true;
  const acted: string[] = [];
  const react = async ({ metadata: { projectId } }: Recorded) => {
    if (isBroken) throw new ProjectQuarantinedError(projectId);
    if (projectId !== 'bank') await pause(100);
    acted.push(projectId);
  };
  const parts = { store: log.store, pool: database.pool, logger, retryPauseMs: 5 };
  closers.push(runUntilEnded((signal) => runReactor(parts, { name: 'emails', react }, signal)));
  await expect.poll(async () => (await quarantined()).length, { timeout: pollDeadlineMs }).toBe(faulty.length);
  isBroken = false;
  await requestRelease(database.pool, {});
  await expect.poll(() => acted.length, { timeout: pollDeadlineMs }).toBeGreaterThan(0);
  await create(of('bank'), 100, 'Bob');
  await expect.poll(() => acted.length, { timeout: pollDeadlineMs }).toBe(faulty.length + 1);
  expect(acted.indexOf('bank')).toBeLessThan(faulty.length);
  expect(new Set(acted)).toEqual(new Set([...faulty, 'bank']));
});

test('repeated failures at one event quarantine its project only, and a release continues in order', async () => {
  const faulty = await recordFault();
  let isBroken = true;
  const { acted } = startReacting((event) => isBroken && rejectFault(event));
  await expect.poll(quarantined).toEqual([['emails', 'shop', faulty]]);
  await expect.poll(() => acted).toEqual(['shop Ann', 'bank Bob', 'bank Ben']);
  const [{ error, retryAt } = {}] = await listQuarantined(database.pool);
  expect(error).toContain('this name is too much');
  expect(retryAt?.getTime()).toBeGreaterThan(Date.now() + 30_000);

  await requestRelease(database.pool, { projectId: 'shop' });
  await expect.poll(async () => (await listQuarantined(database.pool))[0]?.failures).toBe(2);
  isBroken = false;
  await requestRelease(database.pool, { projectId: 'shop' });
  await expect.poll(quarantined).toEqual([]);
  await rename(of('shop'), 3, 'later');
  await expect.poll(() => acted.slice(3)).toEqual(['shop fault', 'shop waits', 'shop later']);
});

test('a released project catches up with hundreds of events at once', async () => {
  const faulty = await recordFault();
  let isBroken = true;
  const { acted } = startReacting((event) => isBroken && rejectFault(event));
  await expect.poll(quarantined).toEqual([['emails', 'shop', faulty]]);
  for (let nth = 0; nth < 300; nth += 1) await create(of('shop'), 10 + nth, `waiting ${nth}`);
  const last = await create(of('bank'), 3, 'Cleo');
  await expect.poll(() => acted.at(-1)).toBe('bank Cleo');
  await expect.poll(checkpoint).toBe(last);
  isBroken = false;
  await requestRelease(database.pool, { projectId: 'shop' });
  await expect.poll(quarantined, { timeout: 5_000 }).toEqual([]);
  expect(acted.at(-1)).toBe('shop waiting 299');
});

test('an unreadable event quarantines its project at once, and newer code continues with it', async () => {
  const faulty = await recordFault();
  let attempts = 0;
  const { acted, end } = startReacting((event) => {
    if (event.data.name !== 'fault') return;
    attempts += 1;
    throw new UnreadableEventError(event, 'cannot be decrypted');
  });
  await expect.poll(quarantined).toEqual([['emails', 'shop', faulty]]);
  expect(attempts).toBe(1);
  await expect.poll(() => acted).toEqual(['shop Ann', 'bank Bob', 'bank Ben']);
  await end();
  const newer = startReacting(() => undefined);
  await expect.poll(() => newer.acted).toEqual(['shop fault', 'shop waits']);
  await expect.poll(quarantined).toEqual([]);
});

test('a temporary failure quarantines nothing, however long it takes', async () => {
  await recordFault();
  let attempts = 0;
  const { acted } = startReacting(({ data }) => {
    if (data.name !== 'fault' || attempts >= 12) return;
    attempts += 1;
    throw Object.assign(new Error('connect ECONNREFUSED 127.0.0.1:6379'), { code: 'ECONNREFUSED' });
  });
  await expect.poll(() => acted).toEqual(['shop Ann', 'bank Bob', 'shop fault', 'bank Ben', 'shop waits']);
  expect(await quarantined()).toEqual([]);
});

test('a slower process that takes a released project for quarantined does not move the checkpoint past its events', async () => {
  const faulty = await recordFault();
  const slow = startReacting(rejectFault);
  await expect.poll(quarantined).toEqual([['emails', 'shop', faulty]]);
  await expect.poll(() => slow.acted.length).toBe(3);
  // Another process releases the project.
  const other = startReacting(() => undefined);
  await expect.poll(quarantined).toEqual([]);
  await other.end();
  const last = await rename(of('shop'), 9, 'fault');
  await expect.poll(quarantined).toEqual([['emails', 'shop', last]]);
});

test('an event that takes long is left when the process stops, and the next process acts on it', async () => {
  const before = await create(of('shop'), 1, 'Ann');
  await create(of('shop'), 2, 'Bob');
  const started = Promise.withResolvers<void>();
  const react = async ({ data }: Recorded, signal = new AbortController().signal) => {
    if (data.name !== 'Bob') return;
    started.resolve();
    await pause(60_000, signal);
    signal.throwIfAborted();
  };
  const stop = new AbortController();
  const parts = { store: log.store, pool: database.pool, logger, retryPauseMs: 5 };
  const running = runReactor(parts, { name: 'emails', react }, stop.signal);
  await started.promise;
  stop.abort();
  await running;
  expect(await quarantined()).toEqual([]);
  expect(await checkpoint()).toBe(before);
  const { acted } = startReacting(() => undefined);
  await expect.poll(() => acted).toEqual(['shop Bob']);
});
