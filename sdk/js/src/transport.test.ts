import { describe, expect, test } from 'vitest';
import { changesClient } from './changes.ts';
import {
  AnswerError,
  ConnectionError,
  isKnownError,
  ReauthenticationRequiredError,
  UnknownErrorCode,
} from './errors.ts';
import { createSession } from './session.ts';
import { fakeNetwork, rejection, tokenFor } from './testing.ts';
import { createMemoryTokenStore } from './token-store/memory.ts';
import { createTransport } from './transport.ts';

const base = { baseUrl: 'http://gate.test/', projectId: 'p1', accessType: 'client' } as const;

function signedIn(accessToken: string, refresh: () => Promise<string>) {
  const store = createMemoryTokenStore({ accessToken, refreshToken: 'r1' });
  return createSession(store, refresh, () => 1_800_000_000_000);
}

describe('headers', () => {
  test('a client call carries project, access type, key, tokens and a fresh nonce', async () => {
    const { network, requests } = fakeNetwork(() => ({ json: { ok: 1 } }));
    const session = signedIn(tokenFor(300_000), async () => 'unused');
    const send = createTransport({ ...base, publishableClientKey: 'pck_1', session, network });
    expect(await send('POST', '/things/', { a: 1 })).toEqual({ ok: 1 });
    await send('GET', '/things');
    const [first, second] = requests;
    expect(first?.url).toBe('http://gate.test/api/v1/things');
    expect(first?.body).toEqual({ a: 1 });
    expect(first?.headers).toMatchObject({
      'x-stack-override-error-status': 'true',
      'x-stack-project-id': 'p1',
      'x-stack-access-type': 'client',
      'x-stack-publishable-client-key': 'pck_1',
      'x-stack-access-token': tokenFor(300_000),
      'x-stack-refresh-token': 'r1',
      'content-type': 'application/json',
    });
    expect(first?.headers['x-stack-random-nonce']).toMatch(/^[0-9a-hjkmnp-tv-z]{45}$/);
    expect(second?.headers['x-stack-random-nonce']).not.toBe(first?.headers['x-stack-random-nonce']);
    expect(second?.headers).not.toHaveProperty('content-type');
  });

  test('the ETag of a preview is sent with the write', async () => {
    const { network, requests } = fakeNetwork(() => ({ json: { ok: 1 } }));
    const { writePreviewed } = changesClient(createTransport({ ...base, network }));
    const call = { method: 'PATCH', path: '/users/u1', body: { display_name: 'Ann' } } as const;
    expect(await writePreviewed(call, 'e1')).toEqual({ ok: 1 });
    expect(requests).toMatchObject([{ body: call.body, headers: { 'if-match': '"e1"' } }]);
  });

  test('with an owner session, the admin token replaces all keys', async () => {
    const { network, requests } = fakeNetwork(() => ({}));
    const ownerSession = signedIn(tokenFor(300_000), async () => 'unused');
    await createTransport({ ...base, accessType: 'admin', ownerSession, publishableClientKey: 'pck_1', network })(
      'GET',
      '/x',
    );
    expect(requests[0]?.headers['x-stack-admin-access-token']).toBe(tokenFor(300_000));
    expect(requests[0]?.headers).not.toHaveProperty('x-stack-publishable-client-key');
    expect(requests[0]?.headers).not.toHaveProperty('x-stack-access-token');
  });

  test('a signed-out session sends no token headers', async () => {
    const { network, requests } = fakeNetwork(() => ({}));
    const session = createSession(createMemoryTokenStore(), async () => 'unused', Date.now);
    await createTransport({ ...base, session, network })('GET', '/x');
    expect(Object.keys(requests[0]?.headers ?? {}).filter((name) => name.endsWith('-token'))).toEqual([]);
  });
});

describe('errors', () => {
  test('a response that requires a more recent sign-in is recognized by its challenge', async () => {
    const challenge = { 'www-authenticate': 'Bearer error="insufficient_user_authentication", max_age="600"' };
    const { network } = fakeNetwork(() => ({ status: 401, text: 'Sign in again.', headers: challenge }));
    const error = await failureOf(createTransport({ ...base, network })('DELETE', '/users/me'));
    expect(error).toBeInstanceOf(ReauthenticationRequiredError);
    expect(error).toMatchObject({ status: 401, body: 'Sign in again.' });
  });

  test('a known error is typed and never retried', async () => {
    const { network, requests } = fakeNetwork(() => rejection('PASSWORD_TOO_SHORT', 400, { min_length: 8 }));
    const error = await failureOf(createTransport({ ...base, network })('GET', '/x'));
    expect(isKnownError(error, 'PASSWORD_TOO_SHORT')).toBe(true);
    expect(isKnownError(error, 'PASSWORD_REQUIREMENTS_NOT_MET')).toBe(true);
    expect(isKnownError(error, 'PASSWORD_TOO_LONG', 'API_KEY_NOT_VALID')).toBe(false);
    expect(error).toMatchObject({ status: 400, details: { min_length: 8 } });
    expect(requests).toHaveLength(1);
  });

  test('an unknown code suggests an update', async () => {
    const { network } = fakeNetwork(() => rejection('BRAND_NEW_ERROR', 400));
    const error = await failureOf(createTransport({ ...base, network })('GET', '/x'));
    expect(error).toBeInstanceOf(UnknownErrorCode);
    expect(String(error)).toContain('update the client library');
  });

  test('a body that contradicts the header is an error', async () => {
    const { network } = fakeNetwork(() => ({
      json: { code: 'USER_NOT_FOUND', error: '' },
      headers: { 'x-stack-known-error': 'SCHEMA_ERROR' },
    }));
    expect(await failureOf(createTransport({ ...base, network })('GET', '/x'))).toBeInstanceOf(AnswerError);
  });

  test('a response without a code keeps its status and text', async () => {
    const { network } = fakeNetwork(() => ({ text: 'No such thing.', headers: { 'x-stack-actual-status': '404' } }));
    const error = await failureOf(createTransport({ ...base, network })('GET', '/x'));
    expect(error).toMatchObject({ status: 404, body: 'No such thing.' });
  });
});

