import type { GatebookEvent } from '@gatebook/domain/catalog';
import { defaultProjectConfig, defaultProjectSettings, noProjectSecrets } from '@gatebook/domain/project/config';
import { unknownSignIn } from '@gatebook/domain/user/events';
import { createHotRows } from '@gatebook/projections/hot-rows';
import { createLogTail } from '@gatebook/projections/log-tail';
import { silentLogger as logger } from '@gatebook/projections/testing/test-log';
import { sized } from '@gatebook/runtime/testing/campaign';
import { fixedTime as at } from '@gatebook/runtime/testing/fixed';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { findApiKeyByHash } from './api-keys/queries.ts';
import { mainGroup } from './projection-groups.ts';
import { createReadDb, definedQueries, type ReadDb } from './read-db.ts';
import { changesHotRows } from './row-streams.ts';
import { findSessionByRefreshToken } from './sessions/queries.ts';
import { type ReadSide, startReadSide } from './testing/read-side.ts';
import { findCurrentUser } from './users/queries.ts';

const uuid = (kind: number, n: number) => `00000000-0000-4000-800${kind}-00000000000${n}`;
const [projectId, sessionId] = ['p', uuid(3, 1)];
/** The second user's name is part of the name of the second team. */
const [userId, otherId] = [uuid(1, 1), uuid(1, 2)];
const teamIds = [uuid(2, 1), uuid(2, 2)] as const;
const [userKeyId, teamKeyId] = [uuid(4, 1), uuid(4, 2)];
const metadata = { clientMetadata: null, clientReadOnlyMetadata: null, serverMetadata: null };

type Step = { stream: string; event: GatebookEvent };
const ofUser = (event: GatebookEvent, id = userId): Step => ({ stream: `user-${id}`, event });
const ofTeam = (nth: 0 | 1, event: GatebookEvent): Step => ({ stream: `team-${teamIds[nth]}`, event });

const createUser = (id: string) =>
  ofUser(
    {
      type: 'UserCreated',
      data: {
        ...{ ...unknownSignIn, ...metadata, userId: id, projectId, displayName: 'Ann', profileImageUrl: null },
        ...{ isAnonymous: false, method: 'password', at },
      },
    },
    id,
  );
const createTeam = (nth: 0 | 1) =>
  ofTeam(nth, {
    type: 'TeamCreated',
    data: {
      ...{ ...metadata, teamId: teamIds[nth], projectId, subjectId: nth === 1 ? otherId : teamIds[nth] },
      ...{ displayName: 'Team', profileImageUrl: null, creatorId: null, at },
    },
  });
const createKey = (keyId: string, ownerType: 'user' | 'team', ownerId: string): Step => ({
  stream: `apikey-${keyId}`,
  event: {
    type: 'ApiKeyCreated',
    data: {
      ...{ keyId, projectId, ownerType, ownerId, ownerRevision: ownerType === 'user' ? 1 : null, description: 'k' },
      ...{ expiresAt: null, isPublic: false, hash: keyId, lastFour: 'last', at },
    },
  },
});
const join = (nth: 0 | 1): Step => ({
  stream: `membership-${teamIds[nth]}.${userId}`,
  event: {
    type: 'TeamMemberAdded',
    data: { teamId: teamIds[nth], userId, projectId, permissionKeys: [], how: 'added', at },
  },
});
const channelId = uuid(5, 1);

const beginning: readonly Step[] = [
  {
    stream: `project-${projectId}`,
    event: {
      type: 'ProjectCreated',
      data: {
        ...{ projectId, subjectId: uuid(6, 1), displayName: 'p', description: '', isProductionMode: false },
        ...{ config: defaultProjectConfig, secrets: noProjectSecrets, settings: defaultProjectSettings, at },
      },
    },
  },
  createUser(userId),
  createUser(otherId),
  createTeam(0),
  createTeam(1),
  join(0),
  join(1),
  ofUser({
    type: 'ContactChannelAdded',
    data: {
      ...{ userId, channelId, channelType: 'email', value: 'ann@example.com' },
      ...{ isPrimary: true, isVerified: false, usedForAuth: true, at },
    },
  }),
  ofUser({ type: 'TeamSelected', data: { userId, teamId: teamIds[1], at } }),
  createKey(userKeyId, 'user', userId),
  createKey(teamKeyId, 'team', teamIds[0]),
  {
    stream: `session-${sessionId}`,
    event: {
      type: 'SessionStarted',
      data: {
        ...{ ...unknownSignIn, sessionId, userId, projectId, userRevision: 2, refreshTokenHash: sessionId },
        ...{ secondFactor: null, expiresAt: '2099-01-15T12:00:00.000Z', isImpersonation: false, impersonator: null },
        impersonationReason: null,
        ...{ method: 'password', ip: null, userAgent: null, at },
      },
    },
  },
];

