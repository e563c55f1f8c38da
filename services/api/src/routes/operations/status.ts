import type { OperationsView } from '@gatebook/contract/operations';
import type { Generation } from '@gatebook/readmodel/generations';
import type { Deps } from '../../deps.ts';

type Follower = OperationsView['followers'][number];

/** The generation that is read of each set, or the one being built while there is none. */
export function followersOf(generations: readonly Generation[], head: bigint): Follower[] {
  const sets = [...new Set(generations.map(({ setName }) => setName))].sort();
  return sets.flatMap((set) => {
    const ofSet = generations.filter(({ setName }) => setName === set);
    const read = ofSet.find(({ status }) => status === 'live') ?? ofSet.at(-1);
    return read ? [toFollower(read, head)] : [];
  });
}

function toFollower({ setName, id, position, stopped, status }: Generation, head: bigint): Follower {
  return {
    name: setName,
    generation: String(id),
    position: String(position),
    lag: String(head > position ? head - position : 0n),
    state: stopped ? 'stopped' : status === 'live' ? 'following' : 'building',
    error: stopped?.error ?? null,
  };
}

/** What an operator wants to see: the log's head, and how far everything that follows it has come. */
export async function operationsStatus({ store, generations, logAdapter }: Deps): Promise<OperationsView> {
  const [head, all] = await Promise.all([store.head(), generations()]);
  return {
    head: String(head),
    followers: followersOf(all, head),
    generations: all.map(({ setName, id, version, status, position, createdAt }) => ({
      set: setName,
      id: String(id),
      version,
      state: status,
      position: String(position),
      created_at_millis: Date.parse(createdAt),
    })),
    log: { adapter: logAdapter },
  };
}
