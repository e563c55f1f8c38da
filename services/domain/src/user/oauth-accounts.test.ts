import { describe, expect, test } from 'vitest';
import { given } from '../spec.ts';
import { userDecider } from './decide.ts';
import type { UserEvent } from './events.ts';
import { oauthAccountId } from './state.ts';
import { userCreated } from './testing/user-created.ts';

const at = '2026-01-15T12:00:00.000Z';
const userId = '11111111-1111-4111-8111-111111111111';
const [id, otherId] = ['55555555-5555-4555-8555-555555555555', '66666666-6666-4666-8666-666666666666'];
const account = {
  id,
  provider: 'github',
  accountRef: 'ref-1',
  accountId: 'octo',
  email: 'octo@example.com',
  allowSignIn: true,
  allowConnectedAccounts: true,
};
type Changes = Partial<typeof account>;

const created = userCreated({ userId, projectId: 'shop', method: 'oauth', at });
const linked = (changes: Changes = {}): UserEvent => ({
  type: 'OAuthAccountLinked',
  data: { userId, ...account, ...changes, at },
});
const changed = (changes: Changes): UserEvent => ({
  type: 'OAuthAccountChanged',
  data: { userId, ...account, ...changes, at },
});
const unlinked: UserEvent = {
  type: 'OAuthAccountUnlinked',
  data: { userId, provider: 'github', accountRef: 'ref-1', at },
};
const change = (changes: object) => ({ type: 'ChangeOAuthAccount', id, keepsSignIn: false, at, ...changes }) as const;
const unlink = (changes: object = {}) =>
  ({ type: 'UnlinkOAuthAccount', id, keepsSignIn: false, at, ...changes }) as const;
const other = linked({ id: otherId, accountRef: 'ref-2', accountId: 'cat' });
const signInAddress = (usedForAuth: boolean): UserEvent => ({
  type: 'ContactChannelAdded',
  data: {
    userId,
    channelId: '77777777-7777-4777-8777-777777777777',
    channelType: 'email',
    value: 'ann@example.com',
    isPrimary: true,
    isVerified: true,
    usedForAuth,
    at,
  },
});
const password: UserEvent = { type: 'UserPasswordSet', data: { userId, passwordHash: 'h', origin: 'set', at } };

describe('an account at a provider', () => {
  test('changes what it can be used for', () => {
    const off = change({ allowSignIn: false, allowConnectedAccounts: false });
    given(userDecider, created, linked())
      .when(off)
      .then(changed({ allowSignIn: false, allowConnectedAccounts: false }));
    given(userDecider, created, linked({ allowSignIn: false, allowConnectedAccounts: false }))
      .when(off)
      .then();
    given(userDecider, created, linked()).when(change({})).then();
  });

  test('gets another account ID or email and keeps its own ID', () =>
    given(userDecider, created, linked())
      .when(change({ account: { accountRef: 'ref-9', accountId: 'cat' }, email: 'cat@example.com' }))
      .then(changed({ accountRef: 'ref-9', accountId: 'cat', email: 'cat@example.com' })));

  test('that the user does not have is rejected', () => {
    given(userDecider, created, linked())
      .when(change({ id: otherId, allowSignIn: false }))
      .thenRejected('OAUTH_ACCOUNT_NOT_FOUND');
    given(userDecider, created, linked(), unlinked).when(unlink()).thenRejected('OAUTH_ACCOUNT_NOT_FOUND');
  });

  test('is unlinked, also after its account ID has changed', () => {
    given(userDecider, created, linked()).when(unlink()).then(unlinked);
    given(userDecider, created, linked(), changed({ accountRef: 'ref-9' }))
      .when(unlink())
      .then({ type: 'OAuthAccountUnlinked', data: { userId, provider: 'github', accountRef: 'ref-9', at } });
  });

  test('can be used by apps again once the user connects it by hand', () => {
    const link = { type: 'LinkOAuthAccount', ...account, isOnlyOne: true, at } as const;
    given(userDecider, created, linked({ allowSignIn: false, allowConnectedAccounts: false }))
      .when({ ...link, isConnecting: true })
      .then(changed({ allowSignIn: false }));
    given(userDecider, created, linked({ allowConnectedAccounts: false }))
      .when(link)
      .then();
  });
});

describe('the last way to sign in', () => {
  const [off, gone] = [change({ allowSignIn: false, keepsSignIn: true }), unlink({ keepsSignIn: true })];

  test.each<[string, UserEvent[]]>([
    ['only this account', []],
    ['another account that does not sign in', [linked({ id: otherId, accountRef: 'ref-2', allowSignIn: false })]],
    ['a password without an address to sign in with', [signInAddress(false), password]],
    ['an address without a method', [signInAddress(true)]],
  ])('stays: %s', (_, events) => {
    given(userDecider, created, linked(), ...events)
      .when(off)
      .thenRejected('LAST_SIGN_IN_METHOD');
    given(userDecider, created, linked(), ...events)
      .when(gone)
      .thenRejected('LAST_SIGN_IN_METHOD');
  });

  test.each<[string, UserEvent[]]>([
    ['another account', [other]],
    ['a password', [signInAddress(true), password]],
    ['email codes', [signInAddress(true), { type: 'OtpAuthChanged', data: { userId, isEnabled: true, at } }]],
  ])('is not this account where there is %s', (_, events) =>
    given(userDecider, created, linked(), ...events)
      .when(gone)
      .then(unlinked),
  );

  test('is not an account that does not sign in', () =>
    given(userDecider, created, linked({ allowSignIn: false }))
      .when(gone)
      .then(unlinked));
});

describe('an account linked before accounts had IDs', () => {
  const accountRef = 'Zk3-9_bX0aQ1cD4eF5gH6iJ7kL8mN9oP0qR1sT2uV3w';
  const old: UserEvent = { type: 'OAuthAccountLinked', data: { userId, ...account, id: null, accountRef, at } };

  test('has an ID that is derived from its reference', () => {
    const derived = oauthAccountId({ id: null, accountRef });
    expect(derived).toMatch(/^[0-9a-f]{8}-[0-9a-f]{4}-5[0-9a-f]{3}-8[0-9a-f]{3}-[0-9a-f]{12}$/);
    expect(oauthAccountId({ id: null, accountRef })).toBe(derived);
    expect(oauthAccountId({ id: null, accountRef: `Y${accountRef.slice(1)}` })).not.toBe(derived);
    given(userDecider, created, old)
      .when(change({ id: derived, allowSignIn: false }))
      .then(changed({ id: derived, accountRef, allowSignIn: false }));
  });
});
