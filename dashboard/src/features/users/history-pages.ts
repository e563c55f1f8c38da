import type { HistoryActor, HistoryEntry, HistoryPage } from '@gatebook/js/admin';
import { formatDay } from '../../lib/format.ts';

/**
 * Puts the newest page before the entries loaded earlier. Entries are immutable, so known ones are deduplicated by ID.
 * When the two do not overlap, older entries are dropped and loaded again on demand.
 */
export function mergeNewestPage(known: HistoryPage | null, newest: HistoryPage): HistoryPage {
  if (known === null) return newest;
  const last = newest.items.at(-1);
  const at = known.items.findIndex(({ id }) => id === last?.id);
  if (at < 0) return newest;
  return { items: [...newest.items, ...known.items.slice(at + 1)], nextBefore: known.nextBefore };
}

/** Groups entries by day, in the given order. */
export function groupByDay(entries: readonly HistoryEntry[]): { day: string; entries: HistoryEntry[] }[] {
  const days: { day: string; entries: HistoryEntry[] }[] = [];
  for (const entry of entries) {
    const day = formatDay(entry.at);
    const last = days.at(-1);
    if (last?.day === day) last.entries.push(entry);
    else days.push({ day, entries: [entry] });
  }
  return days;
}

/** The actor as it reads after "by". */
export function describeActor(actor: HistoryActor, userId: string): string {
  const { impersonator } = actor;
  return impersonator ? `${nameOf(impersonator, userId)} acting for ${nameOf(actor, userId)}` : nameOf(actor, userId);
}

function nameOf(actor: Omit<HistoryActor, 'impersonator'>, userId: string): string {
  if (actor.id === userId) return 'the user';
  const name = actor.displayName;
  switch (actor.kind) {
    case 'user':
      return name ?? 'another user';
    case 'owner':
      return name ? `${name} (owner)` : 'an owner';
    case 'server':
      return name ? `your server (key ${name})` : 'your server';
    case 'admin':
      return name ? `admin key ${name}` : 'an admin key';
    case 'client':
      return 'the app';
    case 'operator':
      return 'the operator';
    case 'system':
      return 'Gatebook';
    default:
      return name ?? actor.kind;
  }
}
