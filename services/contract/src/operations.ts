import { z } from 'zod';

/** Positions and lags are decimal texts: they are 64-bit. */
const position = z.string().regex(/^\d+$/);

export const OperationsView = z
  .object({
    head: position,
    subscriptions: z.array(
      z.object({
        name: z.string(),
        /** The projection version that is read; null for a subscription that makes no tables. */
        projectionVersion: z.string().nullable(),
        position,
        lag: position,
        state: z.string(),
        error: z.string().nullable(),
      }),
    ),
    projectionVersions: z.array(
      z.object({
        set: z.string(),
        id: z.string(),
        version: z.number().int(),
        /** `building`, `live`, or `previous`: kept to switch back to. */
        state: z.string(),
        /** Asked for by an operator: it waits to be switched to. */
        is_standby: z.boolean(),
        /** Whether it can be read: caught up, with all its indexes. */
        is_ready: z.boolean(),
        /** Why it does not follow the log any more. */
        error: z.string().nullable(),
        position,
        created_at_millis: z.number().int(),
      }),
    ),
    /** Of each set, the newest time of each kind that its rows were held against the log. */
    checks: z.array(
      z.object({
        set: z.string(),
        projectionVersion: z.string(),
        position,
        /** `sample`: in the background; `verify`: every row of a set or a table; `repair`: what was repaired. */
        kind: z.enum(['sample', 'verify', 'repair']),
        checked_at_millis: z.number().int(),
        took_millis: z.number().int(),
        rows_checked: z.number().int(),
        /** Tables whose rows do not add up to their checksum. */
        checksums_off: z.array(z.string()),
        /** How many rows are not what the log says; of a repair, how many were repaired. */
        differing: z.number().int(),
        /** The first of them: in the log alone, in the table alone, or other in these columns. */
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
    /** `adapter`: where the log lies. */
    log: z.object({ adapter: z.string() }),
  })
  .meta({ id: 'Operations' });
export type OperationsView = z.infer<typeof OperationsView>;

/** As projection versions are called in `Operations`, and in the database. */
export const ProjectionVersionId = z
  .string()
  .max(60)
  .regex(/^[a-z_]{1,40}_g\d{1,18}$/, 'must be the id of a projection version');

export const AskForRebuild = z.strictObject({ set: z.enum(['main', 'metrics']) });

export const ComparisonView = z
  .object({
    live: ProjectionVersionId,
    other: ProjectionVersionId,
    /** Both hold every event up to here, and none after it. */
    position,
    is_equal: z.boolean(),
    tables: z.array(
      z.object({
        table: z.string(),
        rows_live: z.number().int(),
        rows_other: z.number().int(),
        only_live: z.number().int(),
        only_other: z.number().int(),
        changed: z.number().int(),
        /** The first differing rows by their keys, ten at most; of a changed row, the columns that differ. */
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
