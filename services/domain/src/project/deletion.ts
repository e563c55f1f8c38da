import { unreachable } from '../decider.ts';
import { reject } from '../errors.ts';
import { endOfGracePeriod } from '../grace-period.ts';
import type { ProjectEvent } from './events.ts';
import type { ActiveProject, ProjectAwaitingDeletion } from './state.ts';

/** `graceDays`: above 0. */
type ScheduleDeletion = { type: 'ScheduleDeletion'; graceDays: number; at: string };
type RestoreProject = { type: 'RestoreProject'; at: string };
/** Also a project that awaits deletion. */
type DeleteProject = { type: 'DeleteProject'; at: string };
export type DeletionCommand = ScheduleDeletion | RestoreProject | DeleteProject;

export function decideDeletion(
  command: DeletionCommand,
  state: ActiveProject | ProjectAwaitingDeletion,
): readonly ProjectEvent[] {
  const isAwaiting = state.status === 'awaiting_deletion';
  const { projectId } = isAwaiting ? state.project : state;
  const { at } = command;
  switch (command.type) {
    case 'ScheduleDeletion': {
      if (isAwaiting) return reject('PROJECT_NOT_FOUND', { project_id: projectId });
      const deleteAt = endOfGracePeriod(at, command.graceDays);
      return [{ type: 'ProjectDeletionScheduled', data: { projectId, deleteAt, at } }];
    }
    case 'RestoreProject':
      return isAwaiting ? [{ type: 'ProjectDeletionCanceled', data: { projectId, at } }] : [];
    case 'DeleteProject':
      return [{ type: 'ProjectDeleted', data: { projectId, at } }];
    default:
      return unreachable(command);
  }
}
