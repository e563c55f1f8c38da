import type { EventStore } from '@gatebook/eventlog/port';
import {
  type ConsistencyCheck,
  newestConsistencyChecks,
  recordConsistencyCheck,
} from '@gatebook/projections/consistency/consistency-checks';
import { NotComparableError } from '@gatebook/projections/consistency/live';
import { describeDifference } from '@gatebook/projections/consistency/rows';
import { checkSample, type SampleSize, usualSample } from '@gatebook/projections/consistency/sample';
import { checkOfVerification } from '@gatebook/projections/consistency/verified';
import type { ProjectionGroup } from '@gatebook/projections/projection-group';
import { compareWithRebuild } from '@gatebook/projections/verify';
import type { Logger } from '@gatebook/runtime/logger';
import type { Pool } from '@gatebook/runtime/postgres';

type Parts = {
  pool: Pool;
  store: EventStore;
  group: ProjectionGroup;
  /** ISO time. */
  now: () => string;
  logger: Logger;
  /** Cancels the check. */
  signal?: AbortSignal;
};

const maxLoggedRows = 20;

/**
 * Compares a sample of a group's rows with the log and checks the checksums of all its tables. A table whose checksum
 * matched last time and differs now is verified as a whole, to find the damaged rows. Records the result and logs an
 * error if anything differs.
 * @returns the checks; none if the live projection version can't be compared, or the check was canceled
 */
export async function checkReadModels(
  parts: Parts,
  size: SampleSize = usualSample,
): Promise<readonly ConsistencyCheck[]> {
  const { pool, store, group, now, logger, signal } = parts;
  try {
    const start = performance.now();
    const { projectionVersion, position, rowsChecked, checksumsOff, differences, unconfirmed } = await checkSample(
      pool,
      store,
      group,
      size,
      signal,
    );
    if (unconfirmed > 0)
      logger.warn({ group: group.name, unconfirmed }, 'read models lag, so differences are checked again');
    const sample: ConsistencyCheck = {
      group: group.name,
      projectionVersion,
      position,
      kind: 'sample',
      checkedAt: now(),
      rowsChecked,
      checksumsOff,
      tookMs: performance.now() - start,
      differing: differences.length,
      differences,
    };
    const known = (await newestConsistencyChecks(pool)).find(
      (check) => check.kind === 'sample' && check.group === group.name && check.projectionVersion === projectionVersion,
    );
    const checks = [sample];
    await record(parts, sample);
    for (const table of checksumsOff.filter((name) => !known?.checksumsOff.includes(name))) {
      const check = await verifyTable(parts, table);
      await record(parts, check);
      checks.push(check);
    }
    return checks;
  } catch (error) {
    if (signal?.aborted) return [];
    if (!(error instanceof NotComparableError)) throw error;
    logger.debug({ err: error, group: group.name }, 'could not compare read models with the log');
    return [];
  }
}

async function verifyTable({ pool, store, group, now, signal }: Parts, table: string): Promise<ConsistencyCheck> {
  const start = performance.now();
  const verification = await compareWithRebuild(pool, store, group, { table, ...(signal && { signal }) });
  return checkOfVerification(verification, { checkedAt: now(), tookMs: performance.now() - start });
}

async function record({ pool, logger }: Parts, check: ConsistencyCheck): Promise<void> {
  await recordConsistencyCheck(pool, check);
  const { group, projectionVersion, position, kind, rowsChecked, checksumsOff, differing, differences } = check;
  const at = { group, projectionVersion, position: String(position), kind, rowsChecked };
  if (differing === 0 && checksumsOff.length === 0) {
    logger.debug(at, 'read models match the log');
    return;
  }
  const rows = differences.slice(0, maxLoggedRows).map(describeDifference);
  logger.error({ ...at, differing, rows, checksumsOff }, 'read models differ from the log');
}
