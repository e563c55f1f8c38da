import type { AnalyticsInterval } from '@gatebook/js/admin';

/** The list of the users whose latest activity was in a country, the latest first: they are found soonest. */
export const peopleInHref = (projectId: string, country: string): string =>
  `/projects/${projectId}/users?${new URLSearchParams({ order: 'active', active_in: country })}`;

/** The list of the people of an interval; null if it is not known who they were. */
export function peopleHref(projectId: string, { start, end, people }: AnalyticsInterval): string | null {
  if (people === null) return null;
  const day = (at: number) => new Date(at).toISOString().slice(0, 10);
  const search = new URLSearchParams({ anonymous: 'no' });
  if (people.by === 'signedUp') {
    search.set('signed_up', `${start.getTime()}-${end.getTime()}`);
  } else {
    search.set('order', 'active');
    search.set('active_on', `${day(start.getTime())}_${day(end.getTime() - 1)}`);
  }
  return `/projects/${projectId}/users?${search}`;
}
