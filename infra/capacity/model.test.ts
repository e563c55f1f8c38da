import { describe, expect, test } from 'vitest';
import { createClock } from './clock.ts';
import {
  type CostTable,
  kinds,
  type Load,
  offeredLoad,
  type Setup,
  simulate,
  stationNames,
  type Work,
} from './model.ts';
import { busiest, findLimit, isEnough, peakLoad, planGrowth } from './plan.ts';
import { createBatches, createServers } from './stations.ts';

const none: Work = { apiMs: 0, postgresMs: 0, hashMs: 0, events: 0, emails: 0 };
const costs: CostTable = {
  work: {
    read: { ...none, apiMs: 1, postgresMs: 0.5 },
    refresh: { ...none, apiMs: 1, postgresMs: 0.5 },
    list: { ...none, apiMs: 1, postgresMs: 2 },
    write: { ...none, apiMs: 1, postgresMs: 1, events: 1 },
    signIn: { ...none, apiMs: 1, postgresMs: 1, hashMs: 20, events: 1 },
    signUp: { ...none, apiMs: 1, postgresMs: 2, hashMs: 20, events: 5, emails: 1 },
  },
  commitMs: 2,
  eventMs: 0.1,
  batchMs: 5,
  projectedEventMs: 0.05,
  emailMs: 10,
};
const setup: Setup = { apiProcesses: 1, hashThreads: 1, postgresCores: 1, replicaCores: 0, shards: 1, mailWorkers: 1 };
const quiet = Object.fromEntries(kinds.map((kind) => [kind, 0])) as Load;

test('jobs run in the order of their times, and those of one time in the order of asking', () => {
  const clock = createClock();
  const ran: string[] = [];
  for (const [ms, name] of [
    [3, 'c'],
    [1, 'a'],
    [3, 'd'],
    [2, 'b'],
    [9, 'late'],
  ] as const) {
    clock.after(ms, () => ran.push(`${name}${clock.now()}`));
  }
  clock.run(5);
  expect(ran).toEqual(['a1', 'b2', 'c3', 'd3']);
  expect(clock.now()).toBe(5);
});

describe('stations', () => {
  test('servers work on as many jobs at once as there are servers', () => {
    const clock = createClock();
    const station = createServers(clock, 2);
    const done: number[] = [];
    for (let n = 0; n < 4; n += 1) station.submit(10, () => done.push(clock.now()));
    clock.run(100);
    expect(done).toEqual([10, 10, 20, 20]);
    expect(station.busyMs()).toBe(40);
  });

  test('a batch takes everything that waits', () => {
    const clock = createClock();
    const station = createBatches(clock, 5);
    const done: number[] = [];
    for (let n = 0; n < 4; n += 1) station.submit(1, () => done.push(clock.now()));
    clock.run(100);
    expect(done).toEqual([6, 14, 14, 14]);
    expect(station.busyMs()).toBe(4);
  });
});

describe('a simulation', () => {
  test('has the waiting times of an M/M/1 queue', () => {
    const reads = { ...costs, work: { ...costs.work, read: { ...none, apiMs: 1 } } };
    const { utilization, p99 } = simulate(reads, { ...quiet, read: 500 }, setup);
    expect(utilization.API).toBeCloseTo(0.5, 1);
    // The time in an M/M/1 system is exponential with the mean 1 / (1 − ρ): p99 = ln 100 × 2 ms.
    expect(p99.read).toBeGreaterThan(0.9 * Math.log(100) * 2);
    expect(p99.read).toBeLessThan(1.1 * Math.log(100) * 2);
  });

  test('has the utilization that follows from load and costs', () => {
    const load = { read: 300, refresh: 50, list: 20, write: 60, signIn: 10, signUp: 2 };
    const larger = { ...setup, apiProcesses: 2, postgresCores: 2, replicaCores: 1, shards: 2 };
    const [{ utilization }, offered] = [simulate(costs, load, larger), offeredLoad(costs, load, larger)];
    for (const name of stationNames) expect(utilization[name], name).toBeCloseTo(offered[name], 1);
  });

  test('is the same each time with one seed', () => {
    const load = { ...quiet, read: 100, write: 20 };
    expect(simulate(costs, load, setup, 7)).toEqual(simulate(costs, load, setup, 7));
    expect(simulate(costs, load, setup, 7)).not.toEqual(simulate(costs, load, setup, 8));
  });

  test('a write waits for commit and projection, a read does not', () => {
    const { p99 } = simulate(costs, { ...quiet, read: 1, write: 1 }, setup);
    expect(p99.write).toBeGreaterThan(costs.commitMs + costs.batchMs);
    expect(p99.read).toBeLessThan(costs.commitMs + costs.batchMs + 3);
  });

  test('group commit and batches keep up with many writes', () => {
    const manyThreads = { ...setup, apiProcesses: 8, postgresCores: 8 };
    const { p99, utilization } = simulate(costs, { ...quiet, write: 1_500 }, manyThreads);
    expect(utilization.log).toBeCloseTo(0.15, 1);
    expect(p99.write).toBeLessThan(100);
  });

  test('a replica answers the reads', () => {
    const load = { ...quiet, read: 500 };
    const { utilization } = simulate(costs, load, { ...setup, replicaCores: 1 });
    expect(utilization.Postgres).toBe(0);
    expect(utilization.replica).toBeCloseTo(0.25, 1);
  });
});

describe('a plan', () => {
  test('adds to the busiest station until the load is served', () => {
    const sizes = [100_000, 10_000_000];
    const [small, large] = planGrowth(costs, sizes, setup);
    expect(small).toMatchObject({ setup, isEnough: true });
    expect(large?.isEnough).toBe(true);
    expect(large?.setup.apiProcesses).toBeGreaterThan(1);
    expect(isEnough(simulate(costs, peakLoad(10_000_000), setup))).toBe(false);
  });

  test('more cores serve more users, until another station is the limit', () => {
    const limits = [2, 4].map((cores) =>
      findLimit(costs, { ...setup, hashThreads: cores, postgresCores: cores }, cores),
    );
    expect(limits[0]).toBeGreaterThan(10_000);
    expect(limits[1]).toBeGreaterThan(limits[0] ?? 0);
    const above = simulate(costs, peakLoad((limits[1] ?? 0) * 2), { ...setup, hashThreads: 4, postgresCores: 4 });
    expect(isEnough(above)).toBe(false);
    expect(busiest(above.utilization)).toBe('API');
  });
});
