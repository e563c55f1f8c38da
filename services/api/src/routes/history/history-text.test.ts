import { catalog } from '@gatebook/domain/catalog';
import type { EventDefinition } from '@gatebook/domain/event';
import { membershipEvents } from '@gatebook/domain/membership/events';
import { sessionEvents } from '@gatebook/domain/session/events';
import { userEvents } from '@gatebook/domain/user/events';
import { expect, test } from 'vitest';
import { z } from 'zod';
import { textLanguages } from '../../http/text-language.ts';
import { historyText, historyTypes } from './history-text.ts';

test('every event of a user, a session and a membership has its own text', () => {
  const types = [userEvents, sessionEvents, membershipEvents].flatMap((events) => Object.keys(events));
  expect([...historyTypes, 'ReservationExpired'].sort()).toEqual(types.sort());
});

/** Shown elsewhere: emails have their own list, and codes are shown by their result. */
const notInHistories = [
  ...['EmailRequested', 'EmailSent', 'EmailFailed'],
  // Of projects, in their streams.
  ...['ProjectOwnerAdded', 'ProjectOwnerRemoved', 'ProjectMemberRoleChanged', 'ProjectMemberRemoved'],
  'CodeApproved',
  // Only keeps a sign-up from completing that was interrupted for too long.
  'ReservationExpired',
  // Belongs to a connected account, whose link is shown.
  ...['ProviderTokensStored', 'ProviderTokensDiscarded'],
];

test('every event of the catalog that names a user has its own text or is shown elsewhere', () => {
  const naming = Object.entries<EventDefinition>(catalog).flatMap(([type, { data }]) =>
    data instanceof z.ZodObject && 'userId' in data.shape ? [type] : [],
  );
  expect([...historyTypes, ...notInHistories].sort()).toEqual(naming.sort());
});

test.each(textLanguages)('erased details leave a complete sentence in %s', (language) => {
  for (const type of historyTypes) {
    const text = historyText(language, type, null);
    expect(text).toMatch(/^\p{Lu}[^{}„]*[\p{L}\p{N})]$/u);
    expect(text).not.toContain('undefined');
    expect(text).not.toContain('null');
  }
});

test.each([
  ['UserCreated', { method: 'server', isAnonymous: false }, 'Created the user'],
  ['UserCreated', { method: 'password', isAnonymous: false }, 'Signed up with a password'],
  ['UserRenamed', { displayName: null }, 'Removed the display name'],
  ['SessionStarted', { method: 'password', ip: '203.0.113.9' }, 'Signed in with a password from 203.0.113.9'],
  ['SessionStarted', { method: 'server', isImpersonation: true, ip: null }, 'An impersonation session was started'],
  [
    'SessionStarted',
    { isImpersonation: true, minutes: 15, impersonationReason: 'Ticket 42' },
    'An impersonation session was started for 15 minutes: Ticket 42',
  ],
  ['SessionStarted', { method: 'server', isImpersonation: false }, 'A session was started'],
  ['OtpAuthChanged', { isEnabled: true, isBySignIn: false }, 'Enabled sign-in with email codes'],
  ['OtpAuthChanged', { isEnabled: true, isBySignIn: true }, 'Enabled sign-in with email codes by using one'],
  ['TeamMemberAdded', { how: 'added', team: 'Crew' }, 'Added to the team Crew'],
  ['TeamMemberAdded', { how: 'sign_up', team: null }, 'Got at sign-up, as a personal team, a team'],
  ['TeamPermissionGranted', { permission: 'edit', team: 'Crew' }, 'Granted the permission edit in the team Crew'],
  ['TeamPermissionRevoked', {}, 'Lost a permission in a team'],
  ['ContactChannelRemoved', { value: 'a@b.example' }, 'Removed email address a@b.example'],
  ['ContactChannelAuthChanged', { usedForAuth: false }, 'Email address can no longer be used for sign-in'],
  [
    'PrimaryChannelChanged',
    { hasPrimary: true, value: 'a@b.example' },
    'Email address a@b.example became the primary address',
  ],
  ['OAuthAccountUnlinked', { provider: 'github' }, 'Disconnected the account at GitHub'],
  ['OAuthAccountUnlinked', { provider: 'acme' }, 'Disconnected the account at acme'],
  ['SessionEnded', { reason: 'revoked' }, 'A session was revoked'],
  [
    'UserSessionsEnded',
    { reason: 'password_update', keptOne: true },
    'All other sessions ended because the password was changed',
  ],
  [
    'ContactChannelAdded',
    { value: 'a@b.example', isPrimary: false, isVerified: true },
    'Added email address a@b.example (verified)',
  ],
])('%s %j', (type, details, text) => {
  expect(historyText('en', type, details)).toBe(text);
});
