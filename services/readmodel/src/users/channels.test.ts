import type { UserEvent } from '@gatebook/domain/user/events';
import { unknownSignIn } from '@gatebook/domain/user/events';
import { fixedTime as at } from '@gatebook/runtime/testing/fixed';
import fc from 'fast-check';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type ReadSide, startReadSide } from '../testing/read-side.ts';
import { listContactChannels } from './channels.ts';
import { findUser, type UserRow } from './queries.ts';

let side: ReadSide;
beforeAll(async () => {
  side = await startReadSide();
});
afterAll(() => side.close());

const idOf = (kind: number, n: number) => `00000000-0000-4000-8${kind}00-${String(n).padStart(12, '0')}`;

const created = (userId: string): UserEvent => ({
  type: 'UserCreated',
  data: {
    ...unknownSignIn,
    userId,
    projectId: 'internal',
    displayName: null,
    profileImageUrl: null,
    clientMetadata: null,
    clientReadOnlyMetadata: null,
    serverMetadata: null,
    isAnonymous: false,
    method: 'server',
    at,
  },
});

const channel = fc.integer({ min: 1, max: 3 });
const flag = fc.boolean();
const value = fc.constantFrom('ann@example.com', 'Bo@Example.com', null);

/** One event of a user. Like the decider, only of channels that exist, or of new ones with new IDs. */
const happening = fc.oneof(
  fc.record({ type: fc.constant('ContactChannelAdded' as const), channel, value, isPrimary: flag, isVerified: flag }),
  fc.record({ type: fc.constant('ContactChannelValueChanged' as const), channel, value, isVerified: flag }),
  fc.record({ type: fc.constant('ContactChannelVerificationChanged' as const), channel, isVerified: flag }),
  fc.record({ type: fc.constant('ContactChannelAuthChanged' as const), channel, usedForAuth: flag }),
  fc.record({ type: fc.constant('PrimaryChannelChanged' as const), channel, isNone: flag }),
  fc.record({ type: fc.constant('ContactChannelRemoved' as const), channel }),
);

type Happening = typeof happening extends fc.Arbitrary<infer H> ? H : never;

function eventsOf(n: number, happenings: readonly Happening[]): UserEvent[] {
  const userId = idOf(1, n);
  const existing = new Map<number, string>();
  let added = 0;
  return happenings.flatMap((one): UserEvent[] => {
    const { type, channel: nth, ...facts } = one;
    if (existing.has(nth) === (type === 'ContactChannelAdded')) return [];
    if (type === 'ContactChannelAdded') existing.set(nth, idOf(2, n * 100 + added++));
    const parts = { userId, channelId: existing.get(nth) ?? '', at };
    if (type === 'ContactChannelRemoved') existing.delete(nth);
    if (one.type === 'PrimaryChannelChanged') {
      return [{ type: one.type, data: { ...parts, channelId: one.isNone ? null : parts.channelId } }];
    }
    const data = { channelType: 'email', usedForAuth: true, ...facts, ...parts };
    return [{ type, data } as UserEvent];
  });
}

const emailOf = ({ primaryEmail, primaryEmailVerified, primaryEmailAuthEnabled }: UserRow) => ({
  primaryEmail,
  primaryEmailVerified,
  primaryEmailAuthEnabled,
});

test('the row of a user has the same addresses as the user’s channels, after any changes', async () => {
  let users = 0;
  const appends = fc.array(fc.array(happening, { maxLength: 6 }), { minLength: 1, maxLength: 4 });
  await fc.assert(
    fc.asyncProperty(appends, async (parts) => {
      users += 1;
      const userId = idOf(1, users);
      const all = eventsOf(users, parts.flat());
      let position = await side.record(`user-${userId}`, created(userId));
      // Each append is a batch, or part of one.
      for (const size of parts.map(({ length }) => length)) {
        const events = all.splice(0, size);
        if (events.length > 0) position = await side.record(`user-${userId}`, ...events);
        await side.readModels.reached(position);
      }
      const { rows: channels } = await listContactChannels(side.db, 'internal', { userId, channelId: null });
      const primary = channels.find(({ isPrimary }) => isPrimary);
      expect(emailOf(await findUser(side.db, 'internal', userId))).toEqual({
        primaryEmail: primary?.value ?? null,
        primaryEmailVerified: primary?.isVerified ?? false,
        primaryEmailAuthEnabled: primary?.usedForAuth ?? false,
      });
      const { rows } = await side.database.pool.query(
        `select search_text, channels from ${side.readModels.schema('main')}.users where id = $1`,
        [userId],
      );
      const text = channels.flatMap(({ value: address }) => address?.toLowerCase().replace('@', 'ꙮ') ?? []);
      expect(rows[0]?.search_text.split('\x1f').slice(1).filter(Boolean).sort()).toEqual(text.sort());
      expect(Object.keys(rows[0]?.channels).sort()).toEqual(channels.map(({ id }) => id).sort());
    }),
    { numRuns: 60, seed: 20260115 },
  );
});
