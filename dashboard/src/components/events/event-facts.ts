import type { PublicEvent } from '@gatebook/js/events';
import { t } from '@lingui/core/macro';

/** A user or team that an event is about. `name` is null if the event does not tell it. */
export type EventSubject = { kind: 'user' | 'team'; id: string; name: string | null };

export function subjectsOf({ type, data }: Pick<PublicEvent, 'type' | 'data'>): EventSubject[] {
  const facts: Readonly<Record<string, unknown>> = data;
  const user = textOf(facts.user_id) ?? (type.startsWith('user.') ? textOf(facts.id) : null);
  const team = textOf(facts.team_id) ?? (type.startsWith('team.') ? textOf(facts.id) : null);
  const name = textOf(facts.display_name) ?? textOf(facts.primary_email);
  return [
    ...(user === null ? [] : [{ kind: 'user', id: user, name: type.startsWith('user.') ? name : null } as const]),
    ...(team === null ? [] : [{ kind: 'team', id: team, name: type.startsWith('team.') ? name : null } as const]),
  ];
}

/** For a subject without a name. */
export const unnamed = ({ kind, id }: Pick<EventSubject, 'kind' | 'id'>): string => {
  const start = id.slice(0, 8);
  return kind === 'user' ? t`user ${start}` : t`team ${start}`;
};

const textOf = (value: unknown): string | null => (typeof value === 'string' && value.trim() !== '' ? value : null);
