import type { ComparisonView, OperationsView } from '@gatebook/contract/operations';
import type { Comparison, Difference } from '@gatebook/readmodel/operations/compare';
import type { Proof } from '@gatebook/readmodel/proof/proofs';
import type { Deps } from '../../deps.ts';

/** What an operator wants to see: the log's head, and how far everything that follows it has come. */
export async function operationsView({
  store,
  operations,
  logAdapter,
}: Pick<Deps, 'store' | 'operations' | 'logAdapter'>): Promise<OperationsView> {
  const { followers, generations, proofs } = await operations();
  // Asked for afterwards, so that nobody is ahead of it.
  const head = await store.head();
  return {
    head: String(head),
    followers: followers.map(({ name, generation, position, state, error }) => ({
      name,
      generation,
      position: String(position),
      lag: String(head > position ? head - position : 0n),
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
    log: { adapter: logAdapter },
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

const ways = { 'only-live': 'only_live', 'only-other': 'only_other', changed: 'changed' } as const;

/** Keys are ids and names of columns' values: texts and numbers. */
const keyView = (key: Difference['key']) =>
  Object.fromEntries(
    Object.entries(key).map(([name, value]) => [name, typeof value === 'number' ? value : String(value)]),
  );

export function comparisonView({ live, other, position, isEqual, tables }: Comparison): ComparisonView {
  return {
    live,
    other,
    position: String(position),
    is_equal: isEqual,
    tables: tables.map(({ table, rowsLive, rowsOther, onlyLive, onlyOther, changed, first }) => ({
      table,
      rows_live: rowsLive,
      rows_other: rowsOther,
      only_live: onlyLive,
      only_other: onlyOther,
      changed,
      first: first.map(({ key, how, columns }) => ({ key: keyView(key), how: ways[how], columns: [...columns] })),
    })),
  };
}
