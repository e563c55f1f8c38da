import type { Recorded } from '@gatebook/domain/event';

/** The projects whose read models show an event. An owner sees their projects through project `internal`. */
export function projectsOf({ stream, data, metadata }: Recorded): ReadonlySet<string> {
  const projects = new Set([metadata.projectId]);
  if (typeof data.projectId === 'string') projects.add(data.projectId);
  if (stream.startsWith('project-') || metadata.actor.kind === 'owner') projects.add('internal');
  return projects;
}
