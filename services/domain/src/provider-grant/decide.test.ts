import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { given } from '../spec.ts';
import { findRefreshableGrant, findUsableToken, providerGrantDecider } from './decide.ts';
import type { ProviderGrantEvent } from './events.ts';

const at = '2026-01-15T12:00:00.000Z';
const [ann, bob] = ['00000000-0000-4000-8000-000000000001', '00000000-0000-4000-8000-000000000002'];
type Stored = Extract<ProviderGrantEvent, { type: 'ProviderTokensStored' }>['data'];
const data = (changes: Partial<Stored> = {}): Stored => ({
  accountRef: 'ref',
  userId: ann,
  projectId: 'shop',
  provider: 'github',
  scopes: ['a', 'b'],
  accessToken: 'token-1',
  expiresAt: '2026-01-15T13:00:00.000Z',
  refreshToken: 'refresh-1',
  at,
  ...changes,
});
const stored = (changes: Partial<Stored> = {}): ProviderGrantEvent => ({
  type: 'ProviderTokensStored',
  data: data(changes),
});
const stateOf = (...events: ProviderGrantEvent[]) =>
  events.reduce(providerGrantDecider.evolve, providerGrantDecider.initialState);

test('provider tokens are stored unchanged', () =>
  given(providerGrantDecider, stored())
    .when({ type: 'StoreTokens', ...data() })
    .then(stored()));

test('discarded tokens are gone; those of another user stay', () => {
  const discard = (userId: string) => ({ type: 'DiscardTokens', accountRef: 'ref', userId, at }) as const;
  const discarded: ProviderGrantEvent = {
    type: 'ProviderTokensDiscarded',
    data: { accountRef: 'ref', userId: ann, at },
  };
  given(providerGrantDecider, stored()).when(discard(ann)).then(discarded);
  given(providerGrantDecider, stored()).when(discard('99999999-9999-4999-8999-999999999999')).then();
  given(providerGrantDecider).when(discard(ann)).then();
  expect(findRefreshableGrant(stateOf(stored(), discarded), ann, [])).toBeNull();
});

describe('an access token', () => {
  test('is returned with all requested scopes and more than five minutes of lifetime', () => {
    const state = stateOf(stored());
    for (const scopes of [[], ['a'], ['b', 'a']]) expect(findUsableToken(state, ann, scopes, at)).toBe('token-1');
    expect(findUsableToken(state, ann, ['a', 'c'], at)).toBeNull();
    expect(findUsableToken(state, ann, [], '2026-01-15T12:54:59.999Z')).toBe('token-1');
    expect(findUsableToken(state, ann, [], '2026-01-15T12:55:00.000Z')).toBeNull();
    expect(findUsableToken(providerGrantDecider.initialState, ann, [], at)).toBeNull();
  });

  test('is the newest with the scopes; tokens for other scopes are kept', () => {
    const state = stateOf(
      stored(),
      stored({ scopes: ['b', 'a'], accessToken: 'token-2' }),
      stored({ scopes: ['c'], accessToken: 'token-3' }),
    );
    expect(findUsableToken(state, ann, [], at)).toBe('token-3');
    expect(findUsableToken(state, ann, ['a'], at)).toBe('token-2');
  });
});

describe('a refresh token', () => {
  test('is kept until a new one arrives for the same scopes', () => {
    const kept = stateOf(stored(), stored({ accessToken: 'token-2', refreshToken: null }));
    expect(findRefreshableGrant(kept, ann, ['a'])).toMatchObject({ refreshToken: 'refresh-1', scopes: ['a', 'b'] });
    const turned = stateOf(stored(), stored({ scopes: ['b', 'a'], refreshToken: 'refresh-2' }));
    expect(findRefreshableGrant(turned, ann, [])?.refreshToken).toBe('refresh-2');
    expect(findRefreshableGrant(stateOf(stored({ refreshToken: null })), ann, [])).toBeNull();
    expect(findRefreshableGrant(kept, ann, ['c'])).toBeNull();
  });
});

test('provider tokens are never returned to another user or after erasure', () => {
  const token = fc.record({
    userId: fc.constantFrom(ann, bob),
    scopes: fc.subarray(['a', 'b', 'c']),
    accessToken: fc.option(fc.constantFrom('t1', 't2')),
    refreshToken: fc.option(fc.constantFrom('r1', 'r2')),
  });
  fc.assert(
    fc.property(fc.array(token, { maxLength: 8 }), fc.constantFrom(ann, bob), (tokens, who) => {
      const events = tokens.map((one, index) =>
        stored({
          ...one,
          accessToken: one.accessToken && `${one.userId} ${index}`,
          refreshToken: one.refreshToken && `${one.userId} ${index}`,
        }),
      );
      const state = stateOf(...events);
      for (const found of [
        findUsableToken(state, who, [], at),
        findRefreshableGrant(state, who, [])?.refreshToken ?? null,
      ]) {
        if (found !== null) expect(found.startsWith(who)).toBe(true);
      }
      if (tokens.at(-1)?.userId !== who) expect(findUsableToken(state, who, [], at)).toBeNull();
    }),
  );
});
