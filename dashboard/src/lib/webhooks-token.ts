const nameOf = (projectId: string): string => `gatebook-webhooks-${projectId}`;

/** The project of the webhooks page at a path; null for other pages. */
const projectAt = (path: string): string | null => /^\/projects\/([^/]+)\/webhooks(\/|$)/.exec(path)?.[1] ?? null;

/** Keeps the token of a link to the webhooks page, `#token=…`, for this tab. @returns whether there was one */
export function keepWebhooksToken({ pathname, hash }: { pathname: string; hash: string }): boolean {
  const projectId = projectAt(pathname);
  const token = new URLSearchParams(hash.replace(/^#/, '')).get('token');
  if (projectId === null || !token) return false;
  sessionStorage.setItem(nameOf(projectId), token);
  return true;
}

/** The token that this tab was opened with, or null. */
export const readWebhooksToken = (projectId: string): string | null => sessionStorage.getItem(nameOf(projectId));

/** Whether the page at a path is open to the holder of a token, who needs no session. */
export function isGuestAt(path: string): boolean {
  const projectId = projectAt(path);
  return projectId !== null && readWebhooksToken(projectId) !== null;
}

export const forgetWebhooksToken = (projectId: string): void => sessionStorage.removeItem(nameOf(projectId));
