import { createPublicKey } from 'node:crypto';
import { createRequire } from 'node:module';
import type { Passkey } from '@gatebook/domain/user/events';
import { decodeAttestationObject } from '@simplewebauthn/server/helpers';
import { describe, expect, test } from 'vitest';
import { z } from 'zod';
import { cbor } from '../testing/authenticator.ts';
import { framingOf, withClientData, withOneBitChanged } from '../testing/webauthn-mutations.ts';
import { createWebauthn } from './webauthn.ts';

/*
 * Passkey verification against answers recorded from real authenticators (Yubico, Feitian, Hypersecu, Windows Hello),
 * as the package fido2-helpers publishes them: the valid answers pass, and fail when changed.
 */

/** The package pads some of its base64url. */
const base64url = z.string().transform((text) => Buffer.from(text, 'base64url').toString('base64url'));
const Registration = z.object({
  id: base64url,
  response: z.object({ attestationObject: base64url, clientDataJSON: base64url }),
});
const SignIn = z.object({
  id: base64url,
  response: z.object({ authenticatorData: base64url, clientDataJSON: base64url, signature: base64url }),
});
const { server, lib } = z
  .object({
    server: z.object({
      challengeResponseAttestationNoneMsgB64Url: Registration,
      challengeResponseAttestationU2fMsgB64Url: Registration,
      challengeResponseAttestationU2fHypersecuB64UrlMsg: Registration,
      challengeResponseAttestationPackedB64UrlMsg: Registration,
      challengeResponseAttestationTpmB64UrlMsg: Registration,
      challengeResponseAttestationSafetyNetMsgB64Url: Registration,
      assertionResponseMsgB64Url: SignIn,
      assertionResponseWindowsHelloMsgB64Url: SignIn,
    }),
    lib: z.object({ assnPublicKey: z.string(), assnPublicKeyWindowsHello: z.string() }),
  })
  .parse(createRequire(import.meta.url)('fido2-helpers'));

const registrations = [
  { name: 'none', answer: server.challengeResponseAttestationNoneMsgB64Url },
  { name: 'fido-u2f (Yubico)', answer: server.challengeResponseAttestationU2fMsgB64Url },
  { name: 'fido-u2f (Hypersecu)', answer: server.challengeResponseAttestationU2fHypersecuB64UrlMsg },
  { name: 'packed (Feitian)', answer: server.challengeResponseAttestationPackedB64UrlMsg },
  { name: 'tpm (Windows Hello)', answer: server.challengeResponseAttestationTpmB64UrlMsg },
];
const signIns = [
  { name: 'ES256', answer: server.assertionResponseMsgB64Url, pem: lib.assnPublicKey, counter: 363 },
  {
    name: 'RS256 (Windows Hello)',
    answer: server.assertionResponseWindowsHelloMsgB64Url,
    pem: lib.assnPublicKeyWindowsHello,
    counter: 1,
  },
];

const webauthn = createWebauthn();
const rules = { allowLocalhost: true, domains: [{ domain: 'https://webauthn.org', handlerPath: '/handler' }] };
const challengeOf = (clientDataJSON: string) =>
  z.object({ challenge: z.string() }).parse(JSON.parse(Buffer.from(clientDataJSON, 'base64url').toString())).challenge;
const credentialOf = (id: string, response: object) => ({ id, rawId: id, type: 'public-key', response });

type Registration = z.infer<typeof Registration>;
type SignIn = z.infer<typeof SignIn>;

function register({ id, response }: Registration, changes: Partial<Registration['response']> = {}) {
  const credential = credentialOf(id, { ...response, ...changes });
  return webauthn.verifyRegistration({ credential, challenge: challengeOf(response.clientDataJSON), rules });
}

function signIn({ id, response }: SignIn, passkey: Passkey, changes: Partial<SignIn['response']> = {}) {
  const challenge = challengeOf(response.clientDataJSON);
  const credential = credentialOf(id, { ...response, ...changes });
  return webauthn.verifyAuthentication({ response: credential, challenge, passkey, rules });
}

