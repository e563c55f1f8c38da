type Kind = 'users' | 'teams';

const keyOf = (projectId: string, kind: Kind): string => `gatebook-${kind}-list-${projectId}`;

/** Does nothing if the browser's storage is full or switched off. */
export function rememberList(projectId: string, kind: Kind, href: string): void {
  try {
    sessionStorage.setItem(keyOf(projectId, kind), href);
  } catch {}
}

/** The list of users or teams as it was last shown in this tab: with its search, filters, order and page. */
export function lastListHref(projectId: string, kind: Kind): string {
  const first = `/projects/${projectId}/${kind}`;
  try {
    return sessionStorage.getItem(keyOf(projectId, kind)) ?? first;
  } catch {
    return first;
  }
}
