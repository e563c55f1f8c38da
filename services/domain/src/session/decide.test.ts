import { describe, test } from 'vitest';
import { given } from '../spec.ts';
import { unknownSignIn } from '../user/events.ts';
import { sessionDecider } from './decide.ts';
import type { SessionEvent } from './events.ts';

const at = '2026-01-15T12:00:00.000Z';
const data = {
  sessionId: '00000000-0000-4000-8000-000000000001',
  userId: '00000000-0000-4000-8000-000000000002',
  projectId: 'internal',
  userRevision: 2,
  refreshTokenHash: 'hash',
  expiresAt: '2027-01-15T12:00:00.000Z',
  isImpersonation: false,
  impersonator: null,
  impersonationReason: null,
  method: 'password' as const,
  secondFactor: null,
  ...unknownSignIn,
  at,
};
const started: SessionEvent = { type: 'SessionStarted', data };
const { sessionId, userId } = data;
const ended: SessionEvent = { type: 'SessionEnded', data: { sessionId, userId, reason: 'sign_out', at } };
const end = { type: 'EndSession', reason: 'sign_out', at } as const;

describe('a session', () => {
  test('starts', () =>
    given(sessionDecider)
      .when({ type: 'StartSession', ...data })
      .then(started));
  test('ends', () => given(sessionDecider, started).when(end).then(ended));
  test('cannot end before it started', () => given(sessionDecider).when(end).thenRejected('SESSION_NOT_FOUND'));
  test('cannot end twice', () => given(sessionDecider, started, ended).when(end).thenRejected('SESSION_NOT_FOUND'));
});
