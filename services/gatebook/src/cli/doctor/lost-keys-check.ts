import { LostKeyError } from '@gatebook/eventlog/codec';
import type { EventStore } from '@gatebook/eventlog/port';
import { count } from '../text.ts';

const pageSize = 1_000;
const shownSubjects = 5;

export type LostKeys = { events: number; checked: number; subjects: readonly string[]; otherUnreadable: string | null };

/** Reads the oldest and the newest events, or the whole log, and finds those that cannot be read. */
export async function findLostKeys(
  store: Pick<EventStore, 'readAll' | 'readBack'>,
  { isComplete }: { isComplete: boolean },
): Promise<LostKeys> {
  const subjects = new Set<string>();
  let [events, checked] = [0, 0];
  let otherUnreadable: string | null = null;
  const look = (page: Awaited<ReturnType<EventStore['readAll']>>) => {
    checked += page.length;
    for (const { unreadable } of page) {
      if (unreadable instanceof LostKeyError) {
        events += 1;
        subjects.add(unreadable.subjectId);
      } else if (unreadable) otherUnreadable ??= unreadable.message;
    }
  };
  let after = 0n;
  for (let page = await store.readAll(after, pageSize); page.length > 0; page = await store.readAll(after, pageSize)) {
    look(page);
    after = page.at(-1)?.position ?? after;
    if (!isComplete) break;
  }
  if (!isComplete) look((await store.readBack(null, pageSize)).filter(({ position }) => position > after));
  return { events, checked, subjects: [...subjects], otherUnreadable };
}

export function describeLostKeys({ events, checked, subjects }: LostKeys): string {
  const named = subjects.slice(0, shownSubjects).join(', ');
  const more = subjects.length > shownSubjects ? ` and ${count(subjects.length - shownSubjects)} more` : '';
  return `${count(events)} of ${count(checked)} events can't be decrypted, because keys are lost; subjects: ${named}${more}`;
}
