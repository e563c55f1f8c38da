import type { UserEvent } from '@gatebook/domain/user/events';
import { unknownSignIn } from '@gatebook/domain/user/events';
import { fixedTime as at } from '@gatebook/runtime/testing/fixed';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type ReadSide, startReadSide } from '../testing/read-side.ts';
import { listUsers } from './list.ts';
import type { UserListOptions } from './list-filters.ts';
import { findUser } from './queries.ts';

let side: ReadSide;
beforeAll(async () => {
  side = await startReadSide();
});
afterAll(() => side.close());

const idOf = (n: number) => `00000000-0000-4000-8000-${String(n).padStart(12, '0')}`;
const created = (userId: string, displayName: string | null, projectId = 'internal', signedUpAt = at): UserEvent => ({
  type: 'UserCreated',
  data: {
    ...unknownSignIn,
    userId,
    projectId,
    displayName,
    profileImageUrl: null,
    clientMetadata: { theme: 'dark' },
    clientReadOnlyMetadata: null,
    serverMetadata: ['a', 1, null],
    isAnonymous: false,
    method: 'password',
    at: signedUpAt,
  },
});
const email = (userId: string, channelId: string, value: string): UserEvent => ({
  type: 'ContactChannelAdded',
  data: { userId, channelId, channelType: 'email', value, isPrimary: true, isVerified: true, usedForAuth: true, at },
});
const allowed = { allowSignIn: true, allowConnectedAccounts: true };
const linked = (userId: string, provider: string, accountId: string, address: string | null = null): UserEvent => ({
  type: 'OAuthAccountLinked',
  data: { userId, id: null, provider, accountRef: `ref-${provider}`, accountId, email: address, ...allowed, at },
});
const page = (options: Partial<UserListOptions> = {}) =>
  listUsers(side.db, 'internal', {
    teamId: null,
    cursor: null,
    limit: 100,
    isDescending: false,
    query: null,
    ...options,
  });

test('a user’s row contains the data of its events', async () => {
  const userId = idOf(1);
  const position = await side.record(
    `user-${userId}`,
    created(userId, 'Ann'),
    email(userId, idOf(101), 'ann@example.com'),
    { type: 'UserPasswordSet', data: { userId, passwordHash: 'hash', origin: 'sign_up', at } },
    { type: 'UserRenamed', data: { userId, displayName: 'Anna', at } },
    { type: 'UserMetadataChanged', data: { userId, scope: 'client', value: 'text', at } },
    { type: 'OtpAuthChanged', data: { userId, isEnabled: true, at } },
    { type: 'UserRestricted', data: { userId, reason: 'Spam', privateDetails: 'Ticket 7', at } },
    { type: 'UserRestrictionChanged', data: { userId, reason: 'Fraud', privateDetails: null, at } },
    { type: 'UserCountryCodeChanged', data: { userId, countryCode: 'CH', at } },
    { type: 'UserRiskScoresChanged', data: { userId, riskScores: { bot: 1, freeTrialAbuse: 2 }, at } },
    linked(userId, 'github', 'octo'),
    linked(userId, 'google', 'sub', 'a@gmail.com'),
  );
  expect(await side.readModels.reached(position)).toBe('reached');
  expect(await findUser(side.db, 'internal', userId)).toEqual({
    id: userId,
    projectId: 'internal',
    displayName: 'Anna',
    profileImageUrl: null,
    clientMetadata: 'text',
    clientReadOnlyMetadata: null,
    serverMetadata: ['a', 1, null],
    isAnonymous: false,
    restrictedByAdmin: true,
    restrictedByAdminReason: 'Fraud',
    restrictedByAdminPrivateDetails: null,
    countryCode: 'CH',
    riskScores: { bot: 1, freeTrialAbuse: 2 },
    signedUpAt: Date.parse(at),
    lastActiveAt: null,
    hasPassword: true,
    otpAuthEnabled: true,
    passkeyAuthEnabled: false,
    requiresTotpMfa: false,
    primaryEmail: 'ann@example.com',
    primaryEmailVerified: true,
    primaryEmailAuthEnabled: true,
    ownedProjectIds: [],
    selectedTeam: null,
    oauthAccounts: [
      { provider: 'github', accountId: 'octo', email: null },
      { provider: 'google', accountId: 'sub', email: 'a@gmail.com' },
    ],
  });
  await expect(findUser(side.db, 'another', userId)).rejects.toThrow('USER_NOT_FOUND');
});

