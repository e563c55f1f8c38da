import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { given } from '../spec.ts';
import { hasLapsed, maxUnverifiedAddresses, standingOf, unverifiedAddressLifeMs } from './address-proof.ts';
import { type UserCommand, userDecider } from './decide.ts';
import type { UserEvent } from './events.ts';
import type { ActiveUser } from './state.ts';
import { userCreated } from './testing/user-created.ts';

const [at, projectId] = ['2026-01-15T12:00:00.000Z', 'shop'];
const idOf = (nth: number) => `00000000-0000-4000-8000-${String(nth).padStart(12, '0')}`;
const [userId, first, second, third] = [idOf(1), idOf(2), idOf(3), idOf(4)];
const email = 'ann@example.com';
const created = userCreated({ userId, projectId, at });
type Flags = { isPrimary: boolean; isVerified: boolean; usedForAuth: boolean };
const added = (channelId: string, value: string, flags: Partial<Flags> = {}): UserEvent => ({
  type: 'ContactChannelAdded',
  data: {
    userId,
    channelId,
    channelType: 'email',
    value,
    isPrimary: false,
    isVerified: false,
    usedForAuth: true,
    at,
    ...flags,
  },
});
const signedUp = [created, added(first, email, { isPrimary: true })];
const password: UserEvent = {
  type: 'UserPasswordSet',
  data: { userId, passwordHash: 'hash', origin: 'sign_up', at },
};
const totp: UserEvent = { type: 'TotpSecretChanged', data: { userId, secret: 'secret', isEnabled: true, at } };
const account = { userId, provider: 'github', accountRef: 'ref' };
const planted: UserEvent[] = [
  password,
  totp,
  {
    type: 'PasskeyRegistered',
    data: {
      userId,
      passkey: { credentialId: 'c', publicKey: 'k', counter: 0, transports: [], deviceType: 'singleDevice' },
      at,
    },
  },
  {
    type: 'OAuthAccountLinked',
    data: { id: null, ...account, accountId: 'id', email: null, allowSignIn: true, allowConnectedAccounts: true, at },
  },
  added(second, 'eve@example.com'),
];
const byLink: UserEvent = {
  type: 'ContactChannelVerificationChanged',
  data: { userId, channelId: first, isVerified: true, isByLinkAlone: true, at },
};
const stateOf = (...events: readonly UserEvent[]) =>
  events.reduce(userDecider.evolve, userDecider.initialState) as ActiveUser;
const decide = (command: UserCommand, ...events: readonly UserEvent[]) =>
  userDecider.decide(command, stateOf(...events));
const after = (command: UserCommand, ...events: readonly UserEvent[]) =>
  stateOf(...events, ...decide(command, ...events));

const prove = (by: 'password_reset' | 'sign_in_code' | 'provider') =>
  ({ type: 'ProveAddress', email: 'ANN@example.com', by, at }) as const;
const verify = (session: 'own' | 'none' | 'unavailable') =>
  ({ type: 'VerifyEmail', email: 'ANN@example.com', session, at }) as const;
const firstProofs: readonly UserCommand[] = [
  prove('password_reset'),
  prove('sign_in_code'),
  prove('provider'),
  verify('none'),
];

describe('the first proof of an address', () => {
  test.each(firstProofs)('by $type $by$session removes everything that others may have set up', (command) => {
    const user = after(command, ...signedUp, ...planted);
    expect(user).toMatchObject({ totp: null, passkey: null, oauthAccounts: [], apiKeysRevoked: { at } });
    expect(user.channels).toMatchObject([{ id: first, isVerified: true, isProven: true, isPrimary: true }]);
    const isReset = command.type === 'ProveAddress' && command.by === 'password_reset';
    // A reset sets its own password, and ends the sessions with it.
    expect(user.hasPassword).toBe(isReset);
    const types = decide(command, ...signedUp, ...planted).map(({ type }) => type);
    expect(types.includes('UserSessionsEnded')).toBe(!isReset);
    expect(types[0]).toBe('ContactChannelProven');
  });

  test('records what it removed', () => {
    const [proven] = decide(prove('sign_in_code'), ...signedUp, ...planted);
    expect(proven?.data).toMatchObject({
      by: 'sign_in_code',
      removed: ['password', 'passkey', 'totp', 'provider_accounts', 'addresses', 'api_keys', 'sessions'],
    });
    const [reset] = decide(prove('password_reset'), ...signedUp);
    expect(reset?.data).toMatchObject({ by: 'password_reset', removed: ['api_keys'] });
  });

  test('with a session of the user removes nothing', () => {
    const proven: UserEvent = {
      type: 'ContactChannelProven',
      data: { userId, channelId: first, by: 'verification', removed: [], at },
    };
    given(userDecider, ...signedUp, ...planted)
      .when(verify('own'))
      .then(proven);
    for (const command of firstProofs) {
      given(userDecider, ...signedUp, ...planted, proven)
        .when(command)
        .then();
    }
  });

  test('is not needed for an address that a server vouches for', () => {
    const vouched = [created, added(first, email, { isPrimary: true, isVerified: true }), ...planted];
    for (const command of firstProofs) {
      given(userDecider, ...vouched)
        .when(command)
        .then();
    }
  });
});

