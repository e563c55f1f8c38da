import { describe, expect, test } from 'vitest';
import { given } from '../spec.ts';
import { userDecider } from './decide.ts';
import type { UserEvent } from './events.ts';
import { unknownSignIn } from './events.ts';
import { rejectAdminRestriction } from './restriction.ts';
import { evolveUser, initialState } from './state.ts';

const at = '2026-01-15T12:00:00.000Z';
const userId = '00000000-0000-4000-8000-000000000001';
const profile = { displayName: null, profileImageUrl: null, isAnonymous: false, method: 'server' as const };
const metadata = { clientMetadata: null, clientReadOnlyMetadata: null, serverMetadata: null };
const created: UserEvent = {
  type: 'UserCreated',
  data: { ...unknownSignIn, userId, projectId: 'p', ...profile, ...metadata, at },
};
const texts = { reason: 'Spam', privateDetails: 'Ticket 7' };
const noTexts = { reason: null, privateDetails: null };
const restricted = (data = texts as { reason: string | null; privateDetails: string | null }): UserEvent => ({
  type: 'UserRestricted',
  data: { userId, ...data, at },
});
const sessionsEnded: UserEvent = {
  type: 'UserSessionsEnded',
  data: { userId, keptSessionId: null, reason: 'restriction', at },
};
const lifted: UserEvent = { type: 'UserRestrictionLifted', data: { userId, at } };
const unchanged = { isRestricted: undefined, reason: undefined, privateDetails: undefined };
const change = (changes: Partial<{ isRestricted: boolean; reason: string | null; privateDetails: string | null }>) =>
  ({ type: 'ChangeAdminRestriction', ...unchanged, ...changes, at }) as const;

describe('restricting a user', () => {
  test('is recorded with its texts and ends all sessions', () =>
    given(userDecider, created)
      .when(change({ isRestricted: true, ...texts }))
      .then(restricted(), sessionsEnded));

  test('needs no texts', () =>
    given(userDecider, created)
      .when(change({ isRestricted: true }))
      .then(restricted(noTexts), sessionsEnded));

  test('again changes nothing, or only the given texts', () => {
    const restrictedUser = () => given(userDecider, created, restricted(), sessionsEnded);
    restrictedUser()
      .when(change({ isRestricted: true }))
      .then();
    restrictedUser()
      .when(change({ isRestricted: true, reason: 'Fraud' }))
      .then({ type: 'UserRestrictionChanged', data: { userId, ...texts, reason: 'Fraud', at } });
    restrictedUser()
      .when(change({ reason: null }))
      .then({ type: 'UserRestrictionChanged', data: { userId, ...texts, reason: null, at } });
  });
});

describe('lifting a restriction', () => {
  test('is recorded once', () => {
    given(userDecider, created, restricted(), sessionsEnded)
      .when(change({ isRestricted: false }))
      .then(lifted);
    given(userDecider, created)
      .when(change({ isRestricted: false }))
      .then();
    given(userDecider, created)
      .when(change({ reason: null }))
      .then();
  });

  test('removes the texts', () =>
    given(userDecider, created, restricted(), sessionsEnded, lifted)
      .when(change({ isRestricted: true }))
      .then(restricted(noTexts), sessionsEnded));
});

test('only a user whom an administrator restricts is rejected', () => {
  const check = (...events: UserEvent[]) => {
    const user = events.reduce(evolveUser, initialState);
    if (user.status === 'active') rejectAdminRestriction(user);
  };
  expect(() => check(created, restricted())).toThrow('RESTRICTED_USER_NOT_ALLOWED');
  expect(() => check(created, restricted(), lifted)).not.toThrow();
});

test('the country and risk scores are recorded as given', () => {
  given(userDecider, created)
    .when({ type: 'ChangeCountryCode', countryCode: 'CH', at })
    .then({ type: 'UserCountryCodeChanged', data: { userId, countryCode: 'CH', at } });
  const riskScores = { bot: 12, freeTrialAbuse: 3 };
  given(userDecider, created)
    .when({ type: 'ChangeRiskScores', riskScores, at })
    .then({ type: 'UserRiskScoresChanged', data: { userId, riskScores, at } });
});
