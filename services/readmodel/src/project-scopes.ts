import type { Recorded } from '@gatebook/domain/event';

/** The projects whose read models show an event. An owner sees their projects through project `internal`. */
export function projectsOf(event: Recorded): ReadonlySet<string> {
  const { stream, metadata } = event;
  const projects = new Set([metadata.projectId]);
  if (!event.unreadable && typeof event.data.projectId === 'string') projects.add(event.data.projectId);
  if (stream.startsWith('project-') || metadata.actor.kind === 'owner') projects.add('internal');
  return projects;
}
