import type { CodeEvent, CodePurpose, GrantedSession } from './events.ts';

export type IssuedCode = {
  status: 'issued';
  codeId: string;
  projectId: string;
  purpose: CodePurpose;
  codeHash: string;
  recipient: string | null;
  payload: Extract<CodeEvent, { type: 'CodeIssued' }>['data']['payload'];
  /** null also once its subject is erased. */
  encryptedPayload: Extract<CodeEvent, { type: 'CodeIssued' }>['data']['encryptedPayload'];
  expiresAt: string;
  attempts: number;
  isUsed: boolean;
  /** null for a code that gave no session, and while it is not used. */
  granted: GrantedSession | null;
  isRevoked: boolean;
  /** Whoever it was sent to is erased: nobody is to use it. */
  isErased: boolean;
  approval: { userId: string; userRevision: number } | null;
};
export type CodeState = { status: 'absent' } | IssuedCode;

export const initialState: CodeState = { status: 'absent' };

export function evolveCode(state: CodeState, event: CodeEvent): CodeState {
  if (event.type === 'CodeIssued') {
    const { subjectId: _, addressRef, callbackUrl: __, at: ___, ...issued } = event.data;
    const isErased = addressRef !== null && issued.recipient === null;
    const fresh = { attempts: 0, isUsed: false, granted: null, isRevoked: false, isErased, approval: null };
    return { status: 'issued', ...issued, ...fresh };
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
    case 'CodeRevoked':
      return { ...state, isRevoked: true };
    default:
      event satisfies never;
      return state;
  }
}
