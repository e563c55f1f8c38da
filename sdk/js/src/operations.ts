import type { ComparisonView, OperationsView } from '@gatebook/contract/operations';
import type { Send } from './transport.ts';

export type Subscription = {
  name: string;
  /** null for a subscription that acts instead of keeping tables. */
  projectionVersion: string | null;
  position: bigint;
  /** Events that the log holds beyond its position. */
  lag: bigint;
  state: string;
  error: string | null;
};
export type ProjectionVersion = {
  set: string;
  id: string;
  version: number;
  /** `building`, `live` or `previous`. */
  state: string;
  /** Asked for by an operator: it waits to be switched to. */
  isStandby: boolean;
  isReady: boolean;
  /** Why it does not follow the log any more. */
  error: string | null;
  position: bigint;
  createdAt: Date;
};
export type TableComparison = {
  table: string;
  rowsLive: number;
  rowsOther: number;
  onlyLive: number;
  onlyOther: number;
  changed: number;
  /** At most ten; `columns` are those that differ. */
  first: readonly { key: Readonly<Record<string, string | number>>; how: string; columns: readonly string[] }[];
};
export type Comparison = {
  live: string;
  other: string;
  position: bigint;
  isEqual: boolean;
  tables: readonly TableComparison[];
};
/** One time that rows were held against the log. */
export type ConsistencyCheck = {
  set: string;
  projectionVersion: string;
  position: bigint;
  /** `sample`: in the background; `verify`: every row of a set or a table; `repair`: what was repaired. */
  kind: string;
  checkedAt: Date;
  tookMs: number;
  rowsChecked: number;
  /** Tables whose rows do not add up to their checksum. */
  checksumsOff: readonly string[];
  /** How many rows are not what the log says; of a repair, how many were repaired. */
  differing: number;
  /** The first of them: `missing` from the table, `surplus` in it, or `changed` in these columns. */
  differences: readonly {
    table: string;
    key: Readonly<Record<string, string>>;
    kind: string;
    columns: readonly string[];
  }[];
};
export type Operations = {
  head: bigint;
  subscriptions: readonly Subscription[];
  projectionVersions: readonly ProjectionVersion[];
  /** Of each set, the newest of each kind; newest first. */
  checks: readonly ConsistencyCheck[];
};
/** For owners of `internal`. */
export type OperationsClient = {
  find(): Promise<Operations>;
  /** Builds a set (`main`, `metrics`) anew beside the one that is read. @returns the projection version's id */
  rebuild(set: string): Promise<string>;
  compare(projectionVersionId: string): Promise<Comparison>;
  /** To one that waits, or back to the one that is kept. */
  promoteStandby(projectionVersionId: string): Promise<void>;
  drop(projectionVersionId: string): Promise<void>;
};

export const operationsClient = (send: Send): OperationsClient => ({
  find: async () => fromWire(await send<OperationsView>('GET', '/internal/operations')),
  rebuild: async (set) =>
    (await send<{ version_id: string }>('POST', '/internal/operations/rebuilds', { set })).version_id,
  compare: async (id) => comparisonFromWire(await send<ComparisonView>('POST', `${pathOf(id)}/compare`)),
  promoteStandby: async (id) => {
    await send('POST', `${pathOf(id)}/promote`);
  },
  drop: async (id) => {
    await send('DELETE', pathOf(id));
  },
});

const pathOf = (id: string) => `/internal/operations/projection-versions/${encodeURIComponent(id)}`;

function fromWire(view: OperationsView): Operations {
  return {
    head: BigInt(view.head),
    subscriptions: view.subscriptions.map(({ position, lag, ...rest }) => ({
      ...rest,
      position: BigInt(position),
      lag: BigInt(lag),
    })),
    projectionVersions: view.projectionVersions.map(
      ({ position, created_at_millis, is_standby, is_ready, ...rest }) => ({
        ...rest,
        isStandby: is_standby,
        isReady: is_ready,
        position: BigInt(position),
        createdAt: new Date(created_at_millis),
      }),
    ),
    checks: view.checks.map(({ set, projectionVersion, position, kind, differing, differences, ...rest }) => ({
      ...{ set, projectionVersion, position: BigInt(position), kind, differing, differences },
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
