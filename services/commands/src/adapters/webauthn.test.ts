import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { authenticationOptions, newChallenge, registrationOptions } from '../sign-in/passkey-options.ts';
import { createAuthenticator, newKeys, type Twists } from '../testing/authenticator.ts';
import { createWebauthn, passkeyOrigin } from './webauthn.ts';

const webauthn = createWebauthn();
const challenge = newChallenge();
const localhost = { allowLocalhost: true, domains: [] };
const shop = { allowLocalhost: false, domains: [{ domain: 'https://shop.example.com', handlerPath: '/handler' }] };

const register = async (twists: Twists = {}, authenticator = createAuthenticator()) =>
  webauthn.verifyRegistration({
    credential: authenticator.register({ challenge }, twists),
    challenge,
    rules: localhost,
  });

async function registered(algorithm: 'ES256' | 'EdDSA' | 'RS256' = 'ES256') {
  const authenticator = createAuthenticator({ algorithm });
  const made = await register({}, authenticator);
  if (made.outcome !== 'verified') return expect.fail(made.message);
  const authenticate = (twists: Twists = {}) => {
    const response = authenticator.authenticate({ challenge }, twists);
    return webauthn.verifyAuthentication({ response, challenge, passkey: made.passkey, rules: localhost });
  };
  return { authenticator, passkey: made.passkey, authenticate };
}

test('options have the values of the protocol, in its order', () => {
  const given = {
    projectName: 'Shop',
    userId: '11111111-1111-4111-8111-111111111111',
    userName: 'Ann',
    challenge: 'abc',
  };
  expect(JSON.stringify(registrationOptions(given))).toBe(
    JSON.stringify({
      rp: { name: 'Shop', id: 'THIS_VALUE_WILL_BE_REPLACED.example.com' },
      user: { id: 'MTExMTExMTEtMTExMS00MTExLTgxMTEtMTExMTExMTExMTEx', name: 'Ann', displayName: 'Ann' },
      challenge: 'abc',
      pubKeyCredParams: [-8, -7, -257].map((alg) => ({ alg, type: 'public-key' })),
      timeout: 60000,
      attestation: 'none',
      excludeCredentials: [],
      authenticatorSelection: { residentKey: 'required', requireResidentKey: true, userVerification: 'preferred' },
      extensions: { credProps: true },
    }),
  );
  expect(authenticationOptions('abc')).toEqual({
    rpId: 'THIS_VALUE_WILL_BE_REPLACED.example.com',
    challenge: 'abc',
    allowCredentials: [],
    timeout: 60000,
    userVerification: 'preferred',
  });
  expect(Buffer.from(newChallenge(), 'base64url')).toHaveLength(32);
});

describe('registration', () => {
  test.each(['ES256', 'EdDSA', 'RS256'] as const)(
    'of a good %s key is verified, and so is its signature',
    async (algorithm) => {
      const { authenticator, passkey, authenticate } = await registered(algorithm);
      expect(passkey).toMatchObject({ credentialId: authenticator.credentialId, counter: 1, transports: ['internal'] });
      expect(passkey.deviceType).toBe('singleDevice');
      expect(await authenticate()).toEqual({ outcome: 'verified', counter: 2 });
    },
  );

  test('needs no user verification', async () => {
    expect((await register({ flags: 0x41 })).outcome).toBe('verified');
  });

  test.each<[string, Twists, RegExp]>([
    ['the type of a sign-in', { type: 'webauthn.get' }, /type/],
    ['another challenge', { challenge: newChallenge() }, /challenge/],
    ['another RP id', { rpId: 'evil.org' }, /RP ID/i],
    ['nobody present', { flags: 0x44 }, /presen/i],
    ['an id that is not the raw id', { rawId: 'AAAA' }, /not base64url|id/i],
    ['no credential in it', { flags: 0x05 }, /./],
  ])('with %s fails', async (_, twists, reason) => {
    const outcome = await register(twists);
    expect(outcome).toMatchObject({ outcome: 'failed', reason: 'response', message: expect.stringMatching(reason) });
  });
});

describe('a sign-in', () => {
  test.each<[string, Twists, RegExp]>([
    ['the type of a registration', { type: 'webauthn.create' }, /type/],
    ['another challenge', { challenge: newChallenge() }, /challenge/],
    ['another RP id', { rpId: 'evil.org' }, /RP ID/i],
    ['nobody present', { flags: 0x04 }, /presen/i],
    ['a counter that stands still', { counter: 1 }, /counter/],
    ['a counter that went back', { counter: 0 }, /counter/],
    ['another key', { signWith: newKeys('ES256').privateKey }, /could not be verified/],
    ['an id that is not the raw id', { rawId: 'AAAA' }, /id/i],
  ])('with %s fails', async (_, twists, reason) => {
    const { authenticate } = await registered();
    const outcome = await authenticate(twists);
    expect(outcome).toMatchObject({ outcome: 'failed', reason: 'response', message: expect.stringMatching(reason) });
  });

  test('whose data were changed after signing fails', async () => {
    const { authenticator, passkey } = await registered();
    const response = authenticator.authenticate({ challenge });
    const data = Buffer.from(response.response.authenticatorData, 'base64url');
    data[36] = 99;
    const changed = { ...response, response: { ...response.response, authenticatorData: data.toString('base64url') } };
    const outcome = await webauthn.verifyAuthentication({ response: changed, challenge, passkey, rules: localhost });
    expect(outcome.outcome).toBe('failed');
  });

  test('of an authenticator that does not count is verified', async () => {
    const authenticator = createAuthenticator();
    const made = await register({ counter: 0 }, authenticator);
    if (made.outcome !== 'verified') return expect.fail(made.message);
    const response = authenticator.authenticate({ challenge }, { counter: 0 });
    const outcome = await webauthn.verifyAuthentication({
      response,
      challenge,
      passkey: made.passkey,
      rules: localhost,
    });
    expect(outcome).toEqual({ outcome: 'verified', counter: 0 });
  });
});

