/** The state of the users page, kept entirely in the URL. */
export type UsersSearch = { query: string; oldestFirst: boolean; cursor: string | null };

export function readUsersSearch(search: Readonly<Record<string, unknown>>): UsersSearch {
  return {
    query: textOf(search.query) ?? '',
    oldestFirst: search.order === 'oldest',
    cursor: textOf(search.cursor),
  };
}

/** The URL of that state, without default values. */
export function usersHref(projectId: string, { query, oldestFirst, cursor }: UsersSearch): string {
  const search = new URLSearchParams({
    ...(query !== '' && { query }),
    ...(oldestFirst && { order: 'oldest' }),
    ...(cursor !== null && { cursor }),
  });
  const text = search.toString();
  return `/projects/${projectId}/users${text === '' ? '' : `?${text}`}`;
}

function textOf(value: unknown): string | null {
  return typeof value === 'string' && value !== '' ? value : null;
}
