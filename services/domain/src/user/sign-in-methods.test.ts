import { describe, expect, test } from 'vitest';
import { given } from '../spec.ts';
import { userDecider } from './decide.ts';
import type { Passkey, UserEvent } from './events.ts';
import { anonymousName } from './sign-in-methods.ts';
import { userCreated } from './testing/user-created.ts';

const [at, projectId] = ['2026-01-15T12:00:00.000Z', 'shop'];
const userId = '00000000-0000-4000-8000-000000000001';
const channelId = '00000000-0000-4000-8000-000000000002';
const of = { userId, projectId, at };
const created = userCreated({ ...of, displayName: 'Ann' });
const anonymous = userCreated({ ...of, displayName: anonymousName, isAnonymous: true, method: 'anonymous' });
const channel = { userId, channelId, channelType: 'email' as const, value: 'Ann@example.com', isPrimary: true };
const channelAdded = (isVerified: boolean): UserEvent => ({
  type: 'ContactChannelAdded',
  data: { ...channel, isVerified, usedForAuth: true, at },
});
const ended = (reason: 'password_reset' | 'upgrade' | 'activity_report'): UserEvent => ({
  type: 'UserSessionsEnded',
  data: { userId, keptSessionId: null, reason, at },
});
const passwordSet = (passwordHash: string, origin: 'reset' | 'sign_up'): UserEvent => ({
  type: 'UserPasswordSet',
  data: { userId, passwordHash, origin, at },
});
const otpOn: UserEvent = { type: 'OtpAuthChanged', data: { userId, isEnabled: true, at } };
const totpChanged = (secret: string | null): UserEvent => ({
  type: 'TotpSecretChanged',
  data: { userId, secret, isEnabled: secret !== null, at },
});
const totpUsed = (step: number): UserEvent => ({ type: 'TotpUsed', data: { userId, step, at } });
const passkey: Passkey = {
  credentialId: 'credential',
  publicKey: 'key',
  counter: 7,
  transports: ['internal'],
  deviceType: 'singleDevice',
};
const registered = (of: Passkey | null): UserEvent => ({
  type: 'PasskeyRegistered',
  data: { userId, passkey: of, at },
});
const passkeyUsed = (counter: number): UserEvent => ({ type: 'PasskeyUsed', data: { userId, counter, at } });
const passkeyRemoved: UserEvent = { type: 'PasskeyRemoved', data: { userId, at } };

describe('a report of activity that was not the user’s', () => {
  const report = { type: 'ReportActivity', address: 'ann@EXAMPLE.com', at } as const;
  test('ends all sessions and removes a password that can be reset with that address', () => {
    const removed: UserEvent = { type: 'UserPasswordRemoved', data: { userId, at } };
    given(userDecider, created, channelAdded(true), passwordSet('hash', 'sign_up'))
      .when(report)
      .then(removed, ended('activity_report'));
    given(userDecider, created, channelAdded(true)).when(report).then(ended('activity_report'));
    given(userDecider, created, passwordSet('hash', 'sign_up')).when(report).then(ended('activity_report'));
  });
});

describe('a reset', () => {
  const reset = { type: 'ResetPassword', codeId: null, passwordHash: 'new', at } as const;
  test('sets a first or new password and ends all sessions', () => {
    const events = [passwordSet('new', 'reset'), ended('password_reset')];
    given(userDecider, created)
      .when(reset)
      .then(...events);
    given(userDecider, created, passwordSet('old', 'sign_up'))
      .when(reset)
      .then(...events);
  });
});

describe('verifying an address', () => {
  const verify = { type: 'VerifyEmail', email: 'ann@EXAMPLE.com', session: 'own', at } as const;
  test('verifies the channel in any spelling', () =>
    given(userDecider, created, channelAdded(false))
      .when(verify)
      .then({ type: 'ContactChannelProven', data: { userId, channelId, by: 'verification', removed: [], at } }));
  test('does nothing the second time', () => given(userDecider, created, channelAdded(true)).when(verify).then());
  test('that does not exist is rejected', () => {
    given(userDecider, created).when(verify).thenRejected('VERIFICATION_CODE_NOT_FOUND');
    const value = 'other@example.com';
    const moved: UserEvent = {
      type: 'ContactChannelValueChanged',
      data: { userId, channelId, value, isVerified: false, at },
    };
    given(userDecider, created, channelAdded(false), moved).when(verify).thenRejected('VERIFICATION_CODE_NOT_FOUND');
  });
});

test('sign-in codes are allowed for a user without them', () => {
  const allow = { type: 'AllowSignInCode', at } as const;
  given(userDecider, created).when(allow).then(otpOn);
  given(userDecider, created, otpOn).when(allow).then();
});