describe('the origin', () => {
  const from = (origin: unknown, rules = shop) =>
    passkeyOrigin(Buffer.from(JSON.stringify({ origin })).toString('base64url'), rules);

  test('is localhost while that is allowed, or exactly the text of a trusted domain', () => {
    const [local, own] = ['http://localhost:3000', 'https://shop.example.com'];
    expect(from(local, localhost)).toEqual({ origin: local, rpId: 'localhost', topOrigin: null });
    expect(from(own)).toEqual({ origin: own, rpId: 'shop.example.com', topOrigin: null });
  });

  const wild = (domain: string) => ({ allowLocalhost: false, domains: [{ domain, handlerPath: '/handler' }] });

  test('is a host that a wildcard of a trusted domain stands for, which is the RP ID', () => {
    const origin = 'https://ann.shop.example.com';
    const own = { origin, rpId: 'ann.shop.example.com', topOrigin: null };
    expect(from(origin, wild('https://*.shop.example.com'))).toEqual(own);
    expect(from(origin, wild('https://**.example.com'))).toEqual(own);
    expect(from(`${origin}:8443`, wild('https://*.shop.example.com:8443'))).toMatchObject({ rpId: own.rpId });
  });

  test.each([
    ['https://*.shop.example.com', 'http://ann.shop.example.com'],
    ['https://*.shop.example.com', 'https://ann.shop.example.com:8443'],
    ['https://*.shop.example.com', 'https://shop.example.com'],
    ['https://*.shop.example.com', 'https://a.b.shop.example.com'],
    ['https://*.shop.example.com', 'https://*.shop.example.com'],
    ['https://*.shop.example.com/app', 'https://ann.shop.example.com'],
    ['https://*', 'https://evil.org'],
    ['https://*.org', 'https://evil.org'],
  ])('%s is not a domain of %s', (domain, origin) => expect(from(origin, wild(domain))).toBeNull());

  test('of a passkey made on one host of a wildcard is not accepted for another host', async () => {
    const rules = wild('https://*.shop.example.com');
    const at = (origin: string) => createAuthenticator({ origin }).register({ challenge });
    const [ann, bob] = ['https://ann.shop.example.com', 'https://bob.shop.example.com'];
    const verify = (credential: unknown) => webauthn.verifyRegistration({ credential, challenge, rules });
    expect((await verify(at(ann))).outcome).toBe('verified');
    const foreign = createAuthenticator({ origin: ann }).register({ challenge }, { rpId: new URL(bob).hostname });
    expect(await verify(foreign)).toMatchObject({ outcome: 'failed', reason: 'response' });
  });

  test.each([
    ['a page of the project', { crossOrigin: true, topOrigin: 'https://shop.example.com' }, true],
    ['a page of a stranger', { crossOrigin: true, topOrigin: 'https://evil.org' }, false],
    ['a page that the browser does not name', { crossOrigin: true }, false],
    ['a page that can not be', { crossOrigin: false, topOrigin: 'https://shop.example.com' }, false],
  ])('in a frame of %s', (_, frame, isTaken) => {
    const clientData = JSON.stringify({ origin: 'https://shop.example.com', ...frame });
    expect(passkeyOrigin(Buffer.from(clientData).toString('base64url'), shop) !== null).toBe(isTaken);
  });

  test.each([
    ...[
      'http://localhost:3000',
      'https://a.shop.example.com',
      'https://shop.example.com:8443',
      'http://shop.example.com',
    ],
    ...['https://shop.example.com/', 'https://shop.example.com.evil.org', 'https://evil.org', '', null, {}, 'null'],
  ])('%s is not the shop’s', (origin) => expect(from(origin)).toBeNull());

  test.each([
    'http://a.localhost',
    'http://127.0.0.1',
    'http://[::1]',
    'http://localhost.evil.org',
    'http://localhost/x',
    'ws://localhost',
    'ftp://localhost',
    'chrome://localhost',
  ])('%s is not localhost', (origin) => expect(from(origin, localhost)).toBeNull());

  test('of another page fails a registration as such', async () => {
    expect(await register({ origin: 'https://evil.org' })).toMatchObject({ outcome: 'failed', reason: 'origin' });
  });
});

test('no answer, however malformed, throws', async () => {
  const { authenticator, passkey } = await registered();
  const bytes = fc.uint8Array({ maxLength: 300 }).map((part) => Buffer.from(part).toString('base64url'));
  const good = authenticator.authenticate({ challenge });
  const answers = fc.oneof(
    fc.jsonValue(),
    fc.record({
      id: fc.constant(good.id),
      rawId: fc.constant(good.id),
      type: fc.constant('public-key'),
      response: fc.record({
        clientDataJSON: fc.constantFrom(good.response.clientDataJSON, 'bm8', ''),
        authenticatorData: bytes,
        signature: bytes,
        attestationObject: bytes,
      }),
    }),
  );
  await fc.assert(
    fc.asyncProperty(answers, async (answer) => {
      const registration = await webauthn.verifyRegistration({ credential: answer, challenge, rules: localhost });
      const rules = localhost;
      const signIn = await webauthn.verifyAuthentication({ response: answer, challenge, passkey, rules });
      expect([registration.outcome, signIn.outcome]).toEqual(['failed', 'failed']);
      webauthn.credentialIdOf(answer);
    }),
    { numRuns: 500 },
  );
});