test('lifting a restriction removes its texts', async () => {
  const userId = idOf(33);
  const position = await side.record(
    `user-${userId}`,
    created(userId, null),
    { type: 'UserRestricted', data: { userId, reason: 'Spam', privateDetails: 'Ticket 7', at } },
    { type: 'UserRestrictionLifted', data: { userId, at } },
  );
  await side.readModels.reached(position);
  const texts = { restrictedByAdminReason: null, restrictedByAdminPrivateDetails: null };
  expect(await findUser(side.db, 'internal', userId)).toMatchObject({ restrictedByAdmin: false, ...texts });
});

test('a new primary channel replaces the first, and removing it leaves none', async () => {
  const userId = idOf(2);
  const stream = `user-${userId}`;
  await side.record(stream, created(userId, null), email(userId, idOf(102), 'old@example.com'));
  const added = await side.record(stream, email(userId, idOf(103), 'new@example.com'));
  await side.readModels.reached(added);
  expect(await findUser(side.db, 'internal', userId)).toMatchObject({ primaryEmail: 'new@example.com' });
  const back = await side.record(stream, { type: 'PrimaryChannelChanged', data: { userId, channelId: idOf(102), at } });
  await side.readModels.reached(back);
  expect(await findUser(side.db, 'internal', userId)).toMatchObject({ primaryEmail: 'old@example.com' });
  const gone = await side.record(stream, { type: 'ContactChannelRemoved', data: { userId, channelId: idOf(102), at } });
  await side.readModels.reached(gone);
  expect(await findUser(side.db, 'internal', userId)).toMatchObject({
    primaryEmail: null,
    primaryEmailVerified: false,
    primaryEmailAuthEnabled: false,
  });
});

test('a deleted user cannot be found', async () => {
  const userId = idOf(3);
  await side.record(`user-${userId}`, created(userId, 'Gone'));
  const position = await side.record(`user-${userId}`, {
    type: 'UserDeleted',
    data: { wasScheduled: false, addressRefs: [], userId, projectId: 'internal', at },
  });
  await side.readModels.reached(position);
  await expect(findUser(side.db, 'internal', userId)).rejects.toThrow('USER_NOT_FOUND');
});

test('pages have no gaps in either direction, and searches find names, addresses and IDs', async () => {
  const ids = [11, 12, 13, 14, 15].map(idOf);
  let position = 0n;
  for (const [index, userId] of ids.entries()) {
    const signedUpAt = new Date(Date.parse(at) + Math.floor(index / 2) * 1000).toISOString();
    position = await side.record(
      `user-${userId}`,
      created(userId, `Paged 50%_${index}`, 'internal', signedUpAt),
      email(userId, idOf(200 + index), `paged${index}@mail.example`),
    );
  }
  await side.record(`user-${idOf(19)}`, created(idOf(19), 'Paged elsewhere', 'another'));
  await side.readModels.reached(position + 1n);
  for (const isDescending of [false, true]) {
    const seen: string[] = [];
    let cursor: string | null = null;
    do {
      const { items, nextCursor } = await page({ query: 'PAGED', limit: 2, isDescending, cursor });
      seen.push(...items.map(({ id }) => id));
      cursor = nextCursor;
    } while (cursor);
    const inOrder = isDescending ? ids.toReversed() : ids;
    expect(seen).toEqual(inOrder);
  }
  const found = async (query: string) => (await page({ query })).items.map(({ id }) => id);
  expect(await found('50%_3')).toEqual([ids[3]]);
  expect(await found('PAGED4@mail')).toEqual([ids[4]]);
  expect(await found(String(ids[0]?.toUpperCase()))).toEqual([ids[0]]);
  expect(await found('nobody at all')).toEqual([]);
  expect((await page({ cursor: idOf(999) })).items).toEqual([]);
});
