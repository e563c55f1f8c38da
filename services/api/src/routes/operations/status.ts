import type { OperationsView } from '@gatebook/contract/operations';
import { operationsAtHead } from '@gatebook/readmodel/operations/at-head';
import type { Proof } from '@gatebook/readmodel/proof/proofs';
import type { Deps } from '../../deps.ts';

/** What an operator wants to see: the log's head, and how far everything that follows it has come. */
export async function operationsView(deps: Pick<Deps, 'store' | 'operations' | 'logAdapter'>): Promise<OperationsView> {
  const { head, followers, generations, proofs } = await operationsAtHead(deps);
  return {
    head: String(head),
    followers: followers.map(({ name, generation, position, lag, state, error }) => ({
      name,
      generation,
      position: String(position),
      lag: String(lag),
      state,
      error,
    })),
    generations: generations.map(({ set, id, version, state, isHeld, isReady, error, position, createdAt }) => ({
      set,
      id,
      version,
      state,
      is_held: isHeld,
      is_ready: isReady,
      error,
      position: String(position),
      created_at_millis: createdAt,
    })),
    proofs: proofs.map(proofView),
    log: { adapter: deps.logAdapter },
  };
}

function proofView(proof: Proof): OperationsView['proofs'][number] {
  const { set, generation, position, kind, checkedAt, tookMs, rowsChecked, checksumsOff, differing } = proof;
  return {
    set,
    generation,
    position: String(position),
    kind,
    checked_at_millis: Date.parse(checkedAt),
    took_millis: tookMs,
    rows_checked: rowsChecked,
    checksums_off: [...checksumsOff],
    differing,
    differences: proof.differences.map(({ columns, ...rest }) => ({ ...rest, columns: [...columns] })),
  };
}
