import type { OperationsView } from '@gatebook/contract/operations';
import type { ConsistencyCheck } from '@gatebook/projections/consistency/consistency-checks';
import { operationsAtHead } from '@gatebook/projections/operations/at-head';
import type { Problem } from '@gatebook/projections/operations/problems';
import { checkReadiness, type HealthParts } from '@gatebook/projections/operations/readiness';
import type { Deps } from '../../deps.ts';
import { germanProblem } from '../../german/problems.ts';
import type { TextLanguage } from '../../http/text-language.ts';

/** The head of the log, and the positions of projections and subscriptions. */
export async function operationsView(
  deps: HealthParts & Pick<Deps, 'logAdapter'> & { rejections: Pick<Deps['rejections'], 'findLastExpiry'> },
  language: TextLanguage,
): Promise<OperationsView> {
  const [operations, { problems, history }, rejectionsExpiredAt] = await Promise.all([
    operationsAtHead(deps),
    checkReadiness(deps),
    deps.rejections.findLastExpiry(),
  ]);
  const { head, subscriptions, projectionVersions, quarantines, checks } = operations;
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
      ({ group, id, version, state, isStandby, isReady, error, position, shards, createdAt }) => ({
        group,
        id,
        version,
        state,
        is_standby: isStandby,
        is_ready: isReady,
        error,
        position: String(position),
        shards: shards.map(String),
        created_at_millis: createdAt,
      }),
    ),
    quarantines: quarantines.map(({ projectId, subscription, projectionVersion, position, error, since, retryAt }) => ({
      project_id: projectId,
      subscription,
      projection_version: projectionVersion,
      position: String(position),
      error,
      since_millis: since,
      retry_at_millis: retryAt,
    })),
    checks: checks.map(consistencyCheckView),
    problems: problems.map((problem) => toProblemView(language, problem)),
    log: { adapter: deps.logAdapter, fell_back_at_millis: history?.fellBackAt ?? null },
    last_backup: history?.lastBackup
      ? { finished_at_millis: history.lastBackup.finishedAt, verified_at_millis: history.lastBackup.verifiedAt }
      : null,
    rejections_expired_at_millis: rejectionsExpiredAt,
  };
}

const toProblemView = (language: TextLanguage, { message, ...problem }: Problem) => ({
  ...problem,
  message: language === 'de' ? germanProblem(message) : message,
});

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
