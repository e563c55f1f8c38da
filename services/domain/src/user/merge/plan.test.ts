import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { ApiKey } from '../../api-key/state.ts';
import { type AuditedUser, evolveAuditedUser, initialState } from '../../audit/user-fields.ts';
import { DomainError } from '../../errors.ts';
import { decideMembership } from '../../membership/decide.ts';
import { evolveMembership, type Member, type MembershipState } from '../../membership/state.ts';
import { type UserCommand, userDecider } from '../decide.ts';
import type { Passkey } from '../events.ts';
import { signInEmails } from '../sign-in-emails.ts';
import type { MergingUser } from './parts.ts';
import { type MergePlan, planMerge } from './plan.ts';

const at = '2026-01-15T12:00:00.000Z';
const projectId = 'shop';
const idOf = (nth: number) => `00000000-0000-4000-8000-${String(nth).padStart(12, '0')}`;
const [keptId, duplicateId] = [idOf(1), idOf(2)];
const [red, blue] = [idOf(11), idOf(12)];

const create = (userId: string, fields: { displayName?: string | null; isAnonymous?: boolean } = {}): UserCommand => ({
  ...{ type: 'CreateUser', userId, projectId, displayName: null, profileImageUrl: null, clientMetadata: null },
  ...{ clientReadOnlyMetadata: null, serverMetadata: null, isAnonymous: false, method: 'server', email: null },
  ...{ passwordHash: null, isOtpEnabled: false, permissions: [], at },
  ...fields,
});
function apply(audited: AuditedUser, commands: readonly UserCommand[]): AuditedUser {
  return commands.reduce(
    (state, command) => userDecider.decide(command, state.user).reduce(evolveAuditedUser, state),
    audited,
  );
}
function requireActive({ user, profile }: AuditedUser): MergingUser {
  if (user.status !== 'active') throw new Error(`the user is ${user.status}`);
  return { user, profile };
}
const userOf = (userId: string, ...commands: UserCommand[]) =>
  requireActive(apply(initialState, [create(userId), ...commands]));

const address = (nth: number, value: string, flags: Partial<Channel> = {}): UserCommand => ({
  ...{ type: 'AddChannel', channelId: idOf(nth), value, isPrimary: false, isVerified: true, usedForAuth: true, at },
  ...flags,
});
type Channel = { isPrimary: boolean; isVerified: boolean; usedForAuth: boolean };
const passkey = (credentialId: string): Passkey => {
  return { credentialId, publicKey: 'k', counter: 3, transports: [], deviceType: 'singleDevice' };
};
const account = (accountRef: string): UserCommand => ({
  ...{
    type: 'LinkOAuthAccount',
    id: idOf(20 + accountRef.length),
    provider: 'github',
    accountRef,
    accountId: accountRef,
  },
  ...{ email: null, isOnlyOne: false, allowSignIn: false, at },
});
const metadata = (value: Extract<UserCommand, { type: 'ChangeUserMetadata' }>['value']): UserCommand => {
  return { type: 'ChangeUserMetadata', scope: 'server', value, at };
};

type Parts = { teams?: Parameters<typeof planMerge>[0]['teams']; apiKeys?: readonly ApiKey[] };
const newChannelId = (channelId: string) => channelId.replace('4000', '4999');
const plan = (kept: MergingUser, duplicate: MergingUser, { teams = [], apiKeys = [] }: Parts = {}): MergePlan =>
  planMerge({ kept, duplicate, teams, apiKeys, newChannelId, at });
const merge = (kept: MergingUser, duplicate: MergingUser, parts?: Parts) =>
  requireActive(apply(kept, plan(kept, duplicate, parts).commands));
const namesOf = (items: readonly { kind: string; name: string | null }[]) =>
  items.map(({ kind, name }) => (name === null ? kind : `${kind} ${name}`));

