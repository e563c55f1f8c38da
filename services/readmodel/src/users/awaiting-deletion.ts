import type { ProjectEvent } from '@gatebook/domain/project/events';
import type { UserEvent } from '@gatebook/domain/user/events';
import { type Change, type Projection, patch, removeAll, type Table } from '@gatebook/projections/changes';
import { hiddenProjectId } from '../hidden-projects.ts';

/** Whether rows of the table belong to a user and can be moved. */
export const canHide = ({ columns, key }: Table): boolean =>
  'user_id' in columns && 'project_id' in columns && !key.includes('project_id');

/**
 * Moves all rows of a user who awaits deletion into a hidden project, so that no query of their project finds them, and
 * back when the user is restored (docs/decisions/0050). Owners of projects keep these rows: the user's own row decides
 * whether they can act.
 */
export function createHiding(tables: readonly Table[]): Projection<UserEvent | ProjectEvent> {
  const moved = tables.filter(canHide);
  const move = (userId: string, projectId: string): Change[] =>
    moved.map(({ name }) => patch(name, { user_id: userId }, { project_id: projectId }));
  return {
    UserDeletionScheduled: ({ data }) => move(data.userId, hiddenProjectId(data.projectId)),
    UserDeletionCanceled: ({ data }) => move(data.userId, data.projectId),
    // What outlives the user names nobody and is shown again.
    UserDeleted: ({ data }) => (data.wasScheduled ? move(data.userId, data.projectId) : []),
    ProjectDeleted: ({ data }) => [removeAll('project_id', hiddenProjectId(data.projectId))],
  };
}
