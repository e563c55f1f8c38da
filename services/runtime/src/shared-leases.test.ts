import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest';
import { createLogger } from './logger.ts';
import { createSharedLeases, type SharedLeases } from './shared-leases.ts';
import { type TestDatabase, testDatabase } from './testing/database.ts';

const logger = createLogger({ level: 'silent' });
let database: TestDatabase;
beforeAll(async () => {
  database = await testDatabase();
});
afterAll(() => database.close());

type Holder = SharedLeases & { stop(): Promise<void> };

function startHolder(name: string, count: number): Holder {
  const stopping = new AbortController();
  const leases = createSharedLeases({ url: database.url, name, count, logger });
  const ended = leases.hold(stopping.signal);
  const stop = async () => {
    stopping.abort();
    await ended;
  };
  onTestFinished(stop);
  return { ...leases, stop };
}

const heldBy = (...holders: readonly Holder[]) => holders.map(({ held }) => held().size);
const all = (...holders: readonly Holder[]) => holders.flatMap(({ held }) => [...held().keys()]).toSorted();

test('processes divide leases evenly, and each lease has one holder', async () => {
  const first = startHolder('divided', 5);
  await expect.poll(() => all(first)).toEqual([0, 1, 2, 3, 4]);
  const given = first.held();
  const second = startHolder('divided', 5);
  await expect.poll(() => heldBy(first, second)).toEqual([3, 2]);
  expect(all(first, second)).toEqual([0, 1, 2, 3, 4]);
  expect([...given].filter(([, signal]) => signal.aborted)).toHaveLength(2);
  await second.stop();
  await expect.poll(() => heldBy(first, second)).toEqual([5, 0]);
});

test('the others take over the leases of a process that loses its connection', async () => {
  const [first, second] = [startHolder('lost', 4), startHolder('lost', 4)];
  await expect.poll(() => heldBy(first, second)).toEqual([2, 2]);
  const before = first.held();
  await database.pool.query(
    `select pg_terminate_backend(pid) from pg_locks where locktype = 'advisory' and objsubid = 2
       and classid::integer = hashtext('shard of lost') and objid = $1`,
    [[...before.keys()][0]],
  );
  await expect.poll(() => [...before.values()].every(({ aborted }) => aborted)).toBe(true);
  await expect.poll(() => all(first, second)).toEqual([0, 1, 2, 3]);
  await expect.poll(() => heldBy(first, second)).toEqual([2, 2]);
});
