import type { SearchTeams } from '@gatebook/js/admin';

/** By name in the URL. */
const orders = {
  newest: { orderBy: 'createdAt', desc: true },
  oldest: { orderBy: 'createdAt', desc: false },
  name: { orderBy: 'displayName', desc: false },
  'name-reversed': { orderBy: 'displayName', desc: true },
  'most-members': { orderBy: 'memberCount', desc: true },
  'fewest-members': { orderBy: 'memberCount', desc: false },
} as const satisfies Record<string, Pick<SearchTeams, 'orderBy' | 'desc'>>;
export type TeamListOrder = keyof typeof orders;
export const teamOrder = (order: TeamListOrder): Pick<SearchTeams, 'orderBy' | 'desc'> => orders[order];

/** The state of the teams page, kept entirely in the URL. */
export type TeamsSearch = { query: string; order: TeamListOrder; cursor: string | null };

const isOrder = (value: unknown): value is TeamListOrder => typeof value === 'string' && Object.hasOwn(orders, value);

export function readTeamsSearch({ query, order, cursor }: Readonly<Record<string, unknown>>): TeamsSearch {
  return {
    query: typeof query === 'string' ? query : '',
    order: isOrder(order) ? order : 'newest',
    cursor: typeof cursor === 'string' && cursor !== '' ? cursor : null,
  };
}

/** The URL of that state, without default values. */
export function teamsHref(projectId: string, { query, order, cursor }: TeamsSearch): string {
  const search = new URLSearchParams({
    ...(query && { query }),
    ...(order !== 'newest' && { order }),
    ...(cursor && { cursor }),
  }).toString();
  return `/projects/${projectId}/teams${search === '' ? '' : `?${search}`}`;
}
