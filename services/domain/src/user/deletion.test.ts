import { describe, expect, test } from 'vitest';
import { given } from '../spec.ts';
import { userDecider } from './decide.ts';
import { type UserEvent, unknownSignIn } from './events.ts';
import { hasEndedWithOthers } from './state.ts';

const at = '2026-01-15T12:00:00.000Z';
const userId = '00000000-0000-4000-8000-000000000001';
const channelId = '00000000-0000-4000-8000-000000000002';
const of = { userId, projectId: 'shop' };
const nothing = { profileImageUrl: null, clientMetadata: null, clientReadOnlyMetadata: null, serverMetadata: null };
const email = 'ann@example.com';
const ann: UserEvent[] = [
  {
    type: 'UserCreated',
    data: { ...unknownSignIn, ...of, ...nothing, displayName: 'Ann', isAnonymous: false, method: 'password', at },
  },
  {
    type: 'ContactChannelAdded',
    data: {
      ...{ userId, channelId, channelType: 'email', value: email, at },
      ...{ isPrimary: true, isVerified: false, usedForAuth: true },
    },
  },
];
const schedule = { type: 'ScheduleDeletion', graceDays: 30, isByUser: true, at } as const;
const scheduled: UserEvent = {
  type: 'UserDeletionScheduled',
  data: { ...of, deleteAt: '2026-02-14T12:00:00.000Z', isByUser: true, at },
};
const restore = { type: 'RestoreUser', at } as const;
const restored: UserEvent = { type: 'UserDeletionCanceled', data: { ...of, at } };
const erase = { type: 'DeleteUser', addressRefs: ['ref'], at } as const;
const deleted = (wasScheduled: boolean): UserEvent => ({
  type: 'UserDeleted',
  data: { ...of, addressRefs: ['ref'], wasScheduled, at },
});
const stateAfter = (...events: UserEvent[]) => events.reduce(userDecider.evolve, userDecider.initialState);

describe('a scheduled deletion', () => {
  test('names the end of the grace period', () =>
    given(userDecider, ...ann)
      .when(schedule)
      .then(scheduled));

  test('is rejected a second time, as is every other change', () => {
    given(userDecider, ...ann, scheduled)
      .when(schedule)
      .thenRejected('USER_NOT_FOUND');
    given(userDecider, ...ann, scheduled)
      .when({ type: 'RenameUser', displayName: 'x', at })
      .thenRejected('USER_NOT_FOUND');
    given(userDecider, ...ann, scheduled)
      .when({ type: 'ExportUser', at })
      .thenRejected('USER_NOT_FOUND');
  });

  test('of an unknown or an erased user is rejected', () => {
    given(userDecider).when(schedule).thenRejected('USER_NOT_FOUND');
    given(userDecider, ...ann, deleted(false))
      .when(schedule)
      .thenRejected('USER_NOT_FOUND');
  });

  test('ends in the erasure of the user, which says that it was scheduled', () => {
    given(userDecider, ...ann, scheduled)
      .when(erase)
      .then(deleted(true));
    given(userDecider, ...ann)
      .when(erase)
      .then(deleted(false));
  });

  test('keeps no address from its owner that the user has not verified', () =>
    given(userDecider, ...ann, scheduled)
      .when({ type: 'ReleaseAddress', email, at })
      .then({ type: 'ContactChannelAuthChanged', data: { userId, channelId, usedForAuth: false, at } }));
});

describe('restoring a user', () => {
  test('takes the deletion back', () =>
    given(userDecider, ...ann, scheduled)
      .when(restore)
      .then(restored));

  test('does nothing to a user who is not deleted', () => {
    given(userDecider, ...ann)
      .when(restore)
      .then();
    given(userDecider, ...ann, scheduled, restored)
      .when(restore)
      .then();
  });

  test('is rejected once the user is erased, and of an unknown user', () => {
    given(userDecider, ...ann, scheduled, deleted(true))
      .when(restore)
      .thenRejected('USER_NOT_FOUND');
    given(userDecider).when(restore).thenRejected('USER_NOT_FOUND');
  });

  test('gives back everything but sessions and API keys', () => {
    const before = stateAfter(...ann);
    const after = stateAfter(...ann, scheduled, restored);
    expect(after).toEqual({
      ...before,
      revision: 3,
      sessionsEnded: { revision: 2, keptSessionId: null },
      apiKeysRevoked: { revision: 2, at },
    });
    if (after.status !== 'active') throw new Error('the user is not active');
    expect(hasEndedWithOthers(after, { sessionId: 's', userRevision: 1 })).toBe(true);
    expect(hasEndedWithOthers(after, { sessionId: 's', userRevision: 3 })).toBe(false);
  });

  test('keeps what happened to their addresses meanwhile', () => {
    const released: UserEvent = {
      type: 'ContactChannelAuthChanged',
      data: { userId, channelId, usedForAuth: false, at },
    };
    expect(stateAfter(...ann, scheduled, released, restored)).toMatchObject({
      status: 'active',
      channels: [{ value: email, usedForAuth: false }],
    });
  });
});
