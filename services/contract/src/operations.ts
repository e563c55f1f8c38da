import { z } from 'zod';
import { Problem } from './health.ts';

/** Positions and lags are decimal strings, because they are 64-bit. */
const position = z.string().regex(/^\d+$/);

export const OperationsView = z
  .object({
    head: position,
    subscriptions: z.array(
      z.object({
        name: z.string(),
        /** The live projection version; null for a subscription without tables. */
        projection_version: z.string().nullable(),
        position,
        lag: position,
        state: z.string(),
        error: z.string().nullable(),
      }),
    ),
    projection_versions: z.array(
      z.object({
        group: z.string(),
        id: z.string(),
        version: z.number().int(),
        /** `building`, `standby`, `live` or `previous`; a previous version can be rolled back to. */
        state: z.string(),
        /** Requested by an operator: it waits to be promoted. */
        is_standby: z.boolean(),
        /** Whether it can be promoted: caught up, with all indexes. */
        is_ready: z.boolean(),
        /** Why it stopped following the log. */
        error: z.string().nullable(),
        /** The position of the shard that lags most. */
        position,
        /** Positions of the shards, which project the events of different projects. */
        shards: z.array(position),
        created_at_millis: z.number().int(),
      }),
    ),
    /** Projects whose events wait, because a subscription failed at one of them. */
    quarantines: z.array(
      z.object({
        project_id: z.string(),
        /** Name of a projection group or of a reactor. */
        subscription: z.string(),
        /** Null for a reactor. */
        projection_version: z.string().nullable(),
        /** The event that failed. */
        position,
        error: z.string(),
        since_millis: z.number().int(),
        /** When it is retried automatically. */
        retry_at_millis: z.number().int().nullable(),
      }),
    ),
    /** The latest consistency checks, one per projection group and kind. */
    checks: z.array(
      z.object({
        group: z.string(),
        projection_version: z.string(),
        position,
        /** `sample`: in the background; `verify`: every row of a group or a table; `repair`: what was repaired. */
        kind: z.enum(['sample', 'verify', 'repair']),
        checked_at_millis: z.number().int(),
        took_millis: z.number().int(),
        rows_checked: z.number().int(),
        /** Tables whose rows do not match their checksum. */
        checksums_off: z.array(z.string()),
        /** Number of rows that differ from the log; for a repair, the number of repaired rows. */
        differing: z.number().int(),
        /** The first of these rows: only in the log, only in the table, or different in these columns. */
        differences: z.array(
          z.object({
            table: z.string(),
            key: z.record(z.string(), z.string()),
            kind: z.enum(['missing', 'surplus', 'changed']),
            columns: z.array(z.string()),
          }),
        ),
      }),
    ),
    /** As in `/health/ready`. */
    problems: z.array(Problem),
    /** `adapter`: where the log is stored. `fell_back_at_millis`: when it was last noticed that it had lost events. */
    log: z.object({ adapter: z.string(), fell_back_at_millis: z.number().int().nullable() }),
    /** The newest backup of `gatebook backup`. */
    last_backup: z
      .object({ finished_at_millis: z.number().int(), verified_at_millis: z.number().int().nullable() })
      .nullable(),
    /** When old rejections were last deleted; null: never. */
    rejections_expired_at_millis: z.number().int().nullable(),
  })
  .meta({ id: 'Operations' });
export type OperationsView = z.infer<typeof OperationsView>;

/** ID of a projection version, as in `Operations` and in the database. */
export const ProjectionVersionId = z
  .string()
  .max(60)
  .regex(/^[a-z_]{1,40}_g\d{1,18}$/, 'must be the id of a projection version');

export const AskForRebuild = z.strictObject({ group: z.enum(['main', 'metrics', 'audit', 'events']) });

export const ComparisonView = z
  .object({
    live: ProjectionVersionId,
    other: ProjectionVersionId,
    /** Both versions include every event up to this position and none after it. */
    position,
    is_equal: z.boolean(),
    /** Projects that a version does not follow, so their rows can differ. */
    quarantined: z.object({ live: z.array(z.string()), other: z.array(z.string()) }),
    tables: z.array(
      z.object({
        table: z.string(),
        rows_live: z.number().int(),
        rows_other: z.number().int(),
        only_live: z.number().int(),
        only_other: z.number().int(),
        changed: z.number().int(),
        /** Keys of the first differing rows, at most ten; for a changed row, the columns that differ. */
        first: z.array(
          z.object({
            key: z.record(z.string(), z.union([z.string(), z.number()])),
            how: z.enum(['only_live', 'only_other', 'changed']),
            columns: z.array(z.string()),
          }),
        ),
      }),
    ),
  })
  .meta({ id: 'Comparison' });
export type ComparisonView = z.infer<typeof ComparisonView>;

export const QuarantinedProjectId = z.string().min(1).max(100);