const account = { accountRef: 'ref', accountId: '1', email: null, allowSignIn: true, allowConnectedAccounts: true };
const restriction = { userId, reason: 'r', privateDetails: null, at };
/** Everything that changes what the queries show, in any order. */
const happenings: readonly Step[] = [
  ofUser({ type: 'UserRenamed', data: { userId, displayName: 'Bob', at } }),
  ofUser({ type: 'UserMetadataChanged', data: { userId, scope: 'client', value: { a: 1 }, at } }),
  ofUser({ type: 'ContactChannelProven', data: { userId, channelId, by: 'verification', removed: [], at } }),
  ofUser({ type: 'PrimaryChannelChanged', data: { userId, channelId: null, at } }),
  ofUser({ type: 'OAuthAccountLinked', data: { userId, id: uuid(7, 1), provider: 'github', ...account, at } }),
  ofUser({ type: 'OAuthAccountUnlinked', data: { userId, provider: 'github', accountRef: 'ref', at } }),
  ofUser({ type: 'UserRestricted', data: restriction }),
  ofUser({ type: 'UserRestrictionLifted', data: { userId, at } }),
  ofUser({ type: 'UserSessionsEnded', data: { userId, keptSessionId: null, reason: 'password_update', at } }),
  ofUser({ type: 'UserApiKeysRevoked', data: { userId, at } }),
  ofUser({ type: 'TeamSelected', data: { userId, teamId: teamIds[0], at } }),
  ofUser({ type: 'TeamSelected', data: { userId, teamId: teamIds[1], at } }),
  ofUser({ type: 'TeamSelected', data: { userId, teamId: null, at } }),
  ofUser({ type: 'UserDeletionScheduled', data: { userId, projectId, deleteAt: at, isByUser: false, at } }),
  ofUser({ type: 'UserDeletionCanceled', data: { userId, projectId, at } }),
  ofUser({ type: 'UserDeleted', data: { userId, projectId, addressRefs: [], wasScheduled: false, at } }),
  ofUser(
    { type: 'UserDeleted', data: { userId: otherId, projectId, addressRefs: [], wasScheduled: false, at } },
    otherId,
  ),
  ...([0, 1] as const).flatMap((nth) => {
    const teamId = teamIds[nth];
    const member = { teamId, userId, projectId };
    return [
      ofTeam(nth, { type: 'TeamRenamed', data: { teamId, displayName: 'New', at } }),
      ofTeam(nth, { type: 'TeamImageChanged', data: { teamId, profileImageUrl: 'https://example.com/i', at } }),
      ofTeam(nth, { type: 'TeamDeletionScheduled', data: { teamId, projectId, deleteAt: at, at } }),
      ofTeam(nth, { type: 'TeamDeletionCanceled', data: { teamId, projectId, at } }),
      ofTeam(nth, { type: 'TeamDeleted', data: { teamId, projectId, wasScheduled: false, at } }),
      join(nth),
      {
        stream: `membership-${teamId}.${userId}`,
        event: { type: 'TeamMemberRemoved' as const, data: { ...member, how: 'left' as const, at } },
      },
    ];
  }),
  ...[userKeyId, teamKeyId].flatMap((keyId): Step[] => [
    {
      stream: `apikey-${keyId}`,
      event: {
        type: 'ApiKeyChanged',
        data: { keyId, projectId, ownerId: userId, description: null, expiresAt: at, at },
      },
    },
    { stream: `apikey-${keyId}`, event: { type: 'ApiKeyRevoked', data: { keyId, projectId, by: 'owner', at } } },
  ]),
  {
    stream: `session-${sessionId}`,
    event: { type: 'SessionEnded', data: { sessionId, userId, reason: 'sign_out', at } },
  },
  { stream: `project-${projectId}`, event: { type: 'ProjectDeleted', data: { projectId, at } } },
];

const lookUp = async (db: ReadDb) => ({
  current: await findCurrentUser(db, projectId, userId, sessionId),
  byToken: await findSessionByRefreshToken(db, projectId, sessionId),
  userKey: await findApiKeyByHash(db, userKeyId),
  teamKey: await findApiKeyByHash(db, teamKeyId),
});

/** Reads everything after every event, in memory and in the tables. */
async function compareAfterEach(side: ReadSide, steps: readonly Step[]): Promise<void> {
  const tail = createLogTail({ store: side.store, logger });
  const peers = { canCache: () => true, announce: () => undefined, allPassed: () => null };
  let cached = 0;
  const onLookup = (isCached: boolean) => {
    if (isCached) cached += 1;
  };
  const { readModels, pools } = side;
  const hotRows = createHotRows({ tail, peers, readModels, isRelevant: changesHotRows, onLookup });
  const db = createReadDb(pools.api, readModels, pools.api, hotRows);
  const stop = new AbortController();
  const followed = tail.follow(stop.signal);
  await expect.poll(() => tail.followed()).not.toBeNull();
  try {
    for (const { stream, event } of [...beginning, ...steps]) {
      const position = await side.record(stream, event);
      await Promise.all([hotRows.passed(position), readModels.reached(position)]);
      await expect.poll(() => readModels.position()).toBeGreaterThanOrEqual(position);
      const expected = await lookUp(side.db);
      expect(await lookUp(db), `after ${event.type}`).toEqual(expected);
      const before = cached;
      expect(await lookUp(db)).toEqual(expected);
      expect(cached - before).toBe(Object.values(expected).filter((found) => found !== null).length);
    }
  } finally {
    stop.abort();
    await followed;
  }
}

test('every event that changes a row in memory drops it', { timeout: 600_000 }, async () => {
  const anyOrder = fc.shuffledSubarray([...happenings, ...happenings], { minLength: 12, maxLength: 24 });
  await fc.assert(
    fc.asyncProperty(anyOrder, async (steps) => {
      const side = await startReadSide([mainGroup]);
      try {
        await compareAfterEach(side, steps);
      } finally {
        await side.close();
      }
    }),
    { seed: 66, numRuns: sized({ inTest: 12, inCampaign: 200 }), endOnFailure: true },
  );
});

test('a test compares every query whose rows are kept in memory', () => {
  const kept = definedQueries().filter(({ standingOf }) => standingOf);
  expect(kept.map(({ name }) => name).sort()).toEqual([
    'find-api-key-by-hash',
    'find-current-user',
    'find-session-by-token',
  ]);
});
