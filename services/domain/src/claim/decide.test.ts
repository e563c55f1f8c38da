import { describe, test } from 'vitest';
import { given } from '../spec.ts';
import { type ClaimCommand, claimDecider } from './decide.ts';
import type { ClaimEvent } from './events.ts';

const at = '2026-01-15T12:00:00.000Z';
const ann = '00000000-0000-4000-8000-000000000001';
const bob = '00000000-0000-4000-8000-000000000002';
const taken = (holderId: string, when = at): ClaimEvent => ({
  type: 'ClaimTaken',
  data: { kind: 'email', projectId: 'internal', holderId, at: when },
});
const released: ClaimEvent = { type: 'ClaimReleased', data: { holderId: ann, at } };
const refusal = { code: 'USER_EMAIL_ALREADY_EXISTS', details: { email: 'x@example.com' } } as const;
const take = (holderId: string, presentHolder: 'absent' | 'active' | 'deleted', when = at): ClaimCommand => ({
  type: 'TakeClaim',
  kind: 'email',
  projectId: 'internal',
  holderId,
  presentHolder,
  refusal,
  at: when,
});

describe('a claim', () => {
  test('is taken when free', () => given(claimDecider).when(take(ann, 'absent')).then(taken(ann)));
  test('taken again by its holder changes nothing', () =>
    given(claimDecider, taken(ann)).when(take(ann, 'active')).then());
  test('of another is refused', () =>
    given(claimDecider, taken(ann)).when(take(bob, 'active')).thenRefused(refusal.code, refusal.details));
  test('of a deleted holder is free', () =>
    given(claimDecider, taken(ann)).when(take(bob, 'deleted')).then(taken(bob)));
  test('whose holder never came to be waits 60 s', () => {
    const early = '2026-01-15T12:00:59.999Z';
    const late = '2026-01-15T12:01:00.000Z';
    given(claimDecider, taken(ann))
      .when(take(bob, 'absent', early))
      .thenRefused(refusal.code, refusal.details);
    given(claimDecider, taken(ann))
      .when(take(bob, 'absent', late))
      .then(taken(bob, late));
  });
  test('is released by its holder and can be taken again', () => {
    given(claimDecider, taken(ann)).when({ type: 'ReleaseClaim', holderId: ann, at }).then(released);
    given(claimDecider, taken(ann), released).when(take(bob, 'active')).then(taken(bob));
  });
  test('is not released by another, nor when free', () => {
    given(claimDecider, taken(ann)).when({ type: 'ReleaseClaim', holderId: bob, at }).then();
    given(claimDecider).when({ type: 'ReleaseClaim', holderId: ann, at }).then();
  });
});