describe('retries', () => {
  test('after 429, the Retry-After delay is added to the backoff', async () => {
    const { network, pauses } = fakeNetwork((_, index) =>
      index < 2 ? { status: 429, text: '', ...(index === 0 && { headers: { 'retry-after': '3' } }) } : { json: 'done' },
    );
    expect(await createTransport({ ...base, network })('POST', '/x', {})).toBe('done');
    expect(pauses).toEqual([3000, 1000, 2000]);
  });

  test('a call fails after five attempts', async () => {
    const { network, requests, pauses } = fakeNetwork(() => ({ status: 429, text: 'slow down' }));
    const error = await failureOf(createTransport({ ...base, network })('GET', '/x'));
    expect(error).toMatchObject({ status: 429 });
    expect(requests).toHaveLength(5);
    expect(pauses).toEqual([1000, 2000, 4000, 8000]);
  });

  test('a GET to an unreachable server is retried, and the error lists what was reachable', async () => {
    const { network, requests } = fakeNetwork(({ url }) => (url.endsWith('/health') ? { json: {} } : { fails: true }));
    const error = await failureOf(createTransport({ ...base, network })('GET', '/x'));
    expect(error).toBeInstanceOf(ConnectionError);
    expect(error).toMatchObject({ isOffline: false, diagnostics: { isOnline: true, health: 'OK' } });
    expect(requests.filter(({ url }) => url.endsWith('/x'))).toHaveLength(5);
  });

  test('a write with the ETag of a preview is not retried, because the first attempt may have succeeded', async () => {
    const { network, requests } = fakeNetwork(({ url }) => (url.endsWith('/health') ? { json: {} } : { fails: true }));
    const { writePreviewed } = changesClient(createTransport({ ...base, network }));
    expect(await failureOf(writePreviewed({ method: 'DELETE', path: '/x' }, 'e1'))).toBeInstanceOf(ConnectionError);
    expect(requests.filter(({ url }) => url.endsWith('/x'))).toHaveLength(1);
  });

  test('a POST without a response is not retried', async () => {
    const { network, requests } = fakeNetwork(() => ({ fails: true }));
    network.isOnline = () => false;
    const error = await failureOf(createTransport({ ...base, network })('POST', '/x', {}));
    expect(error).toMatchObject({ isOffline: true });
    expect(requests).toHaveLength(1);
  });

  test('a rejected access token is refreshed once and the request is retried', async () => {
    const fresh = tokenFor(600_000);
    const { network, requests } = fakeNetwork(({ headers }) =>
      headers['x-stack-access-token'] === fresh ? { json: 'in' } : rejection('ACCESS_TOKEN_EXPIRED', 401),
    );
    const session = signedIn(tokenFor(300_000), async () => fresh);
    expect(await createTransport({ ...base, session, network })('PATCH', '/x', {})).toBe('in');
    expect(requests).toHaveLength(2);
  });

  test('a rejected owner token is also refreshed', async () => {
    const fresh = tokenFor(600_000);
    const { network } = fakeNetwork(({ headers }) =>
      headers['x-stack-admin-access-token'] === fresh
        ? { json: 'in' }
        : rejection('UNPARSABLE_ADMIN_ACCESS_TOKEN', 401),
    );
    const ownerSession = signedIn(tokenFor(300_000), async () => fresh);
    expect(await createTransport({ ...base, accessType: 'admin', ownerSession, network })('GET', '/x')).toBe('in');
  });

  test('the request of somebody who is not an owner fails at once', async () => {
    const { network, requests } = fakeNetwork(() => rejection('ADMIN_ACCESS_TOKEN_IS_NOT_ADMIN', 401));
    const ownerSession = signedIn(tokenFor(300_000), async () => tokenFor(600_000));
    const error = await failureOf(
      createTransport({ ...base, accessType: 'admin', ownerSession, network })('GET', '/x'),
    );
    expect(isKnownError(error, 'ADMIN_ACCESS_TOKEN_IS_NOT_ADMIN')).toBe(true);
    expect(requests).toHaveLength(1);
  });

  test('a token error is final for a request without a token', async () => {
    const { network, requests } = fakeNetwork(() => rejection('ACCESS_TOKEN_EXPIRED', 401));
    const error = await failureOf(createTransport({ ...base, network })('DELETE', '/auth/sessions/current', {}));
    expect(isKnownError(error, 'INVALID_ACCESS_TOKEN')).toBe(true);
    expect(requests).toHaveLength(1);
  });
});

async function failureOf(promise: Promise<unknown>): Promise<unknown> {
  try {
    await promise;
  } catch (error) {
    return error;
  }
  throw new Error('expected a failure');
}
