import type { AuditClient, AuditEvent, AuditFilters, AuditPageOptions } from '@gatebook/js/admin';
import { timeOf } from '../../lib/moment.ts';

const PAGE_SIZE = 50;

/** Events of one action are one moment. */
type Place = Pick<AuditEvent, 'id' | 'actionId' | 'at'>;
type Order = 'asc' | 'desc';

/**
 * The nearest event of another action before or after an event or a time, or null. Events of the same millisecond are
 * told apart by their place in the log, so none is skipped.
 */
export async function findNeighbor(
  audit: Pick<AuditClient, 'list'>,
  filters: AuditFilters,
  from: Place | Date,
  order: Order,
): Promise<AuditEvent | null> {
  const at = (from instanceof Date ? from : from.at).getTime();
  const isPassed = from instanceof Date ? () => true : passing(from);
  // A time includes the events of its millisecond: they are before it.
  const start = order === 'desc' ? { untilMillis: at + 1 } : { fromMillis: from instanceof Date ? at + 1 : at };
  return findEvent(audit, { ...filters, ...start, order }, isPassed);
}

/** The first event of the list that matches, or null. */
export async function findEvent(
  audit: Pick<AuditClient, 'list'>,
  options: Omit<AuditPageOptions, 'cursor' | 'limit' | 'outcome'>,
  matches: (event: AuditEvent) => boolean,
): Promise<AuditEvent | null> {
  for (let cursor: string | null | undefined; ; ) {
    const page = await audit.list({ ...options, outcome: 'success', limit: PAGE_SIZE, cursor });
    const found = page.items.find(matches);
    if (found || page.nextCursor === null) return found ?? null;
    cursor = page.nextCursor;
  }
}

/** Whether a listed event lies beyond the given one; called in the order of the list. */
function passing({ id, actionId, at }: Place): (event: AuditEvent) => boolean {
  let isReached = false;
  return (event) => {
    if (event.id === id) isReached = true;
    // The event itself can be missing in a filtered list.
    const isBeyond = isReached || event.at.getTime() !== at.getTime();
    return isBeyond && event.actionId !== actionId;
  };
}

/** Filters that leave out what is later than a moment; null: now. */
export async function untilMoment(audit: Pick<AuditClient, 'find'>, moment: string | null): Promise<AuditFilters> {
  if (moment === null) return {};
  const at = timeOf(moment) ?? (await audit.find(moment)).at;
  return { untilMillis: at.getTime() + 1 };
}
