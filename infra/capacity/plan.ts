import {
  type CostTable,
  kinds,
  type Load,
  type Outcome,
  offeredLoad,
  type Setup,
  type StationName,
  simulate,
  stationNames,
  type Utilization,
} from './model.ts';

/** What users do on average, and how much more at the busiest time. */
export const behavior = {
  activePerDay: 0.1,
  peakFactor: 4,
  /** Per active user and day. */
  requests: { read: 40, refresh: 10, list: 0.2, write: 0.5, signIn: 0.3, signUp: 0.01 } satisfies Load,
};

const secondsPerDay = 86_400;
const maxUtilization = 0.7;
/** In ms. */
const limits: Load = { read: 100, refresh: 100, list: 250, write: 250, signIn: 1_000, signUp: 1_000 };

/** Requests per second of this many registered users at the busiest time. */
export function peakLoad(users: number): Load {
  const { activePerDay, peakFactor, requests } = behavior;
  const perSecond = (users * activePerDay * peakFactor) / secondsPerDay;
  return Object.fromEntries(kinds.map((kind) => [kind, requests[kind] * perSecond])) as Load;
}

/** No station is too busy, and percentiles are in their limits. */
export function isEnough({ utilization, p99 }: Outcome): boolean {
  return (
    stationNames.every((name) => utilization[name] <= maxUtilization) &&
    kinds.every((kind) => Number.isNaN(p99[kind]) || p99[kind] <= limits[kind])
  );
}

/** The most users that a setup serves, to two digits. `cores`: if all of it shares one machine. */
export function findLimit(costs: CostTable, setup: Setup, cores: number | null = null): number {
  const fits = (users: number) => {
    const load = peakLoad(users);
    if (cores !== null && cpuPerSecond(costs, load) / 1000 > cores * maxUtilization) return false;
    if (Math.max(...Object.values(offeredLoad(costs, load, setup))) > maxUtilization) return false;
    return isEnough(simulate(costs, load, setup));
  };
  let [low, high] = [0, 1_000];
  while (fits(high)) [low, high] = [high, high * 2];
  while (high - low > high / 100) {
    const middle = (low + high) / 2;
    if (fits(middle)) low = middle;
    else high = middle;
  }
  return Number(low.toPrecision(2));
}

/** CPU in ms that a load needs in a second, wherever it runs. */
export function cpuPerSecond({ work, projectedEventMs, emailMs }: CostTable, load: Load): number {
  return kinds.reduce((sum, kind) => {
    const { apiMs, postgresMs, hashMs, events, emails } = work[kind];
    return sum + load[kind] * (apiMs + postgresMs + hashMs + events * projectedEventMs + emails * emailMs);
  }, 0);
}

const additions: Readonly<Record<StationName, (setup: Setup) => Setup>> = {
  API: (setup) => ({ ...setup, apiProcesses: setup.apiProcesses + 1 }),
  hashing: (setup) => ({ ...setup, hashThreads: setup.hashThreads + 1 }),
  Postgres: (setup) =>
    setup.replicaCores === 0
      ? { ...setup, replicaCores: setup.postgresCores }
      : { ...setup, postgresCores: setup.postgresCores + 2 },
  replica: (setup) => ({ ...setup, replicaCores: setup.replicaCores + 2 }),
  // A commit takes all that waits, so more of them do not help: EventStoreDB does.
  log: (setup) => setup,
  projector: (setup) => ({ ...setup, shards: setup.shards + 1 }),
  mail: (setup) => ({ ...setup, mailWorkers: setup.mailWorkers + 1 }),
};

export type Step = { users: number; setup: Setup; outcome: Outcome; bottleneck: StationName; isEnough: boolean };

const maxAdditions = 1_000;
const maxSimulations = 20;

/** For each number of users, the setup that follows from the last one by adding to the busiest station. */
export function planGrowth(costs: CostTable, sizes: readonly number[], first: Setup): Step[] {
  let setup = first;
  return sizes.map((users) => {
    const load = peakLoad(users);
    for (let n = 0; n < maxAdditions; n += 1) {
      const offered = offeredLoad(costs, load, setup);
      if (offered[busiest(offered)] <= maxUtilization) break;
      setup = additions[busiest(offered)](setup);
    }
    let outcome = simulate(costs, load, setup);
    for (let n = 0; n < maxSimulations && !isEnough(outcome); n += 1) {
      setup = additions[busiest(outcome.utilization)](setup);
      outcome = simulate(costs, load, setup);
    }
    return { users, setup, outcome, bottleneck: busiest(outcome.utilization), isEnough: isEnough(outcome) };
  });
}

export const busiest = (utilization: Utilization): StationName =>
  stationNames.toSorted((a, b) => utilization[b] - utilization[a])[0] ?? 'API';
