import type { OperationsView } from '@gatebook/contract/operations';
import type { ConsistencyCheck } from '@gatebook/projections/consistency/consistency-checks';
import { operationsAtHead } from '@gatebook/projections/operations/at-head';
import type { Deps } from '../../deps.ts';

/** The head of the log, and the positions of projections and subscriptions. */
export async function operationsView(deps: Pick<Deps, 'store' | 'operations' | 'logAdapter'>): Promise<OperationsView> {
  const { head, subscriptions, projectionVersions, checks } = await operationsAtHead(deps);
  return {
    head: String(head),
    subscriptions: subscriptions.map(({ name, projectionVersion, position, lag, state, error }) => ({
      name,
      projection_version: projectionVersion,
      position: String(position),
      lag: String(lag),
      state,
      error,
    })),
    projection_versions: projectionVersions.map(
      ({ group, id, version, state, isStandby, isReady, error, position, createdAt }) => ({
        group,
        id,
        version,
        state,
        is_standby: isStandby,
        is_ready: isReady,
        error,
        position: String(position),
        created_at_millis: createdAt,
      }),
    ),
    checks: checks.map(consistencyCheckView),
    log: { adapter: deps.logAdapter },
  };
}

function consistencyCheckView(check: ConsistencyCheck): OperationsView['checks'][number] {
  const { group, projectionVersion, position, kind, checkedAt, tookMs, rowsChecked, checksumsOff, differing } = check;
  return {
    group,
    projection_version: projectionVersion,
    position: String(position),
    kind,
    checked_at_millis: Date.parse(checkedAt),
    took_millis: tookMs,
    rows_checked: rowsChecked,
    checksums_off: [...checksumsOff],
    differing,
    differences: check.differences.map(({ columns, ...rest }) => ({ ...rest, columns: [...columns] })),
  };
}
