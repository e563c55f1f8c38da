import type { EventStore } from '@gatebook/eventlog/port';
import type { Logger } from '@gatebook/runtime/logger';
import { pause } from '@gatebook/runtime/pause';
import {
  appendsBlocked,
  databaseReadOnly,
  databaseUnavailable,
  historyProblems,
  type LeaderName,
  type LogHistory,
  logUnavailable,
  missingLeaders,
  type Problem,
  quarantineProblems,
  subscriptionProblems,
} from './problems.ts';
import type { OperationsStatus } from './queries.ts';

export type Readiness = {
  isReady: boolean;
  database: 'ok' | 'failed';
  log: 'ok' | 'failed';
  readModels: 'ok' | 'stalled' | 'failed';
  /** Number of events that the read models are behind the log; null if unknown. */
  lag: number | null;
  /** Milliseconds since the oldest event that the read models lack was committed; null if unknown. */
  oldestUnprojectedMs: number | null;
  problems: readonly Problem[];
  /** Empty if the database does not respond. */
  subscriptions: readonly SubscriptionLag[];
  /** Leaders that hold their lock; null if unknown. */
  leaders: readonly string[] | null;
  /** Number of projects whose events wait in a live projection or a reactor; null if unknown. */
  quarantinedProjects: number | null;
  /** Null if unknown. */
  history: LogHistory | null;
};

export type SubscriptionLag = {
  /** Name of a projection group or of a reactor. */
  name: string;
  kind: 'projection' | 'reactor';
  isStopped: boolean;
  /** Number of events behind the log; null if unknown. */
  lag: number | null;
  /** Milliseconds since the oldest event that it has not processed was committed; null if unknown. */
  oldestMs: number | null;
};

export type HealthParts = {
  operations(): Promise<OperationsStatus>;
  store: Pick<EventStore, 'head' | 'readAll' | 'checkAppends'>;
  findHistory(): Promise<LogHistory>;
  logger: Logger;
  /** Leaders that must be running, in this process or another. */
  neededLeaders: readonly LeaderName[];
  /** Projection groups that must exist. */
  groupNames: readonly string[];
  /** Problems of the queues, within the time of a check. */
  findQueueProblems?(): Promise<readonly Problem[]>;
};

/** Health checks give up waiting after this time. */
const probeMs = 1_000;
/** A standby process takes over from a leader that has ended within this time. */
const handOverMs = 700;

/** @throws Error if `work` takes longer than `probeMs` */
export async function bounded<T>(work: Promise<T>): Promise<T> {
  const ended = new AbortController();
  const late = pause(probeMs, ended.signal).then(() => {
    throw new Error(`no response within ${probeMs} ms`);
  });
  late.catch(() => undefined);
  return Promise.race([work, late]).finally(() => ended.abort());
}

/** Checks the database, the log, appends, leaders, and whether every subscription follows the log. */
export async function checkReadiness(parts: HealthParts): Promise<Readiness> {
  const {
    operations,
    store,
    findHistory,
    logger,
    neededLeaders,
    groupNames,
    findQueueProblems = async () => [],
  } = parts;
  const [status, history] = await Promise.allSettled([
    bounded(operationsOnceLed(operations, neededLeaders)),
    bounded(findHistory()),
  ]);
  // Read the head last, so that no position is above it.
  const [head, appends, queues] = await Promise.allSettled([
    bounded(store.head()),
    bounded(store.checkAppends(probeMs / 2)),
    findQueueProblems(),
  ]);
  for (const result of [status, history, head, appends, queues]) {
    if (result.status === 'rejected') logger.warn({ err: result.reason }, 'readiness check failed');
  }
  const isDatabaseUp = status.status === 'fulfilled';
  const isLogUp = head.status === 'fulfilled';
  const ages = isDatabaseUp && isLogUp ? await agesOf(parts, status.value, head.value) : null;
  const subscriptions = (isDatabaseUp ? status.value.subscriptions : []).map(
    ({ name, projectionVersion, state, position }): SubscriptionLag => ({
      name,
      kind: projectionVersion === null ? 'reactor' : 'projection',
      isStopped: state === 'stopped',
      lag: isLogUp ? Math.max(0, Number(head.value - position)) : null,
      oldestMs: ages?.get(name) ?? null,
    }),
  );
  const main = subscriptions.find(({ name }) => name === 'main');
  const problems = [
    ...(isDatabaseUp ? [] : [databaseUnavailable]),
    ...(isLogUp ? appendProblems(appends) : [logUnavailable]),
    ...(isDatabaseUp ? missingLeaders(status.value.leaders, neededLeaders) : []),
    ...(isDatabaseUp ? subscriptionProblems(status.value, groupNames, (name) => ages?.get(name) ?? 0) : []),
    ...(isDatabaseUp ? quarantineProblems(status.value) : []),
    ...(isDatabaseUp && history.status === 'fulfilled' ? historyProblems(history.value, status.value.now) : []),
    ...(queues.status === 'fulfilled' ? queues.value : []),
  ];
  const isStalled = problems.some(({ code, part }) => part === 'main' && code !== 'projection_missing');
  return {
    isReady: problems.every(({ severity }) => severity === 'warning'),
    database: isDatabaseUp ? 'ok' : 'failed',
    log: isLogUp ? 'ok' : 'failed',
    readModels: !main ? 'failed' : isStalled ? 'stalled' : 'ok',
    lag: main?.lag ?? null,
    oldestUnprojectedMs: main?.oldestMs ?? null,
    problems,
    subscriptions,
    leaders: isDatabaseUp ? status.value.leaders : null,
    quarantinedProjects: isDatabaseUp ? countQuarantined(status.value) : null,
    history: history.status === 'fulfilled' ? history.value : null,
  };
}

const countQuarantined = ({ quarantines }: OperationsStatus) =>
  new Set(quarantines.filter(({ isLive }) => isLive).map(({ projectId }) => projectId)).size;

/** Looks twice, because for a moment nobody leads while another process takes over. */
async function operationsOnceLed(
  operations: HealthParts['operations'],
  needed: readonly LeaderName[],
): Promise<OperationsStatus> {
  const status = await operations();
  if (missingLeaders(status.leaders, needed).length === 0) return status;
  await pause(handOverMs);
  return operations();
}

function appendProblems(appends: PromiseSettledResult<'ok' | 'blocked' | 'read-only'>): Problem[] {
  if (appends.status === 'rejected') return [logUnavailable];
  if (appends.value === 'blocked') return [appendsBlocked];
  return appends.value === 'read-only' ? [databaseReadOnly] : [];
}

/** By name of the subscription; null if the log does not respond. */
async function agesOf(
  { store, logger }: HealthParts,
  { subscriptions, now }: OperationsStatus,
  head: bigint,
): Promise<ReadonlyMap<string, number> | null> {
  const oldest = new Map<bigint, Promise<number>>();
  const ageAfter = async (position: bigint) => {
    const [event] = await store.readAll(position, 1, { personal: true });
    return event ? Math.max(0, now - Date.parse(event.committedAt)) : 0;
  };
  const age = (position: bigint): Promise<number> => {
    const known = oldest.get(position) ?? (position < head ? ageAfter(position) : Promise.resolve(0));
    oldest.set(position, known);
    return known;
  };
  try {
    return new Map(
      await bounded(Promise.all(subscriptions.map(async ({ name, position }) => [name, await age(position)] as const))),
    );
  } catch (error) {
    logger.warn({ err: error }, 'readiness check failed');
    return null;
  }
}
