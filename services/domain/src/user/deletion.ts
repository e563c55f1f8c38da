import { unreachable } from '../decider.ts';
import { reject } from '../errors.ts';
import { endOfGracePeriod } from '../grace-period.ts';
import type { UserEvent } from './events.ts';
import type { ActiveUser, UserAwaitingDeletion } from './state.ts';

/** `graceDays`: above 0. `isByUser`: the user asks for it. */
type ScheduleDeletion = { type: 'ScheduleDeletion'; graceDays: number; isByUser: boolean; at: string };
type RestoreUser = { type: 'RestoreUser'; at: string };
/** Also a user who awaits deletion. */
type DeleteUser = { type: 'DeleteUser'; addressRefs: readonly string[]; at: string };
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
      const addressRefs = [...command.addressRefs];
      return [{ type: 'UserDeleted', data: { userId, projectId, addressRefs, wasScheduled: isAwaiting, at } }];
    }
    default:
      return unreachable(command);
  }
}
