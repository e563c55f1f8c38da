import type { Recorded } from '@gatebook/domain/event';
import { projectDecider } from '@gatebook/domain/project/decide';
import type { WriteDeps } from './deps.ts';
import { readState } from './execute.ts';
import { streamOf } from './streams.ts';

/**
 * Destroys the key of whoever the event says is gone; nothing for other events. Deletions do this themselves: a follower of
 * the log that calls it makes good what a crash left between a deletion and its erasure. Repeating it changes nothing.
 */
export async function eraseDeleted(
  deps: Pick<WriteDeps, 'store' | 'eraseSubject'>,
  { type, data }: Recorded,
): Promise<void> {
  if (type === 'UserDeleted') await deps.eraseSubject(String(data.userId));
  if (type === 'ProjectDeleted') await eraseProject(deps, String(data.projectId));
}

/** Destroys the key of a deleted project's secrets; nothing while the project is there. */
export async function eraseProject(
  { store, eraseSubject }: Pick<WriteDeps, 'store' | 'eraseSubject'>,
  projectId: string,
): Promise<void> {
  const { state } = await readState(store, projectDecider, streamOf.project(projectId));
  if (state.status === 'deleted') await eraseSubject(state.subjectId);
}
