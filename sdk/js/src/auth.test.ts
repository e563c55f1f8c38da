import { afterEach, describe, expect, test, vi } from 'vitest';
import type { Ceremonies } from './auth/ceremonies.ts';
import { browserCeremonies, throwKnown } from './auth/ceremonies.ts';
import { attemptCodeOf } from './auth/second-factor.ts';
import { createClientApp } from './client-app.ts';
import { type FakeAnswer, fakeNetwork, rejection, type SentRequest, tokenFor } from './testing.ts';
import { createMemoryTokenStore } from './token-store/memory.ts';

const signedIn = (extra: object = {}): FakeAnswer => ({
  json: { access_token: tokenFor(600_000), refresh_token: 'r9', user_id: 'u', ...extra },
});

function appOf(
  answer: (request: SentRequest) => FakeAnswer,
  { isSignedIn = false, ceremonies }: { isSignedIn?: boolean; ceremonies?: Ceremonies } = {},
) {
  const { network, requests } = fakeNetwork(answer);
  const tokenStore = createMemoryTokenStore({
    accessToken: isSignedIn ? tokenFor(600_000) : null,
    refreshToken: isSignedIn ? 'r1' : null,
  });
  const app = createClientApp({
    baseUrl: 'http://gate.test',
    projectId: 'p1',
    publishableClientKey: 'pck_1',
    tokenStore,
    network,
    ...(ceremonies && { ceremonies }),
  });
  const sent = () => requests.map(({ method, url, body }) => [`${method} ${new URL(url).pathname.slice(7)}`, body]);
  return { app, auth: app.auth, requests, tokenStore, sent };
}

afterEach(() => vi.unstubAllGlobals());

describe('passwords', () => {
  test('sign-up sends the verification URL and returns a new user', async () => {
    const { auth, sent, tokenStore } = appOf(() => signedIn());
    const input = { email: 'ann@example.com', password: 'right horse', verificationCallbackUrl: 'http://a.test/v' };
    expect(await auth.signUpWithPassword(input)).toEqual({ isNewUser: true });
    expect(sent()).toEqual([
      [
        'POST /auth/password/sign-up',
        { email: 'ann@example.com', password: 'right horse', verification_callback_url: 'http://a.test/v' },
      ],
    ]);
    expect(tokenStore.read().refreshToken).toBe('r9');
  });

  test('sign-in and sign-up send the tokens of an anonymous user, who keeps the account', async () => {
    const { auth, requests } = appOf(() => signedIn(), { isSignedIn: true });
    expect(await auth.signInWithPassword({ email: 'ann@example.com', password: 'x' })).toEqual({ isNewUser: false });
    expect(requests[0]?.headers['x-stack-refresh-token']).toBe('r1');
  });

  test('a password reset needs no session', async () => {
    const { auth, sent, requests, tokenStore } = appOf(() => ({ json: { success: true } }), { isSignedIn: true });
    await auth.sendPasswordResetCode({ email: 'ann@example.com', callbackUrl: 'http://a.test/r' });
    await auth.checkPasswordResetCode('c1');
    await auth.resetPassword({ code: 'c1', password: 'new horse' });
    expect(sent()).toEqual([
      ['POST /auth/password/send-reset-code', { email: 'ann@example.com', callback_url: 'http://a.test/r' }],
      ['POST /auth/password/reset/check-code', { code: 'c1' }],
      ['POST /auth/password/reset', { code: 'c1', password: 'new horse' }],
    ]);
    expect(requests.every(({ headers }) => !('x-stack-access-token' in headers))).toBe(true);
    expect(tokenStore.read().refreshToken).toBe('r1');
  });
});

