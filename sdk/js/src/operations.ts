import type { ComparisonView, OperationsView } from '@gatebook/contract/operations';
import type { Send } from './transport.ts';

export type Subscription = {
  name: string;
  /** Null for a subscription without tables. */
  projectionVersion: string | null;
  position: bigint;
  /** Number of events after its position. */
  lag: bigint;
  state: string;
  error: string | null;
};
export type ProjectionVersion = {
  group: string;
  id: string;
  version: number;
  /** `building`, `live` or `previous`. */
  state: string;
  /** Built on an operator's request and waits to be promoted. */
  isStandby: boolean;
  isReady: boolean;
  /** Why it stopped following the log. */
  error: string | null;
  /** The position of the shard that lags most. */
  position: bigint;
  /** Positions of the shards. */
  shards: readonly bigint[];
  createdAt: Date;
};
export type TableComparison = {
  table: string;
  rowsLive: number;
  rowsOther: number;
  onlyLive: number;
  onlyOther: number;
  changed: number;
  /** At most ten; `columns` are the ones that differ. */
  first: readonly { key: Readonly<Record<string, string | number>>; how: string; columns: readonly string[] }[];
};
export type Comparison = {
  live: string;
  other: string;
  position: bigint;
  isEqual: boolean;
  tables: readonly TableComparison[];
};
/** The result of comparing rows with the log. */
export type ConsistencyCheck = {
  group: string;
  projectionVersion: string;
  position: bigint;
  /** `sample`: in the background; `verify`: every row of a group or a table; `repair`: repaired rows. */
  kind: string;
  checkedAt: Date;
  tookMs: number;
  rowsChecked: number;
  /** Tables whose rows do not match their checksum. */
  checksumsOff: readonly string[];
  /** Number of rows that differ from the log; after a repair, of repaired rows. */
  differing: number;
  /** The first differences: `missing` in the table, `surplus` in it, or `changed` in these columns. */
  differences: readonly {
    table: string;
    key: Readonly<Record<string, string>>;
    kind: string;
    columns: readonly string[];
  }[];
};
/** A project whose events wait, because a subscription failed at one of them. */
export type QuarantinedProject = {
  projectId: string;
  /** Name of a projection group or of a reactor. */
  subscription: string;
  /** Null for a reactor. */
  projectionVersion: string | null;
  position: bigint;
  error: string;
  since: Date;
  /** When it is retried automatically. */
  retryAt: Date | null;
};
/** Something that an operator must fix. */
export type Problem = {
  /** `warning`: the installation works, possibly except for one project. */
  severity: 'critical' | 'warning';
  code: string;
  /** The projection, reactor, queue or project that it is about. */
  part: string | null;
  /** What is wrong and what to do. */
  message: string;
};
/** A file that `gatebook backup` wrote. */
export type Backup = {
  finishedAt: Date;
  /** When `gatebook backup verify` last read it. */
  verifiedAt: Date | null;
};
export type Operations = {
  head: bigint;
  subscriptions: readonly Subscription[];
  projectionVersions: readonly ProjectionVersion[];
  /** The latest of each kind per projection group, newest first. */
  checks: readonly ConsistencyCheck[];
  problems: readonly Problem[];
  quarantines: readonly QuarantinedProject[];
  /** `fellBackAt`: when it was last noticed that the log had lost committed events. */
  log: { adapter: string; fellBackAt: Date | null };
  lastBackup: Backup | null;
  /** When rejected calls that projects no longer keep were last deleted. */
  rejectionsExpiredAt: Date | null;
};
/** For owners of `internal`. */
export type OperationsClient = {
  find(): Promise<Operations>;
  /** Rebuilds a projection group (`main`, `metrics`). @returns the ID of the new projection version */
  rebuild(group: string): Promise<string>;
  compare(projectionVersionId: string): Promise<Comparison>;
  /** Promotes a standby version, or rolls back to the previous one. */
  promoteStandby(projectionVersionId: string): Promise<void>;
  drop(projectionVersionId: string): Promise<void>;
  /** Retries the waiting events of a quarantined project. */
  release(projectId: string): Promise<void>;
};

export const operationsClient = (send: Send): OperationsClient => ({
  find: async () => fromWire(await send<OperationsView>('GET', '/internal/operations')),
  rebuild: async (group) =>
    (await send<{ version_id: string }>('POST', '/internal/operations/rebuilds', { group })).version_id,
  compare: async (id) => comparisonFromWire(await send<ComparisonView>('POST', `${pathOf(id)}/compare`)),
  promoteStandby: async (id) => {
    await send('POST', `${pathOf(id)}/promote`);
  },
  drop: async (id) => {
    await send('DELETE', pathOf(id));
  },
  release: async (projectId) => {
    await send('POST', `/internal/operations/quarantines/${encodeURIComponent(projectId)}/release`);
  },
});

const dateOf = (millis: number | null) => (millis === null ? null : new Date(millis));
const pathOf = (id: string) => `/internal/operations/projection-versions/${encodeURIComponent(id)}`;

function fromWire(view: OperationsView): Operations {
  return {
    head: BigInt(view.head),
    subscriptions: view.subscriptions.map(({ projection_version, position, lag, ...rest }) => ({
      ...rest,
      projectionVersion: projection_version,
      position: BigInt(position),
      lag: BigInt(lag),
    })),
    projectionVersions: view.projection_versions.map(
      ({ position, shards, created_at_millis, is_standby, is_ready, ...rest }) => ({
        ...rest,
        shards: shards.map(BigInt),
        isStandby: is_standby,
        isReady: is_ready,
        position: BigInt(position),
        createdAt: new Date(created_at_millis),
      }),
    ),
    problems: view.problems,
    log: { adapter: view.log.adapter, fellBackAt: dateOf(view.log.fell_back_at_millis) },
    lastBackup: view.last_backup && {
      finishedAt: new Date(view.last_backup.finished_at_millis),
      verifiedAt: dateOf(view.last_backup.verified_at_millis),
    },
    rejectionsExpiredAt: dateOf(view.rejections_expired_at_millis),
    quarantines: view.quarantines.map(
      ({ project_id, projection_version, position, since_millis, retry_at_millis, ...rest }) => ({
        ...rest,
        projectId: project_id,
        projectionVersion: projection_version,
        position: BigInt(position),
        since: new Date(since_millis),
        retryAt: dateOf(retry_at_millis),
      }),
    ),
    checks: view.checks.map(({ group, projection_version, position, kind, differing, differences, ...rest }) => ({
      group,
      projectionVersion: projection_version,
      position: BigInt(position),
      kind,
      differing,
      differences,

      checkedAt: new Date(rest.checked_at_millis),
      tookMs: rest.took_millis,
      rowsChecked: rest.rows_checked,
      checksumsOff: rest.checksums_off,
    })),
  };
}

function comparisonFromWire({ live, other, position, is_equal, tables }: ComparisonView): Comparison {
  return {
    live,
    other,
    position: BigInt(position),
    isEqual: is_equal,
    tables: tables.map(({ table, rows_live, rows_other, only_live, only_other, changed, first }) => ({
      table,
      rowsLive: rows_live,
      rowsOther: rows_other,
      onlyLive: only_live,
      onlyOther: only_other,
      changed,
      first,
    })),
  };
}
