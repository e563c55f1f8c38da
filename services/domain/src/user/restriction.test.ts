import { describe, expect, test } from 'vitest';
import { findRestriction } from './restriction.ts';

const regular = { restrictedByAdmin: false, isAnonymous: false, primaryEmailVerified: true };
const required = { emailVerificationRequired: true };

describe('a user', () => {
  test.each([
    ['with a verified address is not restricted', regular, required, null],
    [
      'without one is restricted where it is required',
      { ...regular, primaryEmailVerified: false },
      required,
      'email_not_verified',
    ],
    [
      'without one is not restricted elsewhere',
      { ...regular, primaryEmailVerified: false },
      { emailVerificationRequired: false },
      null,
    ],
    [
      'whom an administrator restricts is restricted for that reason',
      { restrictedByAdmin: true, isAnonymous: true, primaryEmailVerified: false },
      required,
      'restricted_by_administrator',
    ],
    ['who is anonymous is restricted', { ...regular, isAnonymous: true }, required, 'anonymous'],
  ])('%s', (_, user, settings, restriction) => {
    expect(findRestriction(user, settings)).toBe(restriction);
  });
});
