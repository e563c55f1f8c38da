import type { ResourceCache } from '@gatebook/react';
import type { App } from './app.ts';
import { hasMoment, projectOf } from './moment.ts';
import { ownedProject } from './operators.ts';
import { isGuestAt } from './webhooks-token.ts';

/** Requests what every signed-in page at a URL shows, while the code of the page is loaded. */
export function preloadFrame(
  { client }: Pick<App, 'client'>,
  { preload }: ResourceCache,
  { pathname, search }: { pathname: string; search: string },
): void {
  // Pages with a token show nothing of a session, which may be that of another person.
  if (!client.session.isSignedIn() || isGuestAt(pathname)) return;
  preload(['me'], client.me.find);
  preload(...ownedProject(client, 'internal'));
  const projectId = projectOf(pathname);
  preload(...ownedProject(client, projectId));
  if (projectId === null) return;
  const admin = client.admin(projectId);
  preload(['user-batches', projectId], admin.userBatches.list);
  // A page at a moment of the past uses a separate cache.
  if (!hasMoment(search)) preload(['project', projectId], admin.project.find);
}
