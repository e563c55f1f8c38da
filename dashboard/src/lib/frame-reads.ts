import type { ResourceCache } from '@gatebook/react';
import type { App } from './app.ts';
import { hasMoment, projectOf } from './moment.ts';
import { ownedProject } from './operators.ts';

/** Requests what every signed-in page at a URL shows, while the code of the page is loaded. */
export function preloadFrame({ client }: Pick<App, 'client'>, { preload }: ResourceCache, href: string): void {
  if (!client.session.isSignedIn()) return;
  preload(['me'], client.me.find);
  preload(...ownedProject(client, 'internal'));
  const projectId = projectOf(href);
  preload(...ownedProject(client, projectId));
  if (projectId === null) return;
  const admin = client.admin(projectId);
  preload(['user-batches', projectId], admin.userBatches.list);
  // A page at a moment of the past uses a separate cache.
  if (!hasMoment(href)) preload(['project', projectId], admin.project.find);
}