describe("a client library that can't send a session", () => {
  test('verifies the address without proving who controls the account', () => {
    given(userDecider, ...signedUp, ...planted)
      .when(verify('unavailable'))
      .then(byLink);
    const [channel] = stateOf(...signedUp, byLink).channels;
    expect(channel).toMatchObject({ isVerified: true, isProven: false });
    given(userDecider, ...signedUp, byLink)
      .when(verify('none'))
      .then();
  });

  test.each(['password_reset', 'sign_in_code', 'provider'] as const)(
    'leaves it to the next proof, by %s, to end what others may have set up, but for the second factor',
    (by) => {
      const user = after(prove(by), ...signedUp, ...planted, byLink);
      expect(user).toMatchObject({ passkey: null, oauthAccounts: [], apiKeysRevoked: { at } });
      expect(user.totp?.secret).toBe('secret');
      expect(user.channels).toMatchObject([{ id: first, isProven: true }]);
    },
  );

  test('removes nothing from an account with another proven sign-in address', () => {
    const vouched = added(third, 'work@example.com', { isVerified: true });
    const user = after(prove('sign_in_code'), ...signedUp, password, vouched, byLink);
    expect(user.hasPassword).toBe(true);
    expect(user.channels).toMatchObject([{ isProven: true }, { isProven: true }]);
  });
});

describe('an additional unverified address', () => {
  const owner = [
    created,
    added(second, 'eve@example.com', { isPrimary: true, isVerified: true }),
    ...planted.slice(0, 4),
  ];
  const trojan = [...owner, added(first, email)];

  test('does not open the account to the owner of the mailbox', () => {
    for (const by of ['password_reset', 'sign_in_code', 'provider'] as const) {
      given(userDecider, ...trojan)
        .when(prove(by))
        .thenRejected('VERIFICATION_CODE_NOT_FOUND');
    }
    // Nor does becoming the primary one help.
    const moved: UserEvent = { type: 'PrimaryChannelChanged', data: { userId, channelId: first, at } };
    given(userDecider, ...trojan, moved)
      .when(prove('password_reset'))
      .thenRejected('VERIFICATION_CODE_NOT_FOUND');
  });

  test('is verified without removing anything', () =>
    given(userDecider, ...trojan)
      .when(verify('none'))
      .then(byLink));

  test('is released to its verified owner; a verified one is not', () => {
    given(userDecider, ...trojan)
      .when({ type: 'ReleaseAddress', email, at })
      .then({ type: 'ContactChannelAuthChanged', data: { userId, channelId: first, usedForAuth: false, at } });
    given(userDecider, ...trojan)
      .when({ type: 'ReleaseAddress', email: 'eve@example.com', at })
      .thenRejected('USER_EMAIL_ALREADY_EXISTS', { email: 'eve@example.com' });
  });

  test('lapses after seven days; the primary address of an account does not', () => {
    const later = (ms: number) => new Date(Date.parse(at) + ms).toISOString();
    const lapsed = (events: readonly UserEvent[], ms: number) => {
      const user = stateOf(...events);
      const channel = user.channels.find(({ id }) => id === first);
      return channel && hasLapsed(user, channel, later(ms));
    };
    expect(lapsed(trojan, unverifiedAddressLifeMs - 1)).toBe(false);
    expect(lapsed(trojan, unverifiedAddressLifeMs)).toBe(true);
    expect(lapsed([...trojan, byLink], unverifiedAddressLifeMs)).toBe(false);
    expect(lapsed(signedUp, unverifiedAddressLifeMs)).toBe(false);
  });
});

