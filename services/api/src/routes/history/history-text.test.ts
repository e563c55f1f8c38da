import { membershipEvents } from '@gatebook/domain/membership/events';
import { sessionEvents } from '@gatebook/domain/session/events';
import { userEvents } from '@gatebook/domain/user/events';
import { expect, test } from 'vitest';
import { historyText, historyTypes } from './history-text.ts';

test('every event of a user, a session and a membership has words of its own', () => {
  const types = [userEvents, sessionEvents, membershipEvents].flatMap((events) => Object.keys(events));
  expect([...historyTypes].sort()).toEqual(types.sort());
});

test('erased details leave a sentence that still reads well', () => {
  for (const type of historyTypes) {
    const text = historyText(type, null);
    expect(text).toMatch(/^[A-Z][^{}]*[a-z0-9)]$/);
    expect(text).not.toContain('undefined');
    expect(text).not.toContain('null');
  }
});

test.each([
  ['UserCreated', { method: 'server', isAnonymous: false }, 'Was created by a server'],
  ['UserCreated', { method: 'password', isAnonymous: false }, 'Signed up by password'],
  ['UserRenamed', { displayName: null }, 'Display name was removed'],
  ['SessionStarted', { method: 'password', ip: '203.0.113.9' }, 'Signed in by password from 203.0.113.9'],
  ['SessionStarted', { method: 'server', isImpersonation: true, ip: null }, 'An impersonation session was started'],
  ['SessionStarted', { method: 'server', isImpersonation: false }, 'A session was started by a server'],
  ['TeamMemberAdded', { how: 'added', team: 'Crew' }, 'Was added to the team Crew'],
  ['TeamMemberAdded', { how: 'sign_up', team: null }, 'Got as their own, at sign-up, a team'],
  ['TeamPermissionGranted', { permission: 'edit', team: 'Crew' }, 'Was granted the permission edit in the team Crew'],
  ['TeamPermissionRevoked', {}, 'Lost the permission in a team'],
  ['SessionEnded', { reason: 'revoked' }, 'A session was revoked'],
  [
    'UserSessionsEnded',
    { reason: 'password_update', keptOne: true },
    'All other sessions ended because the password was changed',
  ],
  [
    'ContactChannelAdded',
    { value: 'a@b.example', isPrimary: false, isVerified: true },
    'E-mail address a@b.example was added (verified)',
  ],
])('%s %j', (type, details, text) => {
  expect(historyText(type, details)).toBe(text);
});
