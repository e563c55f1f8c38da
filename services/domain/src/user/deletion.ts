import { unreachable } from '../decider.ts';
import { reject } from '../errors.ts';
import { endOfGracePeriod } from '../grace-period.ts';
import type { UserEvent } from './events.ts';
import type { ActiveUser, UserAwaitingDeletion } from './state.ts';

/** `graceDays`: above 0. `isByUser`: the user asks for it. */
type ScheduleDeletion = { type: 'ScheduleDeletion'; graceDays: number; isByUser: boolean; at: string };
type RestoreUser = { type: 'RestoreUser'; at: string };
/** Also a user who awaits deletion. `mergedIntoId`: the user who gets everything of the deleted one. */
type DeleteUser = { type: 'DeleteUser'; addressRefs: readonly string[]; mergedIntoId?: string; at: string };
export type DeletionCommand = ScheduleDeletion | RestoreUser | DeleteUser;

export function decideDeletion(
  command: DeletionCommand,
  state: ActiveUser | UserAwaitingDeletion,
): readonly UserEvent[] {
  const isAwaiting = state.status === 'awaiting_deletion';
  const { userId, projectId } = isAwaiting ? state.user : state;
  const { at } = command;
  switch (command.type) {
    case 'ScheduleDeletion': {
      if (isAwaiting) return reject('USER_NOT_FOUND');
      const deleteAt = endOfGracePeriod(at, command.graceDays);
      return [{ type: 'UserDeletionScheduled', data: { userId, projectId, deleteAt, isByUser: command.isByUser, at } }];
    }
    case 'RestoreUser':
      return isAwaiting ? [{ type: 'UserDeletionCanceled', data: { userId, projectId, at } }] : [];
    case 'DeleteUser': {
      const { mergedIntoId } = command;
      const facts = { userId, projectId, addressRefs: [...command.addressRefs], wasScheduled: isAwaiting };
      return [{ type: 'UserDeleted', data: { ...facts, ...(mergedIntoId !== undefined && { mergedIntoId }), at } }];
    }
    default:
      return unreachable(command);
  }
}