describe('client access', () => {
  const flags = { isPrimary: false, isVerified: false, usedForAuth: true, isLimited: true };
  const add = (nth: number, when = at) =>
    ({ type: 'AddChannel', channelId: idOf(10 + nth), value: `${nth}@example.com`, ...flags, at: when }) as const;
  const several = (count: number) =>
    Array.from({ length: count }, (_, nth) => added(idOf(10 + nth), `${nth}@example.com`));
  const vouched = [created, added(first, email, { isPrimary: true, isVerified: true })];
  const limit = { limit: maxUnverifiedAddresses };

  test('can hold three unverified addresses, including the primary one', () => {
    expect(decide(add(2), ...vouched, ...several(2))).toHaveLength(1);
    given(userDecider, ...vouched, ...several(3))
      .when(add(3))
      .thenRejected('UNVERIFIED_EMAIL_LIMIT_REACHED', limit);
    given(userDecider, ...signedUp, ...several(2))
      .when(add(3))
      .thenRejected('UNVERIFIED_EMAIL_LIMIT_REACHED', limit);
    expect(decide({ ...add(3), isLimited: false }, ...vouched, ...several(3))).toHaveLength(1);
  });

  test("can't unverify an address beyond the limit but can correct an unverified one", () => {
    const change = { type: 'ChangeChannel', value: 'new@example.com', isLimited: true, at } as const;
    given(userDecider, ...vouched, ...several(3))
      .when({ ...change, channelId: first })
      .thenRejected('UNVERIFIED_EMAIL_LIMIT_REACHED', limit);
    expect(decide({ ...change, channelId: idOf(10) }, ...vouched, ...several(3))).toHaveLength(1);
  });

  test('can add addresses again once others have lapsed, which removes those', () => {
    const later = new Date(Date.parse(at) + unverifiedAddressLifeMs).toISOString();
    const types = decide(add(3, later), ...vouched, ...several(3)).map(({ type }) => type);
    expect(types).toEqual([...Array(3).fill('ContactChannelRemoved'), 'ContactChannelAdded']);
  });
});

describe('a reset code', () => {
  const requested = (codeId: string): UserEvent => ({ type: 'PasswordResetRequested', data: { userId, codeId, at } });
  const reset = (codeId: string) => ({ type: 'ResetPassword', codeId, passwordHash: 'new', at }) as const;
  const set = (origin: 'reset' | 'update' | 'rehash'): UserEvent => ({
    type: 'UserPasswordSet',
    data: { userId, passwordHash: 'other', origin, at },
  });
  const vouched = [created, added(first, email, { isPrimary: true, isVerified: true }), password];
  const expectOver = (...events: UserEvent[]) =>
    given(userDecider, ...events)
      .when(reset('one'))
      .thenRejected('VERIFICATION_CODE_EXPIRED');

  test.each([
    ['verified', vouched],
    ['unverified', [...signedUp, password]],
  ])('of a user with a %s address ends with a newer code, a reset, a password change and a removal', (_name, user) => {
    expect(decide(reset('one'), ...user, requested('one'))).toHaveLength(2);
    expect(decide(reset('one'), ...user, requested('one'), set('rehash'))).toHaveLength(2);
    expectOver(...user, requested('one'), requested('two'));
    expectOver(...user, requested('one'), set('reset'));
    expectOver(...user, requested('one'), set('update'));
    expectOver(...user, requested('one'), { type: 'UserPasswordRemoved', data: { userId, at } });
    expectOver(...user);
  });

  test("can't be ended repeatedly by a user who signed up with another person’s address", () => {
    const contested = [...signedUp, password, requested('zero'), set('update'), requested('one'), set('update')];
    expect(decide(reset('one'), ...contested)).toHaveLength(2);
    expectOver(...contested, requested('two'));
    expectOver(...contested, set('reset'));
    const verified: UserEvent = {
      type: 'ContactChannelProven',
      data: { userId, channelId: first, by: 'verification', removed: [], at },
    };
    expectOver(...signedUp, password, requested('zero'), set('update'), verified, requested('one'), set('update'));
  });
});

test('a user who enters with an unproven address never finds credentials set up by others', () => {
  const event = fc.constantFrom<UserEvent>(
    ...planted,
    byLink,
    added(third, 'work@example.com'),
    { type: 'PrimaryChannelChanged', data: { userId, channelId: second, at } },
    { type: 'PrimaryChannelChanged', data: { userId, channelId: first, at } },
    { type: 'ContactChannelAuthChanged', data: { userId, channelId: first, usedForAuth: false, at } },
    {
      type: 'ContactChannelVerificationChanged',
      data: { userId, channelId: second, isVerified: true, isByLinkAlone: true, at },
    },
  );
  fc.assert(
    fc.property(fc.array(event, { maxLength: 12 }), (events) => {
      const before = stateOf(...signedUp, ...events);
      const own = before.channels.find(({ id }) => id === first);
      if (!own || standingOf(before, own) === 'additional') return;
      const user = after(prove('sign_in_code'), ...signedUp, ...events);
      expect(user).toMatchObject({ hasPassword: false, passkey: null, oauthAccounts: [] });
      expect(user.channels.map(({ id, isProven, isPrimary }) => ({ id, isProven, isPrimary }))).toEqual([
        { id: first, isProven: true, isPrimary: true },
      ]);
    }),
  );
});