function passkeyOf({ id }: SignIn, pem: string): Passkey {
  const { kty, x = '', y = '', n = '', e = '' } = createPublicKey(pem).export({ format: 'jwk' });
  const bytes = (text: string) => Buffer.from(text, 'base64url');
  const entries: [number, unknown][] =
    kty === 'EC'
      ? [
          ...([
            [1, 2],
            [3, -7],
            [-1, 1],
          ] as [number, unknown][]),
          [-2, bytes(x)],
          [-3, bytes(y)],
        ]
      : [
          ...([
            [1, 3],
            [3, -257],
          ] as [number, unknown][]),
          [-1, bytes(n)],
          [-2, bytes(e)],
        ];
  const publicKey = cbor(new Map(entries)).toString('base64url');
  return { credentialId: id, publicKey, counter: 0, transports: [], deviceType: 'singleDevice' };
}

const wrongClientData = [
  { type: 'webauthn.other' },
  { challenge: 'AAAA' },
  { origin: 'https://evil.example' },
  { crossOrigin: true },
  { crossOrigin: true, topOrigin: 'https://evil.example' },
];

describe('a recorded registration', () => {
  test.each(registrations)('is accepted: $name', async ({ answer }) => {
    expect(await register(answer)).toMatchObject({ outcome: 'verified', passkey: { credentialId: answer.id } });
  });

  test.each(registrations)('for another page or challenge is rejected: $name', async ({ answer }) => {
    for (const changes of wrongClientData) {
      const clientDataJSON = withClientData(answer.response.clientDataJSON, changes);
      const { outcome } = await register(answer, { clientDataJSON });
      expect({ changes, outcome }).toEqual({ changes, outcome: 'failed' });
    }
  });

  test.each(registrations)('with another RP ID, flag or credential ID is rejected: $name', async ({ answer }) => {
    const whole = Buffer.from(answer.response.attestationObject, 'base64url');
    const data = Buffer.from(decodeAttestationObject(new Uint8Array(whole)).get('authData'));
    const start = whole.indexOf(data);
    for (const [index, bit] of [
      ...([
        [0, 0],
        [31, 7],
      ] as const),
      ...([
        [32, 0],
        [32, 6],
      ] as const),
      ...([
        [55, 0],
        [54 + data.readUInt16BE(53), 7],
      ] as const),
    ]) {
      const changed = Buffer.from(whole);
      changed[start + index] = (changed[start + index] ?? 0) ^ (1 << bit);
      const { outcome } = await register(answer, { attestationObject: changed.toString('base64url') });
      expect({ index, bit, outcome }).toEqual({ index, bit, outcome: 'failed' });
    }
  });

  test('whose origin is only a host name is rejected', async () => {
    const answer = server.challengeResponseAttestationSafetyNetMsgB64Url;
    expect(await register(answer)).toMatchObject({ outcome: 'failed', reason: 'origin' });
  });
});

describe('a recorded sign-in', () => {
  test.each(signIns)('is accepted: $name', async ({ answer, pem, counter }) => {
    expect(await signIn(answer, passkeyOf(answer, pem))).toEqual({ outcome: 'verified', counter });
  });

  test.each(signIns)('with a counter that does not grow is rejected: $name', async ({ answer, pem, counter }) => {
    const { outcome } = await signIn(answer, { ...passkeyOf(answer, pem), counter });
    expect(outcome).toBe('failed');
  });

  test.each(signIns)('is rejected with any bit flipped: $name', async ({ answer, pem }) => {
    const passkey = passkeyOf(answer, pem);
    for (const field of ['clientDataJSON', 'authenticatorData', 'signature'] as const) {
      const framing = field === 'signature' ? framingOf(answer.response.signature) : new Set();
      for (const [index, text] of [...withOneBitChanged(answer.response[field])].entries()) {
        if (framing.has(index)) continue;
        const { outcome } = await signIn(answer, passkey, { [field]: text });
        expect({ field, index, outcome }).toEqual({ field, index, outcome: 'failed' });
      }
    }
  });

  test('with the key of another authenticator is rejected', async () => {
    for (const { answer } of signIns) {
      for (const other of signIns) {
        if (other.answer === answer) continue;
        expect((await signIn(answer, passkeyOf(answer, other.pem))).outcome).toBe('failed');
      }
    }
  });
});