describe('a user who stays', () => {
  test('gets what only the duplicate has', () => {
    const duplicate = userOf(
      duplicateId,
      { type: 'RenameUser', displayName: 'Ann', at },
      address(4, 'ann@example.com', { isPrimary: true }),
      { type: 'SetPassword', passwordHash: 'hash', at },
      { type: 'AllowSignInCode', at },
      { type: 'ChangeTotpSecret', secret: 'secret', at },
      { type: 'RegisterPasskey', passkey: passkey('key'), at },
      account('ref'),
      { type: 'GrantProjectPermission', permissionKey: 'read', at },
      { type: 'ChangeNotificationPreference', category: 'marketing', isEnabled: false, at },
      { type: 'ChangeCountryCode', countryCode: 'CH', at },
      metadata({ plan: 'pro' }),
    );
    const { user, profile } = merge(userOf(keptId), duplicate);
    expect(user).toMatchObject({ userId: keptId, displayName: 'Ann', passwordHash: 'hash', isOtpEnabled: true });
    expect(user.channels).toMatchObject([
      { id: newChannelId(idOf(4)), value: 'ann@example.com', isPrimary: true, isVerified: true, usedForAuth: true },
    ]);
    expect(user.totp?.secret).toBe('secret');
    expect(user.passkey).toEqual(passkey('key'));
    expect(user.oauthAccounts).toEqual(duplicate.user.oauthAccounts);
    expect([...user.permissions]).toEqual(['read']);
    expect([...user.disabledCategories]).toEqual(['marketing']);
    expect(profile).toMatchObject({ countryCode: 'CH', metadata: { server: { plan: 'pro' } } });
    expect(user.sessionsEnded).toBeNull();
  });

  test('keeps what both have, and the plan says what is dropped', () => {
    const both: UserCommand[] = [
      { type: 'SetPassword', passwordHash: 'hash', at },
      { type: 'RegisterPasskey', passkey: passkey('key'), at },
      { type: 'ChangeTotpSecret', secret: 'secret', at },
    ];
    const kept = userOf(keptId, address(3, 'ann@example.com', { isPrimary: true }), ...both, metadata({ a: 1, c: 3 }));
    const duplicate = userOf(
      duplicateId,
      address(4, 'ann@example.org', { isPrimary: true }),
      { type: 'SetPassword', passwordHash: 'other', at },
      { type: 'RegisterPasskey', passkey: passkey('other'), at },
      { type: 'ChangeTotpSecret', secret: 'other', at },
      metadata({ a: 2, b: 2, c: 3 }),
    );
    const { summary, reservations } = plan(kept, duplicate);
    expect(namesOf(summary.moved)).toEqual(['server_metadata b', 'email ann@example.org']);
    expect(summary.dropped.map(({ reason, ...found }) => `${namesOf([found])} ${reason}`)).toEqual([
      'server_metadata a kept_one_stays',
      'server_metadata c already_there',
      'primary_email ann@example.org kept_one_stays',
      'password kept_one_stays',
      'second_factor kept_one_stays',
      'passkey kept_one_stays',
      'sessions ends',
    ]);
    expect(reservations).toEqual({ emails: ['ann@example.org'], passkey: null, accountRefs: [] });
    const { user, profile } = merge(kept, duplicate);
    expect(user).toMatchObject({ passwordHash: 'hash', passkey: passkey('key'), totp: { secret: 'secret' } });
    expect(user.channels.map(({ value, isPrimary }) => [value, isPrimary])).toEqual([
      ['ann@example.com', true],
      ['ann@example.org', false],
    ]);
    expect(profile.metadata.server).toEqual({ a: 1, b: 2, c: 3 });
  });

  test('keeps a proven address proven, and one verified by its link alone unproven', () => {
    const byLink = { type: 'VerifyEmail', email: 'b@example.com', session: 'unavailable', at } as const;
    const duplicate = userOf(
      duplicateId,
      address(4, 'a@example.com'),
      address(5, 'b@example.com', { isVerified: false }),
      byLink,
      address(6, 'c@example.com', { isVerified: false }),
    );
    const proofsOf = ({ user }: MergingUser) => user.channels.map((one) => [one.isVerified, one.isProven]);
    expect(proofsOf(merge(userOf(keptId), duplicate))).toEqual([
      [true, true],
      [true, false],
      [false, false],
    ]);
  });

  test('signs in with an address that both have, if the duplicate does', () => {
    const kept = userOf(keptId, address(3, 'Ann@example.com', { isVerified: false, usedForAuth: false }));
    const { user } = merge(kept, userOf(duplicateId, address(4, 'ann@example.com')));
    expect(user.channels).toMatchObject([{ id: idOf(3), isVerified: true, isProven: true, usedForAuth: true }]);
  });

  test('is restricted if the duplicate is', () => {
    const restrict = { isRestricted: true, reason: 'Spam', privateDetails: null, at } as const;
    const duplicate = userOf(duplicateId, { type: 'ChangeAdminRestriction', ...restrict });
    const { user } = merge(userOf(keptId), duplicate);
    expect(user.adminRestriction?.reason).toBe('Spam');
    expect(user.sessionsEnded).not.toBeNull();
  });

  test('is no longer anonymous if the duplicate is not', () => {
    const kept = requireActive(
      apply(initialState, [create(keptId, { displayName: 'Anonymous user', isAnonymous: true })]),
    );
    const duplicate = userOf(duplicateId, { type: 'RenameUser', displayName: 'Ann', at });
    expect(merge(kept, duplicate).user).toMatchObject({ isAnonymous: false, displayName: 'Ann' });
    expect(merge(duplicate, kept).user).toMatchObject({ isAnonymous: false, displayName: 'Ann' });
  });

  test('can’t be the duplicate', () => {
    expect(() => plan(userOf(keptId), userOf(keptId))).toThrow(new DomainError('USER_MERGE_WITH_ITSELF', {}));
  });
});

