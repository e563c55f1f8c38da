import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { given } from '../spec.ts';
import { type ReservationCommand, reservationDecider } from './decide.ts';
import type { ReservationEvent } from './events.ts';
import { initialState } from './state.ts';

const at = '2026-01-15T12:00:00.000Z';
const ann = '00000000-0000-4000-8000-000000000001';
const bob = '00000000-0000-4000-8000-000000000002';
const taken = (holderId: string, when = at): ReservationEvent => ({
  type: 'ValueReserved',
  data: { kind: 'email', projectId: 'internal', holderId, at: when },
});
const released: ReservationEvent = { type: 'ReservationReleased', data: { holderId: ann, at } };
const rejection = { code: 'USER_EMAIL_ALREADY_EXISTS', details: { email: 'x@example.com' } } as const;
const take = (holderId: string, currentHolder: 'absent' | 'active' | 'deleted', when = at): ReservationCommand => ({
  type: 'ReserveValue',
  kind: 'email',
  projectId: 'internal',
  holderId,
  currentHolder,
  rejection,
  at: when,
});

describe('a reservation', () => {
  test('is taken when free', () => given(reservationDecider).when(take(ann, 'absent')).then(taken(ann)));
  test('does not change when its holder reserves again', () =>
    given(reservationDecider, taken(ann)).when(take(ann, 'active')).then());
  test('is recorded again when its holder no longer uses the value', () =>
    given(reservationDecider, taken(ann)).when(take(ann, 'absent')).then(taken(ann)));
  test('of another user is rejected', () =>
    given(reservationDecider, taken(ann)).when(take(bob, 'active')).thenRejected(rejection.code, rejection.details));
  test('does not change when what was sent to its address is erased', () => {
    const erase: ReservationCommand = { type: 'EraseAddress', addressRef: 'ref', projectId: 'internal', at };
    const erased: ReservationEvent = { type: 'AddressErased', data: { addressRef: 'ref', projectId: 'internal', at } };
    given(reservationDecider).when(erase).then(erased);
    given(reservationDecider, erased).when(take(bob, 'absent')).then(taken(bob));
    given(reservationDecider, taken(ann), erased)
      .when(take(bob, 'active'))
      .thenRejected(rejection.code, rejection.details);
  });
  test('of a deleted user is free', () =>
    given(reservationDecider, taken(ann)).when(take(bob, 'deleted')).then(taken(bob)));
  test('whose holder was never created waits 60 s', () => {
    const early = '2026-01-15T12:00:59.999Z';
    const late = '2026-01-15T12:01:00.000Z';
    given(reservationDecider, taken(ann))
      .when(take(bob, 'absent', early))
      .thenRejected(rejection.code, rejection.details);
    given(reservationDecider, taken(ann))
      .when(take(bob, 'absent', late))
      .then(taken(bob, late));
  });
  test('is released by its holder and can be reserved again', () => {
    given(reservationDecider, taken(ann)).when({ type: 'ReleaseReservation', holderId: ann, at }).then(released);
    given(reservationDecider, taken(ann), released).when(take(bob, 'active')).then(taken(bob));
  });
  test('is not released by another, nor when free', () => {
    given(reservationDecider, taken(ann)).when({ type: 'ReleaseReservation', holderId: bob, at }).then();
    given(reservationDecider).when({ type: 'ReleaseReservation', holderId: ann, at }).then();
  });
});

test('a reservation is never taken from a holder who uses the value', () => {
  const holder = fc.constantFrom(ann, bob);
  const presence = fc.constantFrom('absent' as const, 'active' as const, 'deleted' as const);
  const second = fc.nat(200).map((seconds) => new Date(Date.parse(at) + seconds * 1000).toISOString());
  const release = fc.tuple(holder, second).map(
    ([holderId, when]): ReservationCommand => ({
      type: 'ReleaseReservation',
      holderId,
      at: when,
    }),
  );
  const command = fc.oneof(
    fc.tuple(holder, presence, second).map(([who, what, when]) => take(who, what, when)),
    release,
  );
  fc.assert(
    fc.property(fc.array(command), (commands) => {
      let state = initialState;
      for (const next of commands) {
        const before = state;
        try {
          state = reservationDecider.decide(next, state).reduce(reservationDecider.evolve, state);
        } catch {
          expect(state).toBe(before);
        }
        if (before.status !== 'taken') continue;
        const isHoldersOwn = next.type === 'ReleaseReservation' && next.holderId === before.holderId;
        if (isHoldersOwn || (next.type === 'ReserveValue' && next.currentHolder !== 'active')) continue;
        expect(state).toEqual(before);
      }
    }),
  );
});
