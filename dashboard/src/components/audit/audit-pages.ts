import type { AuditActor, AuditEvent, AuditEventPage } from '@gatebook/js/admin';
import { t } from '@lingui/core/macro';
import { formatDay } from '../../lib/format.ts';

/** Events of one request that follow each other in the list. */
export type AuditAction = { id: string; events: readonly AuditEvent[] };
export type AuditDay = { day: string; actions: readonly AuditAction[] };

/** Types of events that say what their whole request did. */
const summaries: ReadonlySet<string> = new Set(['UserMerged']);

/** Groups events, newest first, by day and request. The oldest of a request, which led to the others, names it. */
export function groupEvents(events: readonly AuditEvent[], isUtc = false): AuditDay[] {
  const days: { day: string; actions: { id: string; events: AuditEvent[] }[] }[] = [];
  for (const event of events) {
    const day = formatDay(event.at, isUtc);
    if (days.at(-1)?.day !== day) days.push({ day, actions: [] });
    const actions = days.at(-1)?.actions;
    const last = actions?.at(-1);
    const isOfLast = last && last.events[0]?.actionId === event.actionId && event.outcome === 'success';
    if (isOfLast) last.events.splice(summaries.has(last.events[0]?.type ?? '') ? 1 : 0, 0, event);
    else actions?.push({ id: event.id, events: [event] });
  }
  return days;
}

/** Appends an older page. Events are immutable, so those that both pages contain are taken once. */
export function appendPage(shown: AuditEventPage, older: AuditEventPage): AuditEventPage {
  const known = new Set(shown.items.map(({ id }) => id));
  return { items: [...shown.items, ...older.items.filter(({ id }) => !known.has(id))], nextCursor: older.nextCursor };
}

/** How many of the newest events are not shown yet. */
export function countNewer(shown: AuditEventPage, newest: readonly AuditEvent[]): number {
  const known = new Set(shown.items.map(({ id }) => id));
  return newest.filter(({ id }) => !known.has(id)).length;
}

/** The actor as it reads after "by". `self`: the ID of the user whose history is shown. */
export function describeActor(actor: Pick<AuditActor, keyof Named | 'impersonator'>, self?: string): string {
  const { impersonator } = actor;
  return impersonator ? t`${nameOf(impersonator, self)} acting for ${nameOf(actor, self)}` : nameOf(actor, self);
}

type Named = { kind: string; id: string | null; displayName: string | null; isErased?: boolean };

function nameOf(actor: Named, self: string | undefined): string {
  if (self !== undefined && actor.id === self) return t`the user`;
  const name = actor.displayName;
  switch (actor.kind) {
    case 'user':
      return name ?? (actor.isErased ? t`a deleted user` : t`a user`);
    case 'owner':
      return name ? t`${name} (owner)` : t`an owner`;
    case 'server':
      return name ? t`your server (key ${name})` : t`your server`;
    case 'admin':
      return name ? t`admin key ${name}` : t`an admin key`;
    // A browser or app without a session. The person who asked is not known to be the user.
    case 'client':
      return t`a signed-out visitor`;
    case 'operator':
      return t`the operator`;
    case 'system':
      return 'Gatebook';
    default:
      return name ?? actor.kind;
  }
}
