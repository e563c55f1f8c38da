import type { SearchProjects } from '@gatebook/js/admin';
import { t } from '@lingui/core/macro';

/** By name in the URL. */
const orders = {
  name: { label: t`Name`, orderBy: 'displayName', desc: false },
  newest: { label: t`Newest`, orderBy: 'createdAt', desc: true },
  oldest: { label: t`Oldest`, orderBy: 'createdAt', desc: false },
  'most-users': { label: t`Most users`, orderBy: 'userCount', desc: true },
  'last-active': { label: t`Last active`, orderBy: 'lastActiveAt', desc: true },
} as const satisfies Record<string, Pick<SearchProjects, 'orderBy' | 'desc'> & { label: string }>;
export type ProjectListOrder = keyof typeof orders;
export const orderOptions = Object.entries(orders).map(([value, { label }]) => ({ value, label }));
export function projectOrder(order: ProjectListOrder): Pick<SearchProjects, 'orderBy' | 'desc'> {
  const { orderBy, desc } = orders[order];
  return { orderBy, desc };
}

/** The state of the projects page, kept entirely in the URL. */
export type ProjectsSearch = { query: string; order: ProjectListOrder; cursor: string | null; isCreating: boolean };

export const isProjectOrder = (value: unknown): value is ProjectListOrder =>
  typeof value === 'string' && Object.hasOwn(orders, value);

export function readProjectsSearch(search: Readonly<Record<string, string>>): ProjectsSearch {
  const { query = '', order, cursor = '' } = search;
  return {
    query,
    order: isProjectOrder(order) ? order : 'name',
    cursor: cursor === '' ? null : cursor,
    isCreating: search.new === '1',
  };
}

/** The URL of that state, without default values. */
export function projectsHref({ query, order, cursor, isCreating }: ProjectsSearch): string {
  const search = new URLSearchParams({
    ...(query && { query }),
    ...(order !== 'name' && { order }),
    ...(cursor && { cursor }),
    ...(isCreating && { new: '1' }),
  }).toString();
  return `/projects${search === '' ? '' : `?${search}`}`;
}