const member = (userId: string, teamId: string, ...permissions: string[]): Member => ({
  ...{ status: 'member', teamId, userId, projectId, permissions: new Set(permissions) },
  profile: { displayName: null, profileImageUrl: null },
});
const none: MembershipState = { status: 'none' };

describe('teams', () => {
  const decideOn = (state: MembershipState, found: MergePlan, teamId: string) =>
    (found.memberships.find((one) => one.teamId === teamId)?.commands ?? []).reduce(
      (current, command) => decideMembership(command, current).reduce(evolveMembership, current),
      state,
    );

  test('are joined with the permissions and the profile of the duplicate', () => {
    const profile = { displayName: 'Annie', profileImageUrl: null };
    const duplicate = { ...member(duplicateId, red, 'read', 'write'), profile };
    const found = plan(userOf(keptId), userOf(duplicateId), { teams: [{ teamId: red, duplicate, kept: none }] });
    expect(decideOn(none, found, red)).toEqual({ ...member(keptId, red, 'read', 'write'), profile });
    expect(namesOf(found.summary.moved)).toEqual([
      'team',
      'team_permission read',
      'team_permission write',
      'team_profile',
    ]);
  });

  test('in which both are give the permissions of both', () => {
    const teams = [
      { teamId: red, duplicate: member(duplicateId, red, 'read', 'write'), kept: member(keptId, red, 'read') },
    ];
    const found = plan(userOf(keptId), userOf(duplicateId), { teams });
    expect(found.memberships).toEqual([
      { teamId: red, commands: [{ type: 'GrantPermission', permissionKey: 'write', at }] },
    ]);
  });

  test('of the duplicate can be selected', () => {
    const duplicate = userOf(duplicateId, { type: 'SelectTeam', teamId: red, at });
    const teams = [{ teamId: red, duplicate: member(duplicateId, red), kept: none }];
    expect(merge(userOf(keptId), duplicate, { teams }).user.selectedTeamId).toBe(red);
    expect(merge(userOf(keptId), duplicate).user.selectedTeamId).toBeNull();
    const own = userOf(keptId, { type: 'SelectTeam', teamId: blue, at });
    expect(merge(own, duplicate, { teams }).user.selectedTeamId).toBe(blue);
  });
});

test('API keys that are revoked or expired do not move', () => {
  const key = (nth: number, change: Partial<ApiKey> = {}): ApiKey => ({
    ...{ status: 'present', keyId: idOf(nth), projectId, ownerType: 'user', ownerId: duplicateId, ownerRevision: 0 },
    ...{ description: 'CI', expiresAt: null, isPublic: false, hash: `hash ${nth}`, lastFour: 'abcd' },
    ...{ createdAt: at, revokedAt: null },
    ...change,
  });
  const apiKeys = [key(31), key(32, { revokedAt: at }), key(33, { expiresAt: at })];
  const found = plan(userOf(keptId), userOf(duplicateId), { apiKeys });
  expect(found.apiKeyIds).toEqual([idOf(31)]);
  expect(found.summary.dropped.map(({ reason }) => reason)).toEqual(['not_usable', 'not_usable', 'ends']);
});

