import { expect, test } from 'vitest';
import { ConnectionError } from './errors.ts';
import { createRefreshGrant } from './refresh-grant.ts';
import { createSession, remainingLifeMs } from './session.ts';
import { fakeNetwork, rejection, tokenFor } from './testing.ts';
import { createMemoryTokenStore } from './token-store/memory.ts';

const now = () => 1_800_000_000_000;

function sessionWith(accessToken: string | null, refresh: () => Promise<string | 'rejected'>) {
  const store = createMemoryTokenStore({ accessToken, refreshToken: 'r1' });
  return { store, session: createSession(store, refresh, now) };
}

test('an access token valid for more than 20 s is not refreshed', async () => {
  const { session } = sessionWith(tokenFor(20_001), async () => 'unused');
  expect((await session.tokens())?.accessToken).toBe(tokenFor(20_001));
});

test('concurrent callers share one refresh, and the new token is stored', async () => {
  let refreshes = 0;
  let answer = (_token: string): void => {};
  const { session, store } = sessionWith(tokenFor(19_999), () => {
    refreshes += 1;
    return new Promise((resolve) => {
      answer = resolve;
    });
  });
  const both = Promise.all([session.tokens(), session.tokens()]);
  answer(tokenFor(600_000));
  expect((await both).map((tokens) => tokens?.accessToken)).toEqual([tokenFor(600_000), tokenFor(600_000)]);
  expect(refreshes).toBe(1);
  expect(store.read()).toEqual({ accessToken: tokenFor(600_000), refreshToken: 'r1' });
});

test('a rejected refresh signs out and notifies subscribers', async () => {
  const { session, store } = sessionWith(null, async () => 'rejected');
  let notifications = 0;
  session.subscribe(() => {
    notifications += 1;
  });
  expect(await session.tokens()).toBeNull();
  expect(session.isSignedIn()).toBe(false);
  expect(store.read()).toEqual({ accessToken: null, refreshToken: null });
  expect(notifications).toBe(1);
});

test('a refresh that fails for another reason keeps the session', async () => {
  const { session } = sessionWith(null, async () => {
    throw new Error('busy');
  });
  await expect(session.tokens()).rejects.toThrow('busy');
  expect(session.isSignedIn()).toBe(true);
});

test('a sign-in during a refresh is not overwritten by it', async () => {
  let answer = (_token: string): void => {};
  const { session, store } = sessionWith(
    null,
    () =>
      new Promise((resolve) => {
        answer = resolve;
      }),
  );
  const old = session.tokens();
  session.adopt({ accessToken: tokenFor(500_000), refreshToken: 'r2' });
  answer(tokenFor(600_000));
  await old;
  expect(store.read()).toEqual({ accessToken: tokenFor(500_000), refreshToken: 'r2' });
});

test('marking a token other than the current one expired changes nothing', async () => {
  const { session, store } = sessionWith(tokenFor(600_000), async () => 'unused');
  session.markExpired(tokenFor(1));
  expect(store.read().accessToken).toBe(tokenFor(600_000));
  session.markExpired(tokenFor(600_000));
  expect(store.read().accessToken).toBeNull();
});

test('a fresh token that expires too soon is an error, and so is a minimum of a minute', async () => {
  const { session } = sessionWith(null, async () => tokenFor(5_000));
  await expect(session.tokens()).rejects.toThrow('valid for 5000 ms');
  await expect(session.tokens(60_000)).rejects.toThrow(RangeError);
});

test('the string undefined is never accepted as a token', () => {
  const { session } = sessionWith(null, async () => 'unused');
  expect(() => session.adopt({ accessToken: 'undefined', refreshToken: 'r' })).toThrow(TypeError);
});

test('the remaining lifetime comes from exp; infinite without exp, 0 if unreadable', () => {
  expect(remainingLifeMs(tokenFor(1_000), now())).toBe(1_000);
  expect(remainingLifeMs(tokenFor(-1_000), now())).toBe(0);
  expect(remainingLifeMs(`e30.${btoa('{}')}.x`, now())).toBe(Number.POSITIVE_INFINITY);
  expect(remainingLifeMs('garbage', now())).toBe(0);
});

test('the refresh grant sends a form with the credentials and no other headers', async () => {
  const { network, requests } = fakeNetwork(() => ({ json: { access_token: 'a2', token_type: 'Bearer' } }));
  const grant = createRefreshGrant({
    baseUrl: 'http://gate.test',
    projectId: 'p1',
    publishableClientKey: 'pck_1',
    network,
  });
  expect(await grant('r1')).toBe('a2');
  expect(requests[0]).toMatchObject({
    method: 'POST',
    url: 'http://gate.test/api/v1/auth/oauth/token',
    body: { grant_type: 'refresh_token', refresh_token: 'r1', client_id: 'p1', client_secret: 'pck_1' },
  });
  expect(Object.keys(requests[0]?.headers ?? {}).filter((name) => name.startsWith('x-stack'))).toEqual([]);
});

test('the refresh grant distinguishes an ended session from a network failure', async () => {
  const over = fakeNetwork(() => ({ ...rejection('REFRESH_TOKEN_NOT_FOUND_OR_EXPIRED', 401), status: 401 }));
  const options = { baseUrl: 'http://gate.test', projectId: 'p1', publishableClientKey: 'pck_1' };
  expect(await createRefreshGrant({ ...options, network: over.network })('r1')).toBe('rejected');
  const down = fakeNetwork((_, index) => (index < 4 ? { fails: true } : { json: { access_token: 'a2' } }));
  expect(await createRefreshGrant({ ...options, network: down.network })('r1')).toBe('a2');
  expect(down.pauses).toEqual([1000, 2000, 4000, 8000]);
});

test('the refresh grant tries as often as the client', async () => {
  const down = fakeNetwork(() => ({ fails: true }));
  const options = { baseUrl: 'http://gate.test', projectId: 'p1', maxAttempts: 2, network: down.network };
  await expect(createRefreshGrant(options)('r1')).rejects.toBeInstanceOf(ConnectionError);
  expect(down.pauses).toEqual([1000]);
});
