const keyOf = (projectId: string): string => `gatebook-users-list-${projectId}`;

/** Does nothing if the browser's storage is full or switched off. */
export function rememberList(projectId: string, href: string): void {
  try {
    sessionStorage.setItem(keyOf(projectId), href);
  } catch {}
}

/** The list of users as it was last shown in this tab: with its search, filters, order and page. */
export function lastListHref(projectId: string): string {
  try {
    return sessionStorage.getItem(keyOf(projectId)) ?? `/projects/${projectId}/users`;
  } catch {
    return `/projects/${projectId}/users`;
  }
}
