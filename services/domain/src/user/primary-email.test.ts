import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { given } from '../spec.ts';
import { userDecider } from './decide.ts';
import { canonicalEmail } from './email.ts';
import type { UserEvent } from './events.ts';
import type { ChangePrimaryEmail } from './primary-email.ts';
import { userCreated } from './testing/user-created.ts';

const at = '2026-01-15T12:00:00.000Z';
const userId = '00000000-0000-4000-8000-000000000001';
const channelId = '00000000-0000-4000-8000-000000000002';
const newChannelId = '00000000-0000-4000-8000-000000000003';
const otherChannelId = '00000000-0000-4000-8000-000000000004';
const created = userCreated({ userId, projectId: 'internal', at });
const flags = { isPrimary: true, isVerified: false, usedForAuth: true };
const channel = { userId, channelId, channelType: 'email' as const, value: 'ann@example.com', ...flags, at };
const otherAdded: UserEvent = {
  type: 'ContactChannelAdded',
  data: { ...channel, channelId: otherChannelId, value: 'other@example.com', isPrimary: false, usedForAuth: false },
};
const ann: UserEvent[] = [created, { type: 'ContactChannelAdded', data: channel }];

describe('the primary email', () => {
  const change = (values: Partial<ChangePrimaryEmail>): ChangePrimaryEmail => ({
    type: 'ChangePrimaryEmail',
    email: undefined,
    isVerified: undefined,
    usedForAuth: undefined,
    newChannelId,
    at,
    ...values,
  });
  const verification = (isVerified: boolean, id = channelId): UserEvent => ({
    type: 'ContactChannelVerificationChanged',
    data: { userId, channelId: id, isVerified, isByLinkAlone: false, at },
  });
  const auth = (usedForAuth: boolean, id = channelId): UserEvent => ({
    type: 'ContactChannelAuthChanged',
    data: { userId, channelId: id, usedForAuth, at },
  });
  const valueChanged = (value: string, isVerified: boolean): UserEvent => ({
    type: 'ContactChannelValueChanged',
    data: { userId, channelId, value, isVerified, at },
  });

  test('is created when there is none, unverified and not for sign-in by default', () =>
    given(userDecider, created)
      .when(change({ email: 'ann@example.com' }))
      .then({
        type: 'ContactChannelAdded',
        data: { ...channel, channelId: newChannelId, isVerified: false, usedForAuth: false },
      }));
  test('keeps its flags when its value changes', () => {
    given(userDecider, ...ann)
      .when(change({ email: 'new@example.com' }))
      .then(valueChanged('new@example.com', false));
    given(userDecider, ...ann, verification(true))
      .when(change({ email: 'new@example.com' }))
      .then(valueChanged('new@example.com', true));
    given(userDecider, ...ann)
      .when(change({ email: 'new@example.com', isVerified: true, usedForAuth: false }))
      .then(valueChanged('new@example.com', true), auth(false));
  });
  test('changes only its flags when the value is the same', () => {
    given(userDecider, ...ann)
      .when(change({ email: 'ann@example.com' }))
      .then();
    given(userDecider, ...ann)
      .when(change({ email: 'ann@example.com', isVerified: true }))
      .then(verification(true));
  });
  test('changes its flags without a value', () =>
    given(userDecider, ...ann)
      .when(change({ isVerified: true, usedForAuth: false }))
      .then(verification(true), auth(false)));
  test('moves to another channel of the user with that value', () =>
    given(userDecider, ...ann, otherAdded)
      .when(change({ email: 'OTHER@example.com', usedForAuth: true }))
      .then(
        { type: 'PrimaryChannelChanged', data: { userId, channelId: otherChannelId, at } },
        auth(true, otherChannelId),
      ));
  test('is removed with null', () => {
    given(userDecider, ...ann)
      .when(change({ email: null }))
      .then({ type: 'ContactChannelRemoved', data: { userId, channelId, at } });
    given(userDecider, created)
      .when(change({ email: null, isVerified: false }))
      .then();
  });
  test('rejects a flag without an email', () => {
    given(userDecider, created)
      .when(change({ isVerified: true }))
      .thenRejected('EMAIL_FLAG_WITHOUT_EMAIL');
    given(userDecider, created)
      .when(change({ usedForAuth: true }))
      .thenRejected('EMAIL_FLAG_WITHOUT_EMAIL');
    given(userDecider, ...ann)
      .when(change({ email: null, isVerified: true }))
      .thenRejected('EMAIL_FLAG_WITHOUT_EMAIL');
  });
});

test('any changes of the primary email leave at most one primary channel and no duplicate address', () => {
  const address = fc.constantFrom('ann@example.com', 'ANN@example.com', 'other@example.com', 'new@example.com');
  const flag = fc.option(fc.boolean(), { nil: undefined });
  const change = fc.record({
    type: fc.constant('ChangePrimaryEmail' as const),
    email: fc.oneof(address, fc.constantFrom(null, undefined)),
    isVerified: flag,
    usedForAuth: flag,
    newChannelId: fc.uuid(),
    at: fc.constant(at),
  });
  fc.assert(
    fc.property(fc.array(change), (commands) => {
      let state = [...ann, otherAdded].reduce(userDecider.evolve, userDecider.initialState);
      for (const command of commands) {
        try {
          state = userDecider.decide(command, state).reduce(userDecider.evolve, state);
        } catch {
          const asksForFlag = command.isVerified === true || command.usedForAuth === true;
          expect(asksForFlag && typeof command.email !== 'string').toBe(true);
        }
        if (state.status !== 'active') return expect.fail('the user went away');
        expect(state.channels.filter(({ isPrimary }) => isPrimary).length).toBeLessThanOrEqual(1);
        const values = state.channels.map(({ value }) => canonicalEmail(value ?? ''));
        expect(new Set(values).size).toBe(values.length);
      }
    }),
  );
});