describe('whatever two users have', () => {
  const flags = { isPrimary: fc.boolean(), isVerified: fc.boolean(), usedForAuth: fc.boolean() };
  const value = fc.constantFrom(null, 1, 'x', { a: 1 }, { a: 2, b: { c: 1 } }, ['a']);
  const permissionKey = fc.constantFrom('read', 'write', 'admin');
  /** Unique values differ between two users. */
  const commandsOf = (nth: number) =>
    fc.array(
      fc.oneof(
        fc.record({ box: fc.nat(3), ...flags }).map(({ box, ...one }) => {
          // Both can have an address, but only one can sign in with it.
          const domain = one.usedForAuth ? `${nth}.example` : 'example.com';
          return address(nth * 100 + box + (one.usedForAuth ? 10 : 0), `${box}@${domain}`, one);
        }),
        fc.record({
          type: fc.constant('RenameUser' as const),
          displayName: fc.constantFrom(null, 'Ann'),
          at: fc.constant(at),
        }),
        value.map(metadata),
        permissionKey.map((key): UserCommand => ({ type: 'GrantProjectPermission', permissionKey: key, at })),
        fc.constant<UserCommand>({ type: 'SetPassword', passwordHash: `hash ${nth}`, at }),
        fc.constant<UserCommand>({ type: 'AllowSignInCode', at }),
        fc.constant<UserCommand>({ type: 'ChangeTotpSecret', secret: `secret ${nth}`, at }),
        fc.constant<UserCommand>({ type: 'RegisterPasskey', passkey: passkey(`key ${nth}`), at }),
        fc.nat(2).map((box) => account(`${'x'.repeat(box)}${nth}`)),
        fc.boolean().map((isRestricted): UserCommand => {
          return { type: 'ChangeAdminRestriction', isRestricted, reason: null, privateDetails: null, at };
        }),
      ),
      { maxLength: 15 },
    );
  const user = (nth: number) =>
    fc.tuple(fc.boolean(), commandsOf(nth)).map(([isAnonymous, commands]) => {
      const start = apply(initialState, [create(idOf(nth), { isAnonymous })]);
      return requireActive(commands.reduce(applyIfAllowed, start));
    });
  function applyIfAllowed(state: AuditedUser, command: UserCommand): AuditedUser {
    try {
      return apply(state, [command]);
    } catch (error) {
      if (error instanceof DomainError) return state;
      throw error;
    }
  }

  test('the deciders accept the plan, and nothing that can be had twice is lost', () =>
    fc.assert(
      fc.property(user(1), user(2), (kept, duplicate) => {
        const after = merge(kept, duplicate).user;
        for (const one of [kept.user, duplicate.user]) {
          for (const email of signInEmails(one).keys()) expect(signInEmails(after).has(email)).toBe(true);
          for (const { accountRef } of one.oauthAccounts) {
            expect(after.oauthAccounts.filter((other) => other.accountRef === accountRef)).toHaveLength(1);
          }
          for (const key of one.permissions) expect(after.permissions.has(key)).toBe(true);
          if (one.adminRestriction) expect(after.adminRestriction).not.toBeNull();
          if (one.totp) expect(after.totp).not.toBeNull();
          if (one.hasPassword) expect(after.hasPassword).toBe(true);
        }
        const primaries = after.channels.filter(({ isPrimary }) => isPrimary);
        expect(primaries.length).toBeLessThanOrEqual(1);
        if (kept.user.hasPassword) expect(after.passwordHash).toBe(kept.user.passwordHash);
        if (kept.user.passkey) expect(after.passkey).toEqual(kept.user.passkey);
        const addresses = after.channels.map(({ value: one }) => one);
        expect(new Set(addresses).size).toBe(addresses.length);
      }),
    ));

  test('a plan that was carried out decides nothing new for the user, and passes the same unique values', () =>
    fc.assert(
      fc.property(user(1), user(2), (kept, duplicate) => {
        const first = plan(kept, duplicate);
        const after = merge(kept, duplicate);
        const second = plan(after, duplicate);
        expect(second.commands).toEqual([{ type: 'RecordMerge', mergedUserId: duplicateId, at }]);
        expect(second.reservations).toEqual(first.reservations);
      }),
    ));
});