test('throttled sign-ins are recorded once in their minutes, and change nothing else', () => {
  const limit = { failures: 60, minutes: 10 };
  given(userDecider, created)
    .when({ type: 'ThrottleSignIns', ...limit, at })
    .then({ type: 'SignInsThrottled', data: { userId, ...limit, at } });
  const before = userDecider.evolve(userDecider.initialState, created);
  const throttled: UserEvent = { type: 'SignInsThrottled', data: { userId, ...limit, at } };
  expect(userDecider.evolve(before, throttled)).toMatchObject({
    ...before,
    revision: expect.anything(),
    signInsThrottledAt: at,
  });
  const repeat = (minutes: number) =>
    given(userDecider, created, throttled).when({
      type: 'ThrottleSignIns',
      ...limit,
      at: new Date(Date.parse(at) + minutes * 60_000).toISOString(),
    });
  for (const minutes of [-30, 0, 9.9]) repeat(minutes).then();
  repeat(10).then({ ...throttled, data: { ...throttled.data, at: new Date(Date.parse(at) + 600_000).toISOString() } });
});

describe('an anonymous user who signs up', () => {
  const email = { channelId, value: 'Ann@example.com', isVerified: false };
  const upgrade = {
    type: 'UpgradeUser',
    method: 'password',
    email,
    passwordHash: 'hash',
    isOtpEnabled: false,
    at,
  } as const;
  const upgraded = (method: 'password' | 'otp' | 'server'): UserEvent => ({
    type: 'UserUpgraded',
    data: { userId, projectId, method, at },
  });
  const unnamed: UserEvent = { type: 'UserRenamed', data: { userId, displayName: null, at } };

  test('keeps the ID and loses the default name and all sessions', () =>
    given(userDecider, anonymous)
      .when(upgrade)
      .then(upgraded('password'), unnamed, channelAdded(false), passwordSet('hash', 'sign_up'), ended('upgrade')));

  test('keeps a name they chose', () => {
    const renamed: UserEvent = { type: 'UserRenamed', data: { userId, displayName: 'Ann', at } };
    given(userDecider, anonymous, renamed)
      .when({ ...upgrade, method: 'otp', passwordHash: null, isOtpEnabled: true })
      .then(upgraded('otp'), channelAdded(false), otpOn, ended('upgrade'));
  });

  test('stays signed in when a server upgrades them', () =>
    given(userDecider, anonymous)
      .when({ ...upgrade, method: 'server', email: null, passwordHash: null })
      .then(upgraded('server')));

  test('is upgraded once', () => given(userDecider, created).when(upgrade).then());
});

describe('the second factor', () => {
  const change = (secret: string | null) => ({ type: 'ChangeTotpSecret', secret, at }) as const;
  const use = (step: number | null) => ({ type: 'UseTotp', step, at }) as const;

  test('is turned on, replaced and turned off', () => {
    given(userDecider, created).when(change('c2VjcmV0')).then(totpChanged('c2VjcmV0'));
    given(userDecider, created, totpChanged('b2xk')).when(change('c2VjcmV0')).then(totpChanged('c2VjcmV0'));
    given(userDecider, created, totpChanged('b2xk')).when(change(null)).then(totpChanged(null));
    given(userDecider, created).when(change(null)).then();
  });

  test('accepts a step once and no earlier one', () => {
    const on = [created, totpChanged('c2VjcmV0')];
    given(userDecider, ...on)
      .when(use(100))
      .then(totpUsed(100));
    given(userDecider, ...on, totpUsed(100))
      .when(use(101))
      .then(totpUsed(101));
    given(userDecider, ...on, totpUsed(100))
      .when(use(100))
      .thenRejected('INVALID_TOTP_CODE');
    given(userDecider, ...on, totpUsed(100))
      .when(use(99))
      .thenRejected('INVALID_TOTP_CODE');
    given(userDecider, ...on)
      .when(use(null))
      .thenRejected('INVALID_TOTP_CODE');
  });

  test('rejects every code for an hour after forty wrong ones', () => {
    const rejected = (time: string): UserEvent => ({ type: 'TotpRejected', data: { userId, at: time } });
    const on = [created, totpChanged('c2VjcmV0')];
    given(userDecider, ...on)
      .when({ type: 'RejectTotp', at })
      .then(rejected(at));
    const forty = Array.from({ length: 40 }, () => rejected(at));
    given(userDecider, ...on, ...forty)
      .when({ type: 'RejectTotp', at })
      .then();
    given(userDecider, ...on, ...forty)
      .when(use(100))
      .thenRejected('INVALID_TOTP_CODE');
    const later = '2026-01-15T13:00:00.000Z';
    given(userDecider, ...on, ...forty)
      .when({ ...use(100), at: later })
      .then({ type: 'TotpUsed', data: { userId, step: 100, at: later } });
    given(userDecider, ...on, ...forty.slice(1))
      .when(use(100))
      .then(totpUsed(100));
  });

  test('ignores the steps of the previous secret', () =>
    given(userDecider, created, totpChanged('b2xk'), totpUsed(100), totpChanged('c2VjcmV0'))
      .when(use(100))
      .then(totpUsed(100)));

  test('that is off accepts nothing', () =>
    given(userDecider, created).when(use(100)).thenRejected('VERIFICATION_CODE_NOT_FOUND'));
});

