import type { OperationsView } from '@gatebook/contract/operations';
import type { Deps } from '../../deps.ts';

/** What an operator wants to see: the log's head, and how far everything that follows it has come. */
export async function operationsView({
  store,
  operations,
  logAdapter,
}: Pick<Deps, 'store' | 'operations' | 'logAdapter'>): Promise<OperationsView> {
  const { followers, generations } = await operations();
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
    generations: generations.map(({ set, id, version, state, position, createdAt }) => ({
      set,
      id,
      version,
      state,
      position: String(position),
      created_at_millis: createdAt,
    })),
    log: { adapter: logAdapter },
  };
}
