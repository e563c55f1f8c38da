import type { EventFilters, EventTypePattern } from '@gatebook/js/events';

export const eventTabs = ['feed', 'types'] as const;
export type EventTab = (typeof eventTabs)[number];

/** The filters, each by its name in the URL. `types` is a comma-separated list of patterns. */
export const eventFields = ['types', 'user', 'team'] as const;
export type EventField = (typeof eventFields)[number];
/** The state of the page, kept entirely in the URL. `event` is the ID of the open event. */
export type EventSearch = { tab: EventTab; event?: string; time?: string } & Partial<Record<EventField, string>>;
/** `until` is exclusive. */
export type EventSpan = { from: number; until: number };

export function readEventSearch(search: Readonly<Record<string, unknown>>): EventSearch {
  const given = [...eventFields, 'event', 'time'].flatMap((name) => {
    const value = search[name];
    return typeof value === 'string' && value !== '' ? [[name, value]] : [];
  });
  return { ...Object.fromEntries(given), tab: eventTabs.find((tab) => tab === search.tab) ?? 'feed' };
}

/** The URL of that state, without default values. */
export function eventsHref(projectId: string, { tab, ...given }: Partial<EventSearch>): string {
  const entries = Object.entries({ ...(tab !== 'feed' && { tab }), ...given });
  const search = new URLSearchParams(entries.filter((entry): entry is [string, string] => !!entry[1])).toString();
  return `/projects/${projectId}/events${search === '' ? '' : `?${search}`}`;
}

export const patternsIn = (types: string | undefined): string[] => types?.split(',').filter(Boolean) ?? [];

/** The filters of the API for that state. */
export function filtersOf({ types, user, team }: Pick<EventSearch, EventField>): EventFilters {
  return {
    types: types === undefined ? undefined : (patternsIn(types) as EventTypePattern[]),
    userId: user,
    teamId: team,
  };
}

export const writeSpan = ({ from, until }: { from: Date; until: Date }): string =>
  `${from.getTime()}-${until.getTime()}`;

/** null unless the text is a span of time, in milliseconds. */
export function readSpan(text: string | undefined): EventSpan | null {
  const [, from, until] = /^(\d{1,14})-(\d{1,14})$/.exec(text ?? '') ?? [];
  return Number(from) < Number(until) ? { from: Number(from), until: Number(until) } : null;
}
