import { type Decider, unreachable } from '../decider.ts';
import { stateVersions } from '../state-versions.ts';
import type { MailingEvent } from './events.ts';
import { evolveMailing, initialState, type MailingState } from './state.ts';

type Requested = Extract<MailingEvent, { type: 'MailingRequested' }>['data'];
type RequestMailing = { type: 'RequestMailing' } & Requested;
/** The emails to the next recipients are decided in the same append. */
type RecordEmailsRequested = {
  type: 'RecordEmailsRequested';
  lastUserId: string | null;
  isComplete: boolean;
  at: string;
};
type CloseMailing = { type: 'CloseMailing'; at: string };

export type MailingCommand = RequestMailing | RecordEmailsRequested | CloseMailing;

function decideMailing(command: MailingCommand, state: MailingState): readonly MailingEvent[] {
  if (command.type === 'RequestMailing') {
    if (state.status !== 'absent') throw new Error(`mailing ${command.mailingId} was requested already`);
    const { type: _, ...data } = command;
    return [{ type: 'MailingRequested', data }];
  }
  if (state.status !== 'open') return [];
  const { mailingId, projectId } = state;
  switch (command.type) {
    case 'RecordEmailsRequested': {
      if (state.isComplete) return [];
      const { lastUserId, isComplete, at } = command;
      return [{ type: 'MailingEmailsRequested', data: { mailingId, projectId, lastUserId, isComplete, at } }];
    }
    case 'CloseMailing':
      return state.isComplete ? [{ type: 'MailingClosed', data: { mailingId, projectId, at: command.at } }] : [];
    default:
      return unreachable(command);
  }
}

export const mailingDecider: Decider<MailingState, MailingCommand, MailingEvent> = {
  initialState,
  decide: decideMailing,
  evolve: evolveMailing,
  stateVersion: stateVersions.mailing,
};