describe('email codes', () => {
  test('sending a code returns the nonce, and sign-in tells whether the user is new', async () => {
    const { auth, sent, requests, tokenStore } = appOf(
      ({ url }) =>
        url.endsWith('send-sign-in-code') ? { json: { nonce: 'n'.repeat(39) } } : signedIn({ is_new_user: true }),
      { isSignedIn: true },
    );
    const { nonce } = await auth.sendSignInCode({ email: 'ann@example.com', callbackUrl: 'http://a.test/m' });
    expect(await auth.signInWithCode(`ABC123${nonce}`)).toEqual({ isNewUser: true });
    expect(sent()).toEqual([
      ['POST /auth/otp/send-sign-in-code', { email: 'ann@example.com', callback_url: 'http://a.test/m' }],
      ['POST /auth/otp/sign-in', { code: `ABC123${'n'.repeat(39)}` }],
    ]);
    expect(requests.some(({ headers }) => 'x-stack-refresh-token' in headers)).toBe(false);
    expect(tokenStore.read().refreshToken).toBe('r9');
  });

  test('verification requests carry the session', async () => {
    const { auth, sent, requests } = appOf(() => ({ json: { success: true } }), { isSignedIn: true });
    await auth.verifyEmail('c1');
    await auth.sendVerificationEmail({ email: 'ann@example.com', callbackUrl: 'http://a.test/v' });
    expect(sent()).toEqual([
      ['POST /contact-channels/verify', { code: 'c1' }],
      ['POST /contact-channels/send-verification-code', { email: 'ann@example.com', callback_url: 'http://a.test/v' }],
    ]);
    expect(requests.map(({ headers }) => 'x-stack-access-token' in headers)).toEqual([true, true]);
  });
});

test('a sign-in that requires a second factor is completed with its attempt code', async () => {
  const { auth, sent, tokenStore } = appOf(({ url }) =>
    url.endsWith('/mfa/sign-in')
      ? signedIn({ is_new_user: false })
      : rejection('MULTI_FACTOR_AUTHENTICATION_REQUIRED', 400, { attempt_code: 'a1' }),
  );
  const error = await auth.signInWithPassword({ email: 'ann@example.com', password: 'x' }).catch((found) => found);
  expect(attemptCodeOf(error)).toBe('a1');
  expect(attemptCodeOf(new Error('another'))).toBeNull();
  expect(tokenStore.read().refreshToken).toBeNull();
  expect(await auth.signInWithSecondFactor({ attemptCode: 'a1', totp: '123456' })).toEqual({ isNewUser: false });
  expect(sent().at(-1)).toEqual(['POST /auth/mfa/sign-in', { code: 'a1', type: 'totp', totp: '123456' }]);
  expect(tokenStore.read().refreshToken).toBe('r9');
});

describe('passkeys', () => {
  const placeholder = 'THIS_VALUE_WILL_BE_REPLACED.example.com';
  const options = (rpId: string) => ({ rpId, rp: { id: rpId, name: 'Acme' }, challenge: 'ch' });
  const ceremonies = () => {
    const create = vi.fn(async () => ({ id: 'credential' }));
    const get = vi.fn(async () => ({ id: 'shown' }));
    return { create, get, asCeremonies: { create, get } as unknown as Ceremonies };
  };
  const server = (rpId: string) => (request: SentRequest) =>
    request.url.includes('/initiate-')
      ? { json: { options_json: options(rpId), code: 'c1' } }
      : signedIn({ is_new_user: false });

  test('sign-in uses the hostname of the page', async () => {
    vi.stubGlobal('location', { hostname: 'shop.example', href: 'https://shop.example/' });
    const fake = ceremonies();
    const { auth, sent } = appOf(server(placeholder), { ceremonies: fake.asCeremonies });
    expect(await auth.signInWithPasskey()).toEqual({ isNewUser: false });
    expect(fake.get).toHaveBeenCalledWith(
      expect.objectContaining({ rpId: 'shop.example', challenge: 'ch' }),
      undefined,
    );
    expect(sent().at(-1)).toEqual([
      'POST /auth/passkey/sign-in',
      { authentication_response: { id: 'shown' }, code: 'c1' },
    ]);
  });

  test('registration uses the given hostname and the session', async () => {
    const fake = ceremonies();
    const { auth, sent, requests } = appOf(server(placeholder), { ceremonies: fake.asCeremonies, isSignedIn: true });
    await auth.registerPasskey({ hostname: 'given.example' });
    expect(fake.create).toHaveBeenCalledWith(expect.objectContaining({ rp: { id: 'given.example', name: 'Acme' } }));
    expect(sent().at(-1)).toEqual(['POST /auth/passkey/register', { credential: { id: 'credential' }, code: 'c1' }]);
    expect(requests.every(({ headers }) => headers['x-stack-refresh-token'] === 'r1')).toBe(true);
  });

  test('an unexpected relying party ID and a missing hostname are errors', async () => {
    vi.stubGlobal('location', { hostname: 'shop.example' });
    const fake = ceremonies();
    const { auth } = appOf(server('evil.example'), { ceremonies: fake.asCeremonies });
    await expect(auth.signInWithPasskey()).rejects.toThrow('evil.example');
    vi.stubGlobal('location', undefined);
    await expect(auth.registerPasskey()).rejects.toThrow('hostname');
    expect(fake.get).not.toHaveBeenCalled();
  });

  test('an abort fails with the same error before and during the ceremony', async () => {
    const waiting = ({ signal }: { signal: AbortSignal }) =>
      new Promise((_, reject) => signal.addEventListener('abort', () => reject(signal.reason)));
    vi.stubGlobal(
      'PublicKeyCredential',
      Object.assign(() => {}, { isConditionalMediationAvailable: async () => true }),
    );
    vi.stubGlobal('document', { querySelectorAll: () => [{}] });
    vi.stubGlobal('navigator', { credentials: { get: vi.fn(waiting) } });
    const error = { code: 'PASSKEY_WEBAUTHN_ERROR', details: { code: 'ERROR_CEREMONY_ABORTED' } };
    const options = { challenge: 'AAAA' };
    await expect(browserCeremonies.get(options, AbortSignal.abort())).rejects.toMatchObject(error);
    const later = new AbortController();
    const running = browserCeremonies.get(options, later.signal);
    await vi.waitFor(() => expect(navigator.credentials.get).toHaveBeenCalled());
    later.abort();
    await expect(running).rejects.toMatchObject(error);
  });

  test('a failed ceremony has the kind of failure in its details', () => {
    const failure = (error: unknown) => {
      try {
        return throwKnown(error);
      } catch (thrown) {
        return thrown;
      }
    };
    const kind = Object.assign(new Error('no domain'), { code: 'ERROR_INVALID_DOMAIN' });
    expect(failure(kind)).toMatchObject({ code: 'PASSKEY_WEBAUTHN_ERROR', details: { code: 'ERROR_INVALID_DOMAIN' } });
    const canceled = Object.assign(new Error('no'), {
      name: 'NotAllowedError',
      code: 'ERROR_PASSTHROUGH_SEE_CAUSE_PROPERTY',
    });
    expect(failure(canceled)).toMatchObject({ details: { message: 'no', code: 'NotAllowedError' } });
  });
});

