import type { EventStore } from '@gatebook/eventlog/port';
import { pause } from '@gatebook/runtime/pause';
import { sized } from '@gatebook/runtime/testing/campaign';
import { type TestDatabase, testDatabase } from '@gatebook/runtime/testing/database';
import fc from 'fast-check';
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { ProjectionGroup } from './projection-group.ts';
import { listProjectionVersions, migrateProjections } from './projection-versions.ts';
import { runProjector } from './run-projector.ts';
import { createFaultyPool, type Fault } from './testing/faulty-pool.ts';
import {
  cleanPass,
  create,
  createTalliesLog,
  erase,
  liveOf,
  rename,
  rowsIn,
  talliesGroup,
  wrongChecksums,
} from './testing/tallies.ts';
import { silentLogger as logger, type TestLog } from './testing/test-log.ts';

const seed = 20260122;

let database: TestDatabase;
beforeAll(async () => {
  database = await testDatabase();
  await migrateProjections(database.pool);
});
afterAll(() => database.close());

/** Pages of the sizes given, over and over, whatever the reader asks for. */
function inPages(store: EventStore, sizes: readonly number[]): EventStore {
  let turn = 0;
  const nextSize = () => {
    turn += 1;
    return sizes[turn % sizes.length] ?? 1;
  };
  return {
    ...store,
    readAll: (after, limit) => store.readAll(after, Math.min(limit, nextSize())),
    subscribe: async function* (after, signal) {
      for await (const batch of store.subscribe(after, signal)) {
        for (let start = 0; start < batch.length && !signal.aborted; ) {
          const size = nextSize();
          yield batch.slice(start, start + size);
          start += size;
        }
      }
    },
  };
}

type Place = { sizes: readonly number[]; faults: readonly Fault[] };

/** A place where a projector runs: one process after the other, each with the next fault, at last one without. */
function keepProjecting(log: TestLog, group: ProjectionGroup, { sizes, faults }: Place) {
  const stop = new AbortController();
  let strikes = 0;
  async function live(fault: Fault | null): Promise<void> {
    const faulty = createFaultyPool(database.url, fault);
    const isOver = AbortSignal.any([stop.signal, ...(fault?.kills === 'process' ? [faulty.struck] : [])]);
    await runProjector({ store: inPages(log.store, sizes), pool: faulty.pool, group, logger }, isOver);
    await faulty.close();
    if (faulty.struck.aborted) strikes += 1;
  }
  const ended = (async () => {
    for (const fault of [...faults, null]) if (!stop.signal.aborted) await live(fault);
  })();
  return {
    stop: async () => {
      stop.abort();
      await ended;
      return strikes;
    },
  };
}

const fault: fc.Arbitrary<Fault> = fc.record({
  at: fc.integer({ min: 1, max: 70 }),
  moment: fc.constantFrom('before', 'after'),
  // A projector that only loses a connection pauses for half a second before it resumes.
  kills: fc.constantFrom('process', 'process', 'process', 'connection'),
});
const place: fc.Arbitrary<Place> = fc.record({
  sizes: fc.array(fc.integer({ min: 1, max: 25 }), { minLength: 1, maxLength: 6 }),
  faults: fc.array(fault, { minLength: 1, maxLength: 5 }),
});
const append = fc.record({
  person: fc.integer({ min: 1, max: 5 }),
  kind: fc.constantFrom('create', 'rename', 'rename', 'rename', 'erase'),
  /** Whether to project all existing events first. */
  waits: fc.integer({ min: 0, max: 9 }).map((n) => n === 0),
});

const numRuns = sized({ inTest: 3, inCampaign: 24 });
let runs = 0;
test(`two projectors with any batch sizes, crashes and interleavings produce the rows of one clean pass (seed ${seed})`, async () => {
  let strikes = 0;
  await fc.assert(
    fc.asyncProperty(
      fc.array(append, { minLength: 20, maxLength: 120 }),
      fc.tuple(place, place),
      fc.constantFrom(1, 3),
      async (appends, places, shards) => {
        runs += 1;
        const group = talliesGroup(`run${runs}`, 1, shards);
        const log = await createTalliesLog();
        const projecting = places.map((at) => keepProjecting(log, group, at));
        const position = async () => (await liveOf(database.pool, group.name))?.position ?? 0n;
        const atHead = async () => expect.poll(position, { interval: 15 }).toBe(await log.store.head());
        for (const { person, kind, waits } of appends) {
          await { create, erase, rename: (to: TestLog, n: number) => rename(to, n, `name ${n}`) }[kind](log, person);
          if (waits) await atHead();
          else await pause(1);
        }
        await atHead();
        const projectionVersions = await listProjectionVersions(database.pool, group.name);
        expect(projectionVersions.map(({ status, stopped }) => ({ status, stopped }))).toEqual([
          { status: 'live', stopped: null },
        ]);
        const sums = async () =>
          (
            await Promise.all(
              projectionVersions.map((projectionVersion) => wrongChecksums(database.pool, projectionVersion)),
            )
          ).flat();
        await expect.poll(sums, { interval: 25 }).toEqual([]);
        for (const { stop } of projecting) strikes += await stop();
        const rows = await rowsIn(database.pool, group, projectionVersions[0]?.schema ?? '');
        expect(rows).toEqual(await cleanPass(database.pool, log, group));
      },
    ),
    { seed, numRuns },
  );
  expect(strikes).toBeGreaterThan(numRuns);
});
