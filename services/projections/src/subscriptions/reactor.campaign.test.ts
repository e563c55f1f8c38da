import type { Recorded } from '@gatebook/domain/event';
import type { EventStore } from '@gatebook/eventlog/port';
import type { Pool } from '@gatebook/runtime/postgres';
import { sized } from '@gatebook/runtime/testing/campaign';
import { type TestDatabase, testDatabase } from '@gatebook/runtime/testing/database';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { migrateProjections } from '../projection-versions.ts';
import { createFaultyPool } from '../testing/faulty-pool.ts';
import { createTalliesLog, recordPeople, rename } from '../testing/tallies.ts';
import { silentLogger as logger, type TestLog } from '../testing/test-log.ts';
import { runReactor } from './reactor.ts';

let database: TestDatabase;
let pool: Pool;
let log: TestLog;
let all: readonly bigint[];
beforeAll(async () => {
  [database, log] = await Promise.all([testDatabase(), createTalliesLog()]);
  ({ pool } = database);
  await migrateProjections(pool);
  await recordPeople(log);
  all = (await log.store.readAll(0n, 1000)).map(({ position }) => position);
});
afterAll(() => database.close());

/** The log in pages of `size`, as it comes when there is little at a time. */
function inPages({ store }: TestLog, size: number): EventStore {
  return {
    ...store,
    subscribe: async function* (after, signal) {
      for await (const batch of store.subscribe(after, signal)) {
        for (let start = 0; start < batch.length && !signal.aborted; start += size) {
          yield batch.slice(start, start + size);
        }
      }
    },
  };
}

/** A process that runs one reactor. What it does outside cannot be taken back by its end. */
function startReacting(name: string, react: (event: Recorded) => Promise<void>, on = { pool, store: inPages(log, 8) }) {
  const stop = new AbortController();
  const ended = runReactor({ ...on, logger }, { name, react }, stop.signal);
  return {
    stop: async () => {
      stop.abort();
      await ended;
    },
  };
}

async function checkpoint(name: string) {
  const { rows } = await pool.query<{
    position: string;
    stopped_error: string | null;
    stopped_position: string | null;
  }>('select position, stopped_error, stopped_position from readmodel.subscriptions where name = $1', [name]);
  return rows[0] ?? { position: '0', stopped_error: null, stopped_position: null };
}

const atHead = (name: string) =>
  expect.poll(async () => (await checkpoint(name)).position, { interval: 10 }).toBe(String(all.at(-1)));

/** Expects all events in order. After a crash, the reactor repeats at most one page. */
function expectNothingMissed(acted: readonly bigint[], page: number): void {
  let furthest = 0n;
  for (const position of acted) {
    expect(position).toBeLessThanOrEqual(furthest + 1n);
    expect(position).toBeGreaterThan(furthest - BigInt(page));
    if (position > furthest) furthest = position;
  }
  expect(furthest).toBe(all.at(-1));
}

test('a reactor that is killed before or after any statement acts on every event in order', async () => {
  for (const moment of ['before', 'after'] as const) {
    for (let at = 1; ; at += sized({ inTest: 3, inCampaign: 1 })) {
      const name = `killed ${moment} ${at}`;
      const acted: bigint[] = [];
      const react = async ({ position }: Recorded) => void acted.push(position);
      const faulty = createFaultyPool(database.url, { at, moment, kills: 'process' });
      const first = startReacting(name, react, { pool: faulty.pool, store: inPages(log, 8) });
      const reachesHead = async () => (await checkpoint(name)).position === String(all.at(-1));
      await expect.poll(async () => faulty.struck.aborted || (await reachesHead()), { interval: 10 }).toBe(true);
      await first.stop();
      await faulty.close();
      const second = startReacting(name, react);
      await atHead(name);
      await second.stop();
      expectNothingMissed(acted, 8);
      if (!faulty.struck.aborted) {
        expect(at).toBeGreaterThan(5);
        expect(acted).toEqual(all);
        break;
      }
    }
  }
});

test('a reactor that is killed between an effect and its checkpoint repeats the effect and loses none', async () => {
  for (const last of all) {
    const name = `between ${last}`;
    const acted: bigint[] = [];
    const killed = createFaultyPool(database.url, null);
    const stop = new AbortController();
    const dying = runReactor(
      { pool: killed.pool, store: inPages(log, 8), logger },
      {
        name,
        react: async ({ position }) => {
          acted.push(position);
          // The effect is there, and nothing of this process comes after it.
          if (position === last) await new Promise(() => undefined);
        },
      },
      stop.signal,
    );
    void dying;
    await expect.poll(() => acted.at(-1), { interval: 5 }).toBe(last);
    await killed.close();
    const second = startReacting(name, async ({ position }) => void acted.push(position));
    await atHead(name);
    await second.stop();
    expectNothingMissed(acted, 8);
    expect(acted.filter((position) => position === last)).toHaveLength(2);
  }
});

test('a failing event is shown and retried until it succeeds, without repeating earlier events', async () => {
  const [name, faulty] = ['failing', all[12] ?? 0n];
  const acted: bigint[] = [];
  await pool.query('insert into readmodel.subscriptions (name, position) values ($1, $2)', [name, all[2]]);
  let isBroken = true;
  const reacting = startReacting(
    name,
    async ({ position }) => {
      acted.push(position);
      if (isBroken && position === faulty) throw new Error('the mail server is away');
    },
    { pool, store: inPages(log, 100) },
  );
  const tries = () => acted.filter((position) => position === faulty).length;
  await expect.poll(tries).toBe(3);
  expect(await checkpoint(name)).toEqual({
    position: String(faulty - 1n),
    stopped_error: 'Error: the mail server is away',
    stopped_position: String(faulty),
  });
  isBroken = false;
  await atHead(name);
  await reacting.stop();
  expect(await checkpoint(name)).toMatchObject({ stopped_error: null, stopped_position: null });
  expect(acted.filter((position) => position !== faulty)).toEqual(
    all.slice(3).filter((position) => position !== faulty),
  );
});

test('a reactor that lost its leadership neither moves the checkpoint back nor records a failure', async () => {
  for (const [name, fails] of [
    ['late', false],
    ['late and failing', true],
  ] as const) {
    let release = () => {};
    const isStandby = new Promise<void>((resolve) => {
      release = resolve;
    });
    let isHolding = false;
    const late = startReacting(name, async () => {
      isHolding = true;
      await isStandby;
      if (fails) throw new Error('late');
    });
    await expect.poll(() => isHolding).toBe(true);
    const leading = startReacting(name, async () => undefined);
    await atHead(name);
    await leading.stop();
    const stopped = late.stop();
    release();
    await stopped;
    expect(await checkpoint(name)).toEqual({
      position: String(all.at(-1)),
      stopped_error: null,
      stopped_position: null,
    });
  }
});

test('the next reactor acts on events that arrived while none was running', async () => {
  const name = 'next';
  const acted: bigint[] = [];
  const react = async ({ position }: Recorded) => void acted.push(position);
  const first = startReacting(name, react);
  await atHead(name);
  await first.stop();
  const position = await rename(log, 1, 'between');
  all = [...all, position];
  const second = startReacting(name, react);
  await atHead(name);
  await second.stop();
  expect(acted).toEqual(all);
});