describe('a passkey', () => {
  const use = (counter: number, credentialId = 'credential') =>
    ({ type: 'UsePasskey', credentialId, counter, at }) as const;
  const rejected = ['PASSKEY_AUTHENTICATION_FAILED', { message: 'The passkey could not be verified.' }] as const;
  const uncounted = { ...passkey, counter: 0 };

  test('is registered and replaces the previous one', () => {
    given(userDecider, created).when({ type: 'RegisterPasskey', passkey, at }).then(registered(passkey));
    given(userDecider, created, registered(uncounted))
      .when({ type: 'RegisterPasskey', passkey, at })
      .then(registered(passkey));
  });

  test('is used with an increasing counter or without one', () => {
    given(userDecider, created, registered(passkey)).when(use(8)).then(passkeyUsed(8));
    given(userDecider, created, registered(uncounted)).when(use(0)).then(passkeyUsed(0));
    given(userDecider, created, registered(passkey))
      .when(use(7))
      .thenRejected(...rejected);
    given(userDecider, created, registered(passkey))
      .when(use(0))
      .thenRejected(...rejected);
    given(userDecider, created, registered(passkey), passkeyUsed(8))
      .when(use(8))
      .thenRejected(...rejected);
  });

  test('that is unknown, removed or erased is rejected', () => {
    given(userDecider, created, registered(passkey))
      .when(use(8, 'other'))
      .thenRejected(...rejected);
    given(userDecider, created, registered(passkey), passkeyRemoved)
      .when(use(8))
      .thenRejected(...rejected);
    given(userDecider, created, registered(null))
      .when(use(8))
      .thenRejected(...rejected);
  });

  test('is removed once', () => {
    const remove = { type: 'RemovePasskey', at } as const;
    given(userDecider, created, registered(passkey)).when(remove).then(passkeyRemoved);
    given(userDecider, created).when(remove).then();
  });
});

describe('an account at a provider', () => {
  const id = '55555555-5555-4555-8555-555555555555';
  const account = { id, provider: 'github', accountRef: 'ref-1', accountId: 'octo', email: 'octo@example.com' };
  const allowed = { allowSignIn: true, allowConnectedAccounts: true };
  const linked = (changes: Partial<typeof account & typeof allowed> = {}): UserEvent => ({
    type: 'OAuthAccountLinked',
    data: { userId, ...account, ...allowed, ...changes, at },
  });
  const link = (isOnlyOne: boolean, changes: Partial<typeof account> = {}) =>
    ({ type: 'LinkOAuthAccount', ...account, ...changes, isOnlyOne, at }) as const;

  test('is linked once', () => {
    given(userDecider, created).when(link(true)).then(linked());
    given(userDecider, created, linked()).when(link(true)).then();
    given(userDecider, created, linked()).when(link(false)).then();
  });

  test('beyond the limit is rejected; a linked one stays', () => {
    const other = { accountRef: 'ref-2', accountId: 'cat', provider: 'google' };
    given(userDecider, created, linked())
      .when({ ...link(true, other), limit: 2 })
      .then(linked(other));
    given(userDecider, created, linked())
      .when({ ...link(true, other), limit: 1 })
      .thenRejected('QUOTA_EXCEEDED', { quota: 'providerAccountsPerUser', limit: 1 });
    given(userDecider, created, linked())
      .when({ ...link(true), limit: 1 })
      .then();
  });

  test('of the same provider is added by a merge but not by hand', () => {
    const other = { accountRef: 'ref-2', accountId: 'cat' };
    given(userDecider, created, linked()).when(link(false, other)).then(linked(other));
    given(userDecider, created, linked())
      .when(link(true, other))
      .thenRejected('USER_ALREADY_CONNECTED_TO_ANOTHER_OAUTH_CONNECTION');
    given(userDecider, created, linked(), linked(other))
      .when(link(true))
      .thenRejected('USER_ALREADY_CONNECTED_TO_ANOTHER_OAUTH_CONNECTION');
    given(userDecider, created, linked())
      .when(link(true, { provider: 'google', ...other }))
      .then(linked({ provider: 'google', ...other }));
  });
});
