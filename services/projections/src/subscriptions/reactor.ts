import type { Recorded } from '@gatebook/domain/event';
import type { EventStore } from '@gatebook/eventlog/port';
import type { Logger } from '@gatebook/runtime/logger';
import { pause } from '@gatebook/runtime/pause';
import type { Pool } from '@gatebook/runtime/postgres';

export type Reactor = {
  name: string;
  /** Acts on one event. It may be called again for the same event after a crash, so acting twice must do no harm. */
  react: (event: Recorded) => Promise<void>;
};

const retryPauseMs = 1000;

/**
 * Calls a reactor for every event of the log, in order, from its own checkpoint. A failure is shown in
 * `readmodel.subscriptions` and tried again; no event is skipped.
 */
export async function runReactor(
  { store, pool, logger }: { store: EventStore; pool: Pool; logger: Logger },
  reactor: Reactor,
  signal: AbortSignal,
): Promise<void> {
  while (!signal.aborted) {
    try {
      let position = await readPosition(pool, reactor.name);
      for await (const batch of store.subscribe(position, signal)) {
        for (const event of batch) {
          await react(pool, reactor, event, position);
          position = event.position;
          if (signal.aborted) break;
        }
        await savePosition(pool, reactor.name, position);
      }
    } catch (error) {
      logger.error({ err: error, reactor: reactor.name }, 'reactor failed, retrying');
      await pause(retryPauseMs, signal);
    }
  }
}

/**
 * Saves the progress before a failure, so that earlier events are not repeated on each attempt. `acted`: position of
 * the last event that succeeded.
 */
async function react(pool: Pool, { name, react: act }: Reactor, event: Recorded, acted: bigint): Promise<void> {
  try {
    await act(event);
  } catch (error) {
    await pool.query(
      `insert into readmodel.subscriptions as f (name, position, stopped_error, stopped_position) values ($1, $2, $3, $4)
       on conflict (name) do update set position = excluded.position, updated_at = now(),
         stopped_error = excluded.stopped_error, stopped_position = excluded.stopped_position
       where f.position <= excluded.position`,
      [name, acted, String(error), event.position],
    );
    throw error;
  }
}

async function readPosition(pool: Pool, name: string): Promise<bigint> {
  const { rows } = await pool.query<{ position: string }>(
    'select position from readmodel.subscriptions where name = $1',
    [name],
  );
  return BigInt(rows[0]?.position ?? 0);
}

/** A slower process, such as one that lost its leadership, never moves the checkpoint back. */
async function savePosition(pool: Pool, name: string, position: bigint): Promise<void> {
  // Losing the last checkpoint only repeats an effect, which reactors tolerate, so the commit need not reach the disk.
  await pool.query(
    `with lazily as materialized (select set_config('synchronous_commit', 'off', true))
     insert into readmodel.subscriptions as f (name, position) select $1, $2 from lazily on conflict (name) do update
     set position = excluded.position, stopped_error = null, stopped_position = null, updated_at = now()
     where f.position <= excluded.position`,
    [name, position],
  );
}
