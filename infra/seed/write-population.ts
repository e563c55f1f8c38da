import type { EventStore, Write } from '@gatebook/eventlog/port';
import { personAt, type Setting, seededRandom, teamOf } from './population.ts';

/** Small enough to lose little when interrupted, large enough to be fast. */
const usersAtOnce = 200;
const teamsAtOnce = 100;

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
    const ids = { requestId: 'seed', correlationId: 'seed', causationId: null };
    await store.append(writes, { projectId, actor: { kind: 'system', id: null }, ...ids });
    done += steps;
    events += writes.reduce((sum, write) => sum + write.events.length, 0);
    onProgress(done, events);
  }

  for (let n = 0; n < setting.users; n += usersAtOnce) {
    if (signal?.aborted) return false;
    const people = Array.from({ length: Math.min(usersAtOnce, setting.users - n) }, (_, index) =>
      personAt(n + index, setting, random),
    );
    userIds.push(...people.map(({ userId }) => userId));
    await append(
      people.flatMap(({ writes }) => writes),
      people.length,
    );
  }
  for (let n = 0; n < teams && userIds.length > 0; n += teamsAtOnce) {
    if (signal?.aborted) return false;
    const count = Math.min(teamsAtOnce, teams - n);
    const writes = Array.from({ length: count }, () => teamOf(setting, userIds, setting.until, random)).flat();
    await append(writes, count);
  }
  return true;
}
