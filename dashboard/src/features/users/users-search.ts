/** Everything that decides what the users page shows; it stands whole in the address. */
export type UsersSearch = { query: string; oldestFirst: boolean; cursor: string | null };

export function readUsersSearch(search: Readonly<Record<string, unknown>>): UsersSearch {
  return {
    query: textOf(search.query) ?? '',
    oldestFirst: search.order === 'oldest',
    cursor: textOf(search.cursor),
  };
}

/** The address of that state, without what is at its default. */
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
