import type { AnalyticsInterval } from '@gatebook/js/admin';

const fields = { signedUp: 'signed_up', active: 'active' } as const;

/** The list of the people of an interval; null if it is not known who they were. */
export function peopleHref(projectId: string, { start, end, people }: AnalyticsInterval): string | null {
  if (people === null) return null;
  const search = new URLSearchParams({
    ...(people.by === 'active' && { order: 'active' }),
    anonymous: 'no',
    [fields[people.by]]: `${start.getTime()}-${end.getTime()}`,
  });
  return `/projects/${projectId}/users?${search}`;
}
