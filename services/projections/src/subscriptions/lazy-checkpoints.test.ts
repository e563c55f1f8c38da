import type { Recorded } from '@gatebook/domain/event';
import { type TestDatabase, testDatabase } from '@gatebook/runtime/testing/database';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { migrateProjections } from '../projection-versions.ts';
import { createFaultyPool, type FaultyPool } from '../testing/faulty-pool.ts';
import { create, createTalliesLog, personId, rename, talliesEvents } from '../testing/tallies.ts';
import { silentLogger as logger, type TestLog } from '../testing/test-log.ts';
import { runReactor } from './reactor.ts';
import { maxUnsavedEvents, noEffect, type Reactor } from './reactor-parts.ts';

const name = 'lazy';
let database: TestDatabase;
let log: TestLog;
const closers: (() => Promise<unknown>)[] = [];
beforeEach(async () => {
  [database, log] = await Promise.all([testDatabase(), createTalliesLog()]);
  await migrateProjections(database.pool);
});
afterEach(async () => {
  for (const close of closers.splice(0).reverse()) await close();
  await database.close();
});

function startReacting(reactor: Omit<Reactor, 'name'>): FaultyPool & { stop(): Promise<void> } {
  const counting = createFaultyPool(database.url, null);
  const stopping = new AbortController();
  const ended = runReactor({ store: log.store, pool: counting.pool, logger }, { name, ...reactor }, stopping.signal);
  const stop = async () => {
    stopping.abort();
    await ended;
  };
  closers.push(counting.close, stop);
  return { ...counting, stop };
}

async function checkpoint(): Promise<bigint> {
  const { rows } = await database.pool.query<{ position: string }>(
    'select position from readmodel.subscriptions where name = $1',
    [name],
  );
  return BigInt(rows[0]?.position ?? 0);
}
const saves = ({ statements }: FaultyPool) =>
  statements.filter((text) => text.includes('update readmodel.subscriptions')).length;
const isEffective = ({ data }: Recorded) => String(data.name).startsWith('effect');

test('events without effect move the checkpoint with few writes and within seconds, also at the end', async () => {
  const seen: bigint[] = [];
  const reacting = startReacting({
    react: async ({ position }) => {
      seen.push(position);
      return noEffect;
    },
  });
  let last = await create(log, 1);
  for (let n = 1; n <= 20; n += 1) {
    last = await rename(log, 1, `name ${n}`);
    await expect.poll(() => seen.at(-1)).toBe(last);
  }
  await expect.poll(checkpoint).toBe(last);
  expect(saves(reacting)).toBeLessThan(10);
  last = await rename(log, 1, 'at the end');
  await expect.poll(() => seen.at(-1)).toBe(last);
  await reacting.stop();
  expect(await checkpoint()).toBe(last);
});

test('many events without effect move the checkpoint at once', async () => {
  startReacting({ react: async () => noEffect });
  const events = Array.from({ length: maxUnsavedEvents }, () => ({
    type: 'PersonRenamed',
    data: { personId: personId(1), name: 'again' },
  }));
  const position = await log.record('person-many', ...events);
  const start = performance.now();
  await expect.poll(checkpoint, { timeout: 4_000 }).toBe(position);
  expect(performance.now() - start).toBeLessThan(4_000);
});

test('after a crash only events without effect are seen again', async () => {
  const reactInto = (seen: string[]) => async (event: Recorded) => {
    seen.push(String(event.data.name));
    return isEffective(event) ? undefined : noEffect;
  };
  const [before, after]: [string[], string[]] = [[], []];
  const killed = startReacting({ react: reactInto(before) });
  const names = ['a', 'effect 1', 'b', 'c', 'effect 2', 'd', 'e'];
  await create(log, 1, 'first');
  for (const [index, text] of names.entries()) {
    await rename(log, 1, text);
    await expect.poll(() => before).toHaveLength(index + 2);
  }
  await expect.poll(checkpoint).toBe(6n);
  await killed.close();
  closers.splice(0);
  const next = startReacting({ react: reactInto(after) });
  await rename(log, 1, 'effect 3');
  await expect.poll(() => after).toEqual(['d', 'e', 'effect 3']);
  await next.stop();
});

test('a reactor does not get the events that it does not need, and its checkpoint passes them', async () => {
  const seen: string[] = [];
  const types = new Set(Object.keys(talliesEvents).filter((type) => type !== 'PersonAdded'));
  const reacting = startReacting({ unneeded: { types }, react: async ({ type }) => seen.push(type) });
  await create(log, 1);
  for (let n = 1; n <= 20; n += 1) await rename(log, 1, `name ${n}`);
  const last = await log.store.head();
  await expect.poll(checkpoint).toBe(last);
  expect(saves(reacting)).toBeLessThan(5);
  expect(seen).toEqual(['PersonAdded']);
});
