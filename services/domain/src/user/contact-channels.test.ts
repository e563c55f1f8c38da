import { describe, test } from 'vitest';
import { given } from '../spec.ts';
import { userDecider } from './decide.ts';
import type { UserEvent } from './events.ts';
import { userCreated } from './testing/user-created.ts';

const [at, projectId] = ['2026-01-15T12:00:00.000Z', 'shop'];
const userId = '00000000-0000-4000-8000-000000000001';
const [first, second] = ['00000000-0000-4000-8000-000000000002', '00000000-0000-4000-8000-000000000003'];
const created = userCreated({ userId, projectId, at });
const flags = { isPrimary: false, isVerified: false, usedForAuth: false };
const added = (channelId: string, value: string, of: Partial<typeof flags> = {}): UserEvent => ({
  type: 'ContactChannelAdded',
  data: { userId, channelId, channelType: 'email', value, ...flags, ...of, at },
});
const ann = [created, added(first, 'Ann@example.com', { isPrimary: true, isVerified: true, usedForAuth: true })];
const both = [...ann, added(second, 'other@example.com')];
const change = (input: object, channelId = second) => ({ type: 'ChangeChannel', channelId, at, ...input }) as const;

describe('a contact channel', () => {
  test('is added once per address', () => {
    const add = { type: 'AddChannel', channelId: second, value: 'other@example.com', ...flags, at } as const;
    given(userDecider, ...ann)
      .when(add)
      .then(added(second, 'other@example.com'));
    given(userDecider, ...ann)
      .when({ ...add, value: 'ann@EXAMPLE.com' })
      .thenRejected('CONTACT_CHANNEL_EXISTS');
  });

  test('beyond the limit is rejected', () => {
    const add = { type: 'AddChannel', channelId: second, value: 'other@example.com', ...flags, at } as const;
    given(userDecider, ...ann)
      .when({ ...add, limit: 2 })
      .then(added(second, 'other@example.com'));
    given(userDecider, ...ann)
      .when({ ...add, limit: 1 })
      .thenRejected('QUOTA_EXCEEDED', { quota: 'contactChannelsPerUser', limit: 1 });
  });

  test('with a new or repeated value is unverified unless a server vouches for it', () => {
    const changed = (value: string, isVerified: boolean): UserEvent => ({
      type: 'ContactChannelValueChanged',
      data: { userId, channelId: first, value, isVerified, at },
    });
    given(userDecider, ...ann)
      .when(change({ value: 'new@example.com' }, first))
      .then(changed('new@example.com', false));
    given(userDecider, ...ann)
      .when(change({ value: 'Ann@example.com' }, first))
      .then(changed('Ann@example.com', false));
    given(userDecider, ...ann)
      .when(change({ value: 'new@example.com', isVerified: true }, first))
      .then(changed('new@example.com', true));
    given(userDecider, ...both)
      .when(change({ value: 'ann@example.com' }))
      .thenRejected('CONTACT_CHANNEL_EXISTS');
  });

  test('changes only given fields that differ', () => {
    given(userDecider, ...both)
      .when(change({ isVerified: true, usedForAuth: true, isPrimary: true }))
      .then(
        {
          type: 'ContactChannelVerificationChanged',
          data: { userId, channelId: second, isVerified: true, isByLinkAlone: false, at },
        },
        { type: 'ContactChannelAuthChanged', data: { userId, channelId: second, usedForAuth: true, at } },
        { type: 'PrimaryChannelChanged', data: { userId, channelId: second, at } },
      );
    given(userDecider, ...both)
      .when(change({ isVerified: false, usedForAuth: false, isPrimary: false }))
      .then();
    given(userDecider, ...both)
      .when(change({ isPrimary: false }, first))
      .then({ type: 'PrimaryChannelChanged', data: { userId, channelId: null, at } });
  });

  test('is removed, even the primary one', () => {
    given(userDecider, ...ann)
      .when({ type: 'RemoveChannel', channelId: first, at })
      .then({ type: 'ContactChannelRemoved', data: { userId, channelId: first, at } });
  });

  test('that does not exist is rejected', () => {
    given(userDecider, ...ann)
      .when(change({ isPrimary: true }))
      .thenRejected('CONTACT_CHANNEL_NOT_FOUND');
    given(userDecider, ...ann)
      .when({ type: 'RemoveChannel', channelId: second, at })
      .thenRejected('CONTACT_CHANNEL_NOT_FOUND');
  });
});
