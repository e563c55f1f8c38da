import { type Decider, unreachable } from '../decider.ts';
import { type DomainErrorCode, reject } from '../errors.ts';
import { stateVersions } from '../state-versions.ts';
import type { CodeEvent, CodePurpose, GrantedSession } from './events.ts';
import { type CodeState, evolveCode, type IssuedCode, initialState } from './state.ts';

/** Every presentation after this many is rejected (protocol, conventions §5). */
export const maxAttempts = 20;

type IssueCode = { type: 'IssueCode' } & Extract<CodeEvent, { type: 'CodeIssued' }>['data'];
/** A code was presented. Counts right or wrong, even if it is only checked. */
type PresentCode = { type: 'PresentCode'; at: string };
type UseCode = { type: 'UseCode'; presented: Presented; granted?: GrantedSession };
type ApproveCode = { type: 'ApproveCode'; userId: string; userRevision: number; at: string };
type HandOverAnonymousSession = { type: 'HandOverAnonymousSession'; presented: Presented };
type RevokeCode = { type: 'RevokeCode'; at: string };
export type CodeCommand = IssueCode | PresentCode | UseCode | ApproveCode | HandOverAnonymousSession | RevokeCode;

export type Presented = { codeHash: string; purpose: CodePurpose; projectId: string; at: string };

function decideCode(command: CodeCommand, state: CodeState): readonly CodeEvent[] {
  switch (command.type) {
    case 'IssueCode': {
      if (state.status !== 'absent') throw new Error('two codes share their last 39 characters');
      const { type: _, ...data } = command;
      return [{ type: 'CodeIssued', data }];
    }
    case 'PresentCode':
      // Beyond the limit, counting changes no response and would only let anyone fill the log.
      if (state.status === 'absent' || state.attempts >= maxAttempts) return [];
      return [{ type: 'CodeAttempted', data: { codeId: state.codeId, at: command.at } }];
    case 'UseCode': {
      // Attempts were checked when the code was presented, before anything else could reject its use.
      const fault = findLifeFault(command.presented, state);
      if (fault !== null || state.status === 'absent') return reject(fault ?? 'VERIFICATION_CODE_NOT_FOUND');
      const { presented, granted = null } = command;
      return [{ type: 'CodeUsed', data: { codeId: state.codeId, at: presented.at, granted } }];
    }
    case 'ApproveCode': {
      if (state.status === 'absent' || state.isRevoked || state.approval !== null)
        return reject('CLI_LOGIN_CODE_INVALID');
      const { type: _, ...approval } = command;
      return [{ type: 'CodeApproved', data: { codeId: state.codeId, ...approval } }];
    }
    case 'HandOverAnonymousSession': {
      if (state.status === 'absent' || findLifeFault(command.presented, state) !== null)
        return reject('CLI_LOGIN_CODE_INVALID');
      if (state.isAnonymousSessionHandedOver) return reject('CLI_ANONYMOUS_SESSION_NOT_FOUND');
      return [{ type: 'CodeAnonymousSessionHandedOver', data: { codeId: state.codeId, at: command.presented.at } }];
    }
    case 'RevokeCode':
      if (state.status === 'absent' || state.isRevoked || state.isUsed) return [];
      return [{ type: 'CodeRevoked', data: { codeId: state.codeId, at: command.at } }];
    default:
      return unreachable(command);
  }
}

/**
 * Returns why a presented code is not accepted, in the order of the protocol (protocol, conventions §5), or null.
 * `state` must not count this presentation yet: the 20th still works.
 */
export function findCodeFault(presented: Presented, state: CodeState): DomainErrorCode | null {
  const fault = findLifeFault(presented, state);
  if (fault !== null || state.status === 'absent') return fault;
  return state.attempts >= maxAttempts ? 'VERIFICATION_CODE_MAX_ATTEMPTS_REACHED' : null;
}

function findLifeFault(presented: Presented, state: CodeState): DomainErrorCode | null {
  if (state.status === 'absent' || state.isRevoked || !isSameCode(presented, state))
    return 'VERIFICATION_CODE_NOT_FOUND';
  if (Date.parse(state.expiresAt) <= Date.parse(presented.at)) return 'VERIFICATION_CODE_EXPIRED';
  if (state.isUsed) return 'VERIFICATION_CODE_ALREADY_USED';
  return state.isErased ? 'VERIFICATION_CODE_NOT_FOUND' : null;
}

const isSameCode = ({ codeHash, purpose, projectId }: Presented, code: IssuedCode) =>
  code.codeHash === codeHash && code.purpose === purpose && code.projectId === projectId;

export const codeDecider: Decider<CodeState, CodeCommand, CodeEvent> = {
  initialState,
  decide: decideCode,
  evolve: evolveCode,
  stateVersion: stateVersions.code,
};
