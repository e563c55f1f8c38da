import type { Verification } from '../verify.ts';
import type { Proof } from './proofs.ts';

/** What is kept of a verification. */
export function proofOfVerification(
  { set, generation, position, tables }: Verification,
  { checkedAt, tookMs }: Pick<Proof, 'checkedAt' | 'tookMs'>,
): Proof {
  return {
    ...{ set, generation, position, kind: 'verify', checkedAt, tookMs },
    rowsChecked: tables.reduce((sum, { rowsLive }) => sum + rowsLive, 0),
    checksumsOff: tables.filter(({ checksum }) => checksum === 'differs').map(({ table }) => table),
    differing: tables.reduce((sum, { differing }) => sum + differing, 0),
    differences: tables.flatMap(({ differences }) => differences),
  };
}
