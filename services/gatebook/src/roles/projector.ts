import type { EventStore } from '@gatebook/eventlog/port';
import type { ProjectionGroup } from '@gatebook/projections/projection-group';
import { runProjector, runShards } from '@gatebook/projections/run-projector';
import { mainGroup } from '@gatebook/readmodel/projection-groups';
import type { Trace } from '@gatebook/runtime/instruments';
import { silenceMs, takeTurns } from '@gatebook/runtime/leadership';
import type { Listener } from '@gatebook/runtime/listener';
import type { Logger } from '@gatebook/runtime/logger';
import { createPool, type Pool } from '@gatebook/runtime/postgres';
import { createSharedLeases } from '@gatebook/runtime/shared-leases';
import type { Traffic } from '@gatebook/runtime/traffic';
import type { Log } from '../open-log.ts';
import type { Settings } from './settings.ts';

/** And one for each further shard. */
const projectorConnections = 6;

/** Longer than a hanging process can hold a lock: then another session does, and the projection reports it. */
const lockTimeoutMs = 30_000;
/** A leader that hangs in a batch loses its connection, so that the next leader does not wait for its row locks. */
export const projectorSettings = {
  idle_in_transaction_session_timeout: String(silenceMs),
  lock_timeout: String(lockTimeoutMs),
} as const;

type ProjectorParts = {
  group: ProjectionGroup;
  store: EventStore;
  /** Connections with `projectorSettings`. */
  pool: Pool;
  databaseUrl: string;
  listener?: Listener;
  logger: Logger;
  trace?: Trace;
  /** Whether this process is answering requests right now. */
  isBusy?: () => boolean;
};

export type RunningProjector = { isLeading(): boolean; stop(): Promise<void> };

type ProjectorSettings = Pick<Settings, 'databases' | 'logger' | 'instruments' | 'shutdown'>;

/** Projects the main group. `traffic`: the requests that this process answers too. */
export function startProjectorRole(
  { store, listener }: Pick<Log, 'store'> & Partial<Pick<Log, 'listener'>>,
  { databases: { projector: databaseUrl }, logger, instruments, shutdown }: ProjectorSettings,
  { traffic, shards = 1 }: { traffic?: Traffic | undefined; shards?: number } = {},
): RunningProjector {
  const pool = createPool(databaseUrl, {
    max: projectorConnections + shards - 1,
    name: 'gatebook projector',
    settings: projectorSettings,
    isForLongWork: true,
  });
  shutdown.add('projecting connections', () => pool.end());
  const projector = startProjector({
    group: { ...mainGroup, shards },
    store,
    ...(listener && { listener }),
    pool,
    databaseUrl,
    logger: logger.child({ component: 'projector' }),
    trace: instruments.trace,
    ...(traffic && { isBusy: traffic.isBusy }),
  });
  shutdown.add('projector', () => projector.stop());
  return projector;
}

/**
 * Keeps the tables of a group at the head of the log. Of all processes one leads: it builds projection versions, and
 * follows the log if there is one shard. Several shards are divided among all processes.
 */
export function startProjector({ databaseUrl, ...parts }: ProjectorParts): RunningProjector {
  const { logger, group } = parts;
  const stopping = new AbortController();
  let isLeading = false;
  const isShared = (group.shards ?? 1) > 1;
  const leading = takeTurns(
    { url: databaseUrl, name: 'projector', logger },
    async (signal) => {
      isLeading = true;
      try {
        await runProjector({ ...parts, ...(isShared && { leases: noLeases }) }, signal);
      } finally {
        isLeading = false;
      }
    },
    stopping.signal,
  );
  const ended = Promise.all([leading, isShared && followLeased({ databaseUrl, ...parts }, stopping.signal)]);
  return {
    isLeading: () => isLeading,
    stop: async () => {
      stopping.abort();
      await ended;
    },
  };
}

const noLeases = () => new Map<number, AbortSignal>();

async function followLeased({ databaseUrl: url, ...parts }: ProjectorParts, signal: AbortSignal): Promise<void> {
  const { group, logger } = parts;
  const leases = createSharedLeases({ url, name: 'projector', count: group.shards ?? 1, logger });
  await Promise.all([leases.hold(signal), runShards({ ...parts, leases: leases.held }, signal)]);
}
