import type { Verification } from '../verify.ts';
import type { ConsistencyCheck } from './consistency-checks.ts';

/** Turns a verification into the record that is kept of it. */
export function checkOfVerification(
  { group, projectionVersion, position, tables }: Verification,
  { checkedAt, tookMs }: Pick<ConsistencyCheck, 'checkedAt' | 'tookMs'>,
): ConsistencyCheck {
  return {
    group,
    projectionVersion,
    position,
    kind: 'verify',
    checkedAt,
    tookMs,
    rowsChecked: tables.reduce((sum, { rowsLive }) => sum + rowsLive, 0),
    checksumsOff: tables.filter(({ checksum }) => checksum === 'differs').map(({ table }) => table),
    differing: tables.reduce((sum, { differing }) => sum + differing, 0),
    differences: tables.flatMap(({ differences }) => differences),
  };
}
