import type { Recorded } from '@gatebook/domain/event';
import { LostKeyError } from '@gatebook/eventlog/stored-event';
import type { Pool, PoolClient } from '@gatebook/runtime/postgres';

/** Announces that a project was quarantined or released, or is to be released. */
export const quarantineChannel = 'gatebook_quarantine';

/** The projects that a subscriber does not follow at the moment. */
export type Quarantine = {
  /** Rises with every change. */
  revision: bigint;
  /** By project: its events after this position wait. */
  waiting: ReadonlyMap<string, bigint>;
};

export function isWaiting({ waiting }: Quarantine, { position, metadata }: Recorded): boolean {
  const after = waiting.get(metadata.projectId);
  return after !== undefined && position > after;
}

/** Why a project is quarantined. `after`: position of the last event in the log before `position`. */
export type Failure = Place & { error: string };
type Place = {
  projectId: string;
  position: bigint;
  after: bigint;
  /** Whether the event cannot be decrypted because the key of a subject is missing. */
  isKeyLost: boolean;
};

/** A row of `readmodel.quarantines`. */
export type Quarantined = Failure & Subscriber & { since: Date; failures: number; retryAt: Date | null };

/** `subscriber`: schema of a projection version, or name of a reactor, which has one shard. */
export type Subscriber = { subscriber: string; shard: number };

/** SQL: `waiting` of a shard of a subscriber as JSON. */
export const waitingJson = (subscriber: string, shard: string) =>
  `(select coalesce(jsonb_object_agg(q.project_id, q.after_position::text), '{}')
    from readmodel.quarantines q where q.subscriber = ${subscriber} and q.shard = ${shard})`;

/** The quarantine of several shards. A project that waits in more than one has the lowest position. */
export function mergeQuarantines(quarantines: readonly Quarantine[]): Quarantine {
  const waiting = new Map<string, bigint>();
  for (const [projectId, after] of quarantines.flatMap((one) => [...one.waiting])) {
    const known = waiting.get(projectId);
    if (known === undefined || after < known) waiting.set(projectId, after);
  }
  return { revision: quarantines.reduce((sum, { revision }) => sum + revision, 0n), waiting };
}

export const toQuarantine = (revision: string, waiting: Readonly<Record<string, string>>): Quarantine => ({
  revision: BigInt(revision),
  waiting: new Map(Object.entries(waiting).map(([projectId, after]) => [projectId, BigInt(after)])),
});

/** `retryMs`: when to try again without being asked; null for never. */
export async function addQuarantined(
  db: Pool | PoolClient,
  { subscriber, shard }: Subscriber,
  failures: readonly Failure[],
  retryMs: number | null,
): Promise<void> {
  await db.query(
    `insert into readmodel.quarantines
       (subscriber, shard, project_id, position, after_position, error, is_key_lost, retry_at)
     select $1, $8, f.*, now() + $7 * interval '1 ms'
     from unnest($2::text[], $3::bigint[], $4::bigint[], $5::text[], $6::boolean[])
       as f (project_id, position, after_position, error, is_key_lost)
     on conflict (subscriber, shard, project_id) do nothing`,
    [
      subscriber,
      failures.map(({ projectId }) => projectId),
      failures.map(({ position }) => position),
      failures.map(({ after }) => after),
      failures.map(({ error }) => error),
      failures.map(({ isKeyLost }) => isKeyLost),
      retryMs,
      shard,
    ],
  );
}

type Row = {
  subscriber: string;
  shard: number;
  project_id: string;
  position: string;
  after_position: string;
  error: string;
  is_key_lost: boolean;
  since: Date;
  failures: number;
  retry_at: Date | null;
};

const toQuarantined = (row: Row): Quarantined => ({
  subscriber: row.subscriber,
  shard: row.shard,
  projectId: row.project_id,
  position: BigInt(row.position),
  after: BigInt(row.after_position),
  error: row.error,
  isKeyLost: row.is_key_lost,
  since: row.since,
  failures: row.failures,
  retryAt: row.retry_at,
});

/** All quarantined projects, or those that one of the subscribers is to try again now. */
export async function listQuarantined(
  db: Pool | PoolClient,
  { dueOf }: { dueOf?: readonly string[] } = {},
): Promise<Quarantined[]> {
  const { rows } = await db.query<Row>(
    `select * from readmodel.quarantines
     where $1::text[] is null or (retry_at <= now() and subscriber = any ($1))
     order by since, subscriber, project_id, shard`,
    [dueOf ?? null],
  );
  return rows.map(toQuarantined);
}

/** Makes every subscriber, or the given ones, try a project again now, or all projects. @returns what is tried again */
export async function requestRelease(
  pool: Pool,
  { projectId, subscribers }: { projectId?: string; subscribers?: readonly string[] },
): Promise<Quarantined[]> {
  const { rows } = await pool.query<Row>(
    `with due as (
       update readmodel.quarantines set retry_at = now()
       where ($1::text is null or project_id = $1) and ($2::text[] is null or subscriber = any ($2))
       returning *)
     select due.*, pg_notify('${quarantineChannel}', project_id) from due order by subscriber, project_id, shard`,
    [projectId ?? null, subscribers ?? null],
  );
  return rows.map(toQuarantined);
}

/** Makes a new projection version with as many shards lack the same events as another. */
export async function copyQuarantined(pool: Pool, from: string, to: string): Promise<void> {
  await pool.query(
    `insert into readmodel.quarantines (subscriber, shard, project_id, position, after_position, error, is_key_lost)
     select $2, shard, project_id, position, after_position, error, is_key_lost
     from readmodel.quarantines where subscriber = $1`,
    [from, to],
  );
}

/** Records that the project failed again, or at a later event. */
export async function keepQuarantined(
  db: Pool | PoolClient,
  { subscriber, shard }: Subscriber,
  { projectId, position, after, error, isKeyLost }: Failure,
  retryMs: number | null,
): Promise<void> {
  await db.query(
    `update readmodel.quarantines
     set position = $3, after_position = $4, error = $5, is_key_lost = $6, failures = failures + 1,
       retry_at = now() + $7 * interval '1 ms'
     where subscriber = $1 and project_id = $2 and shard = $8`,
    [subscriber, projectId, position, after, error, isKeyLost, retryMs, shard],
  );
}

export const messageOf = (error: unknown) => (error instanceof Error ? error.message : String(error));

export const placeOf = ({ metadata, position, unreadable }: Recorded, after: bigint): Place => ({
  projectId: metadata.projectId,
  position,
  after,
  isKeyLost: unreadable instanceof LostKeyError,
});

export const describeFailure = ({ type, position, unreadable }: Recorded, error: unknown) =>
  unreadable ? messageOf(error) : `event ${type} at position ${position} cannot be applied: ${messageOf(error)}`;
