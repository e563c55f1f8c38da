import type { EventStore } from '@gatebook/eventlog/port';
import { NotComparableError } from '@gatebook/readmodel/proof/live';
import { newestProofs, type Proof, recordProof } from '@gatebook/readmodel/proof/proofs';
import { describeDifference } from '@gatebook/readmodel/proof/rows';
import { checkSample, type SampleSize, usualSample } from '@gatebook/readmodel/proof/sample';
import { proofOfVerification } from '@gatebook/readmodel/proof/verified';
import type { ReadModelSet } from '@gatebook/readmodel/sets';
import { compareWithRebuild } from '@gatebook/readmodel/verify';
import type { Logger } from '@gatebook/runtime/logger';
import type { Pool } from '@gatebook/runtime/postgres';

type Parts = {
  pool: Pool;
  store: EventStore;
  set: ReadModelSet;
  /** ISO time. */
  now: () => string;
  logger: Logger;
};

const loggedAtMost = 20;

/**
 * Holds a sample of a set's rows, and the checksums of all its tables, against the log. Where a checksum is off that was right the last
 * time, the whole table is derived anew, so that its damaged rows get their names. What came out is kept, and is an error in the log if
 * anything differs. @returns the proofs; none while there is nothing to compare
 */
export async function checkReadModels(parts: Parts, size: SampleSize = usualSample): Promise<readonly Proof[]> {
  const { pool, store, set, now, logger } = parts;
  try {
    const start = performance.now();
    const { generation, position, rowsChecked, checksumsOff, differences, unconfirmed } = await checkSample(
      pool,
      store,
      set,
      size,
    );
    if (unconfirmed > 0)
      logger.warn({ set: set.name, unconfirmed }, 'read models lag: what differs is looked at again');
    const sample: Proof = {
      ...{ set: set.name, generation, position, kind: 'sample', checkedAt: now(), rowsChecked, checksumsOff },
      ...{ tookMs: performance.now() - start, differing: differences.length, differences },
    };
    const known = (await newestProofs(pool)).find(
      (proof) => proof.kind === 'sample' && proof.set === set.name && proof.generation === generation,
    );
    const proofs = [sample];
    await keep(parts, sample);
    for (const table of checksumsOff.filter((name) => !known?.checksumsOff.includes(name))) {
      const proof = await verifyTable(parts, table);
      await keep(parts, proof);
      proofs.push(proof);
    }
    return proofs;
  } catch (error) {
    if (!(error instanceof NotComparableError)) throw error;
    logger.debug({ err: error, set: set.name }, 'read models can not be held against the log now');
    return [];
  }
}

async function verifyTable({ pool, store, set, now }: Parts, table: string): Promise<Proof> {
  const start = performance.now();
  const verification = await compareWithRebuild(pool, store, set, { table });
  return proofOfVerification(verification, { checkedAt: now(), tookMs: performance.now() - start });
}

async function keep({ pool, logger }: Parts, proof: Proof): Promise<void> {
  await recordProof(pool, proof);
  const { set, generation, position, kind, rowsChecked, checksumsOff, differing, differences } = proof;
  const at = { set, generation, position: String(position), kind, rowsChecked };
  if (differing === 0 && checksumsOff.length === 0) {
    logger.debug(at, 'read models are what the log says');
    return;
  }
  const rows = differences.slice(0, loggedAtMost).map(describeDifference);
  logger.error({ ...at, differing, rows, checksumsOff }, 'read models are not what the log says');
}
