import { percentile } from '../bench/statistics.ts';
import { seededRandom } from '../seed/population.ts';
import { createClock } from './clock.ts';
import { createBatches, createServers, type Station } from './stations.ts';

/** CPU in ms of one request: in the process of the API, in Postgres, and hashing on its own thread. */
export type Work = { apiMs: number; postgresMs: number; hashMs: number; events: number; emails: number };
export const kinds = ['read', 'refresh', 'list', 'write', 'signIn', 'signUp'] as const;
export type Kind = (typeof kinds)[number];
export type CostTable = {
  work: Record<Kind, Work>;
  /** A commit of the log, and what each event adds. */
  commitMs: number;
  eventMs: number;
  /** A batch of a projection until its rows can be read, and what each event adds. */
  batchMs: number;
  projectedEventMs: number;
  emailMs: number;
};
/** Requests per second. */
export type Load = Record<Kind, number>;
export type Setup = {
  apiProcesses: number;
  /** Threads that hash, per API process. */
  hashThreads: number;
  postgresCores: number;
  /** Cores of replicas, which answer reads. */
  replicaCores: number;
  shards: number;
  mailWorkers: number;
};
export const stationNames = ['API', 'hashing', 'Postgres', 'replica', 'log', 'projector', 'mail'] as const;
export type StationName = (typeof stationNames)[number];
export type Utilization = Record<StationName, number>;
export type Outcome = {
  /** Of the busiest station of its name: the share of the time in which it works. */
  utilization: Utilization;
  /** In ms, by kind of request; NaN for a kind without requests. */
  p99: Record<Kind, number>;
};

/** Enough for percentiles, and not more than a few seconds of computing. */
const simulatedRequests = 50_000;
const [shortestMs, longestMs] = [3_000, 120_000];
const warmUp = 0.1;
const isRead = (kind: Kind) => kind === 'read' || kind === 'list' || kind === 'refresh';

/**
 * Simulates requests that arrive at random (a Poisson process). API and Postgres need exponentially distributed times
 * around the measured ones; hashes take equally long. A request goes through hashing, API and Postgres; a write then
 * waits for the commit of the log and for the projection of its shard; emails are sent later.
 */
export function simulate(costs: CostTable, load: Load, setup: Setup, seed = 1): Outcome {
  const perSecond = kinds.reduce((sum, kind) => sum + load[kind], 0);
  const simulatedMs = Math.min(longestMs, Math.max(shortestMs, (simulatedRequests * 1000) / perSecond));
  const clock = createClock();
  const random = seededRandom(seed);
  const exponential = (mean: number) => -Math.log(1 - random()) * mean;
  const many = (count: number, create: () => Station) => Array.from({ length: count }, create);
  const stations: Record<StationName, Station[]> = {
    API: many(setup.apiProcesses, () => createServers(clock, 1)),
    hashing: many(setup.apiProcesses, () => createServers(clock, setup.hashThreads)),
    Postgres: [createServers(clock, setup.postgresCores)],
    replica: setup.replicaCores > 0 ? [createServers(clock, setup.replicaCores)] : [],
    log: [createBatches(clock, costs.commitMs)],
    projector: many(setup.shards, () => createBatches(clock, costs.batchMs)),
    mail: [createServers(clock, setup.mailWorkers)],
  };
  const pick = (list: readonly Station[], n: number): Station => {
    const station = list[n % list.length];
    if (!station) throw new Error('a setup needs at least one of each');
    return station;
  };
  const times = Object.fromEntries(kinds.map((kind) => [kind, [] as number[]])) as Record<Kind, number[]>;

  function request(kind: Kind): void {
    const { apiMs, postgresMs, hashMs, events, emails } = costs.work[kind];
    const [start, process, shard] = [clock.now(), Math.floor(random() * 1e9), Math.floor(random() * 1e9)];
    const finish = (): void => {
      if (start >= warmUp * simulatedMs) times[kind].push(clock.now() - start);
      for (let n = 0; n < emails; n += 1) pick(stations.mail, n).submit(exponential(costs.emailMs), () => undefined);
    };
    const project = () => pick(stations.projector, shard).submit(events * costs.projectedEventMs, finish);
    const commit = () => (events === 0 ? finish() : pick(stations.log, 0).submit(events * costs.eventMs, project));
    const database = isRead(kind) && stations.replica.length > 0 ? stations.replica : stations.Postgres;
    const query = () => pick(database, 0).submit(exponential(postgresMs), commit);
    const answer = () => pick(stations.API, process).submit(exponential(apiMs), query);
    if (hashMs > 0) pick(stations.hashing, process).submit(hashMs, answer);
    else answer();
  }

  for (const kind of kinds) {
    const arrive = (): void => {
      clock.after(exponential(1000 / load[kind]), () => {
        request(kind);
        arrive();
      });
    };
    if (load[kind] > 0) arrive();
  }
  clock.run(simulatedMs);
  const busiest = (list: readonly Station[]) =>
    Math.max(0, ...list.map(({ busyMs, servers }) => busyMs() / (simulatedMs * servers)));
  return {
    utilization: mapOf(stationNames, (name) => busiest(stations[name])),
    p99: mapOf(kinds, (kind) => percentile(times[kind], 0.99)),
  };
}

/** The utilization that follows from load and costs: work per second ÷ servers. Above 1, a setup does not keep up. */
export function offeredLoad(
  { work, eventMs, projectedEventMs, emailMs }: CostTable,
  load: Load,
  setup: Setup,
): Utilization {
  const perSecond = (msOf: (work: Work) => number, of: readonly Kind[] = kinds) =>
    of.reduce((sum, kind) => sum + load[kind] * msOf(work[kind]), 0) / 1000;
  const [reads, writes] = [kinds.filter(isRead), kinds.filter((kind) => !isRead(kind))];
  const { apiProcesses, hashThreads, postgresCores, replicaCores, shards, mailWorkers } = setup;
  const onReplica = perSecond(({ postgresMs }) => postgresMs, reads);
  const onPostgres = perSecond(({ postgresMs }) => postgresMs, writes) + (replicaCores > 0 ? 0 : onReplica);
  return {
    API: perSecond(({ apiMs }) => apiMs) / apiProcesses,
    hashing: perSecond(({ hashMs }) => hashMs) / (apiProcesses * hashThreads),
    Postgres: onPostgres / postgresCores,
    replica: replicaCores > 0 ? onReplica / replicaCores : 0,
    log: perSecond(({ events }) => events * eventMs),
    projector: perSecond(({ events }) => events * projectedEventMs) / shards,
    mail: perSecond(({ emails }) => emails * emailMs) / mailWorkers,
  };
}

function mapOf<Name extends string>(names: readonly Name[], value: (name: Name) => number): Record<Name, number> {
  return Object.fromEntries(names.map((name) => [name, value(name)])) as Record<Name, number>;
}
