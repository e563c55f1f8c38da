import type { EventStore, Write } from '@gatebook/eventlog/port';
import { personAt, type Setting, seededRandom, teamOf } from './population.ts';

/** Small enough to lose little when interrupted, large enough to be fast. */
const usersAtOnce = 200;
const teamsAtOnce = 100;
/** Postgres writes one while the next is encrypted. */
const appendsAtOnce = 2;

type Options = {
  teams: number;
  seed: number;
  /** Steps done, of users and teams together. */
  onProgress: (done: number, events: number) => void;
  signal?: AbortSignal;
};

/**
 * Appends generated users and teams to the log, encrypted as usual. Appends are atomic, so an interruption loses none
 * of the earlier ones. @returns whether everything was written
 */
export async function writePopulation(
  store: Pick<EventStore, 'append'>,
  setting: Setting,
  { teams, seed, onProgress, signal }: Options,
): Promise<boolean> {
  const random = seededRandom(seed);
  const userIds: string[] = [];
  let [done, events] = [0, 0];

  async function append(writes: Write[], steps: number): Promise<void> {
    const { projectId } = setting;
    const requestId = `seed ${done}`;
    const ids = { requestId, correlationId: requestId, causationId: null };
    await store.append(writes, { projectId, actor: { kind: 'system', id: null }, ...ids });
    done += steps;
    events += writes.reduce((sum, write) => sum + write.events.length, 0);
    onProgress(done, events);
  }

  /** @returns whether all batches were appended */
  async function appendAll(batches: Iterable<{ writes: Write[]; steps: number }>): Promise<boolean> {
    const waiting = batches[Symbol.iterator]();
    const appendInTurn = async (): Promise<void> => {
      while (!signal?.aborted) {
        const { value, done: isLast } = waiting.next();
        if (isLast) return;
        await append(value.writes, value.steps);
      }
    };
    await Promise.all(Array.from({ length: appendsAtOnce }, appendInTurn));
    return !signal?.aborted;
  }

  function* users() {
    for (let n = 0; n < setting.users; n += usersAtOnce) {
      const count = Math.min(usersAtOnce, setting.users - n);
      const people = Array.from({ length: count }, (_, index) => personAt(n + index, setting, random));
      userIds.push(...people.map(({ userId }) => userId));
      yield { writes: people.flatMap(({ writes }) => writes), steps: count };
    }
  }

  function* teamsOfUsers() {
    for (let n = 0; n < teams && userIds.length > 0; n += teamsAtOnce) {
      const count = Math.min(teamsAtOnce, teams - n);
      yield {
        writes: Array.from({ length: count }, () => teamOf(setting, userIds, setting.until, random)).flat(),
        steps: count,
      };
    }
  }

  // Members of teams are users whose events were appended before.
  return (await appendAll(users())) && (await appendAll(teamsOfUsers()));
}
