import { type Decider, unreachable } from '../decider.ts';
import { reject } from '../errors.ts';
import { stateVersions } from '../state-versions.ts';
import { unknownSignIn } from '../user/events.ts';
import type { SessionEvent } from './events.ts';
import { evolveSession, initialState, type SessionState } from './state.ts';

type Started = Extract<SessionEvent, { type: 'SessionStarted' }>['data'];
/** null unless they are given. */
type SignInFacts = Pick<Started, 'secondFactor' | 'impersonationReason' | keyof typeof unknownSignIn>;
/** Why a single session ends, as opposed to all sessions of a user. */
export type EndReason = Extract<SessionEvent, { type: 'SessionEnded' }>['data']['reason'];
type StartSession = { type: 'StartSession' } & Omit<Started, keyof SignInFacts> & Partial<SignInFacts>;
type EndSession = { type: 'EndSession'; reason: EndReason; at: string };
export type SessionCommand = StartSession | EndSession;

function decideSession(command: SessionCommand, state: SessionState): readonly SessionEvent[] {
  switch (command.type) {
    case 'StartSession': {
      if (state.status !== 'absent') throw new Error(`session ${command.sessionId} exists already`);
      const { type: _, ...given } = command;
      const data = { secondFactor: null, impersonationReason: null, ...unknownSignIn, ...given };
      return [{ type: 'SessionStarted', data }];
    }
    case 'EndSession': {
      if (state.status !== 'started') return reject('SESSION_NOT_FOUND');
      const { sessionId, userId } = state;
      return [{ type: 'SessionEnded', data: { sessionId, userId, reason: command.reason, at: command.at } }];
    }
    default:
      return unreachable(command);
  }
}

export const sessionDecider: Decider<SessionState, SessionCommand, SessionEvent> = {
  initialState,
  decide: decideSession,
  evolve: evolveSession,
  stateVersion: stateVersions.session,
};