describe('the current user', () => {
  const me = (isAnonymous: boolean) => ({
    json: { id: 'u', is_anonymous: isAnonymous, oauth_providers: [], signed_up_at_millis: 1, display_name: null },
  });

  test('is null without a session, without a request', async () => {
    const { app, requests } = appOf(() => me(false));
    expect(await app.getUser()).toBeNull();
    expect(requests).toEqual([]);
    await expect(app.getUser({ or: 'throw' })).rejects.toThrow('No user is signed in');
  });

  test('is null for an anonymous user, unless anonymous users are requested', async () => {
    const { app } = appOf(() => me(true), { isSignedIn: true });
    expect(await app.getUser()).toBeNull();
    expect(await app.getUser({ or: 'anonymous-if-exists' })).toMatchObject({ id: 'u', isAnonymous: true });
  });

  test('is null if the session ends during the request', async () => {
    const { app } = appOf(() => rejection('CANNOT_GET_OWN_USER_WITHOUT_USER', 400), { isSignedIn: true });
    expect(await app.getUser()).toBeNull();
  });

  test('is signed up anonymously on request: once for concurrent calls, and again after a failure', async () => {
    let isDown = true;
    const { app, sent, tokenStore } = appOf(({ url }) => {
      if (!url.endsWith('/anonymous/sign-up')) return me(true);
      return isDown ? rejection('ANONYMOUS_ACCOUNTS_NOT_ENABLED', 400) : signedIn();
    });
    await expect(app.getUser({ or: 'anonymous' })).rejects.toMatchObject({ code: 'ANONYMOUS_ACCOUNTS_NOT_ENABLED' });
    isDown = false;
    const users = await Promise.all([app.getUser({ or: 'anonymous' }), app.getUser({ or: 'anonymous' })]);
    expect(users.map((user) => user?.id)).toEqual(['u', 'u']);
    expect(sent().filter(([path]) => path === 'POST /auth/anonymous/sign-up')).toHaveLength(2);
    expect(tokenStore.read().refreshToken).toBe('r9');
  });
});

test('the current project has its sign-in methods', async () => {
  const { app } = appOf(() => ({
    json: {
      id: 'p1',
      display_name: 'Acme',
      config: { magic_link_enabled: true, passkey_enabled: false, enabled_oauth_providers: [{ id: 'github' }] },
    },
  }));
  expect(await app.project.find()).toMatchObject({
    displayName: 'Acme',
    config: { magicLinkEnabled: true, passkeyEnabled: false, oauthProviders: [{ id: 'github' }] },
  });
});
