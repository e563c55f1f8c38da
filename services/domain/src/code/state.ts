import type { CodeEvent, CodePurpose, GrantedSession } from './events.ts';

export type IssuedCode = {
  status: 'issued';
  codeId: string;
  projectId: string;
  purpose: CodePurpose;
  codeHash: string;
  recipient: string | null;
  payload: Extract<CodeEvent, { type: 'CodeIssued' }>['data']['payload'];
  /** Also null once the subject is erased. */
  encryptedPayload: Extract<CodeEvent, { type: 'CodeIssued' }>['data']['encryptedPayload'];
  expiresAt: string;
  attempts: number;
  isUsed: boolean;
  /** null for a code that started no session, and until the code is used. */
  granted: GrantedSession | null;
  isRevoked: boolean;
  /** The recipient is erased, so the code can no longer be used. */
  isErased: boolean;
  approval: { userId: string; userRevision: number } | null;
  isAnonymousSessionHandedOver: boolean;
};
export type CodeState = { status: 'absent' } | IssuedCode;

export const initialState: CodeState = { status: 'absent' };

export function evolveCode(state: CodeState, event: CodeEvent): CodeState {
  if (event.type === 'CodeIssued') {
    const { subjectId: _, addressRef, callbackUrl: __, at: ___, ...issued } = event.data;
    const isErased = addressRef !== null && issued.recipient === null;
    const unused = { attempts: 0, isUsed: false, granted: null, isRevoked: false, isErased };
    return { status: 'issued', ...issued, ...unused, approval: null, isAnonymousSessionHandedOver: false };
  }
  if (state.status === 'absent') return state;
  switch (event.type) {
    case 'CodeAttempted':
      return { ...state, attempts: state.attempts + 1 };
    case 'CodeUsed':
      return { ...state, isUsed: true, granted: event.data.granted };
    case 'CodeApproved': {
      const { userId, userRevision } = event.data;
      return { ...state, approval: { userId, userRevision } };
    }
    case 'CodeAnonymousSessionHandedOver':
      return { ...state, isAnonymousSessionHandedOver: true };
    case 'CodeRevoked':
      return { ...state, isRevoked: true };
    default:
      event satisfies never;
      return state;
  }
}
