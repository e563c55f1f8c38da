import { type Decider, unreachable } from '../decider.ts';
import { reject } from '../errors.ts';
import type { ProjectRole } from '../project/roles.ts';
import { stateVersions } from '../state-versions.ts';
import type { UserBatchAction, UserBatchEvent, UserBatchOutcome } from './events.ts';
import { evolveUserBatch, initialState, type UserBatchState } from './state.ts';

type Started = Extract<UserBatchEvent, { type: 'UserBatchStarted' }>['data'];
type StartBatch = { type: 'StartBatch' } & Started;
/** Does nothing to a batch that has ended. */
type EndBatch = { type: 'EndBatch'; projectId: string; outcome: UserBatchOutcome; at: string };
export type UserBatchCommand = StartBatch | EndBatch;

/** The role that a member needs for the same change of one user. The undo of a change can need a higher one. */
export const roleForBatch = (action: UserBatchAction): ProjectRole =>
  action === 'delete' || action === 'grant_permission' ? 'developer' : 'support';

/** Actions that would also end the session of the member who starts them. */
export const locksOut = (action: UserBatchAction): boolean =>
  action === 'restrict' || action === 'sign_out' || action === 'delete';

/** Actions whose undo can restrict or delete the member who starts it. */
export const undoLocksOut = (action: UserBatchAction): boolean => action === 'lift_restriction' || action === 'undo';

function decideUserBatch(command: UserBatchCommand, state: UserBatchState): readonly UserBatchEvent[] {
  switch (command.type) {
    case 'StartBatch': {
      if (state.status !== 'absent') throw new Error(`batch ${command.batchId} was started already`);
      const { type: _, ...data } = command;
      return [{ type: 'UserBatchStarted', data }];
    }
    case 'EndBatch': {
      const { projectId, outcome, at } = command;
      if (state.status === 'absent' || state.projectId !== projectId) return reject('USER_BATCH_NOT_FOUND');
      if (state.status !== 'running') return [];
      return [{ type: 'UserBatchEnded', data: { batchId: state.batchId, projectId, outcome, at } }];
    }
    default:
      return unreachable(command);
  }
}

export const userBatchDecider: Decider<UserBatchState, UserBatchCommand, UserBatchEvent> = {
  initialState,
  decide: decideUserBatch,
  evolve: evolveUserBatch,
  stateVersion: stateVersions['user-batch'],
};
