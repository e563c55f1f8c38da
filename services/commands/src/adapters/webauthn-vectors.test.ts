import { createHash } from 'node:crypto';
import type { Passkey } from '@gatebook/domain/user/events';
import { decodeAttestationObject, isoCBOR, parseAuthenticatorData } from '@simplewebauthn/server/helpers';
import { describe, expect, test, vi } from 'vitest';
import { framingOf, withClientData, withOneBitChanged } from '../testing/webauthn-mutations.ts';
import {
  createRootWithRevocationList,
  createWebauthnVectors,
  type WebauthnVector,
} from '../testing/webauthn-vectors.ts';
import { createWebauthn } from './webauthn.ts';

/*
 * Passkey verification against the test vectors of WebAuthn Level 3
 * (https://www.w3.org/TR/webauthn-3/#sctn-test-vectors): the valid answers pass, and fail with any bit changed.
 */

type Vector = WebauthnVector;
const vectors = createWebauthnVectors();

const webauthn = createWebauthn();
const domain = (name: string) => ({ domain: name, handlerPath: '/handler' });
const rules = { allowLocalhost: false, domains: [domain('https://example.org'), domain('https://example.com')] };

/** Valid by the standard, but rejected by policy. */
const rejectedRegistrations: Readonly<Record<string, RegExp>> = {
  // The embedding page is not named; see `passkeyOrigin`.
  'none.ES256.crossOrigin': /this page’s address/,
  // Algorithms that were not offered (protocol, auth §5.2).
  'packed.ES384': /Unexpected public key alg "-35"/,
  'packed.Ed448': /Unexpected public key alg "-53"/,
};
const rejectedSignIns: Readonly<Record<string, RegExp>> = {
  'none.ES256.crossOrigin': /this page’s address/,
  'packed.Ed448': /could not be verified/,
};
const isIn = (list: object) => (vector: Vector) => vector.name in list;
const isNotIn = (list: object) => (vector: Vector) => !(vector.name in list);

const bytesOf = (text: string) => new Uint8Array(Buffer.from(text, 'base64url'));
const credentialOf = ({ credentialId: id }: Vector, response: object) => ({
  id,
  rawId: id,
  type: 'public-key',
  response,
});

function register(vector: Vector, changes: Partial<Vector['registration']> = {}) {
  const { challenge, ...response } = { ...vector.registration, ...changes };
  return webauthn.verifyRegistration({ credential: credentialOf(vector, response), challenge, rules });
}

function signIn(vector: Vector, passkey: Passkey, changes: Partial<Vector['authentication']> = {}) {
  const { challenge, ...response } = { ...vector.authentication, ...changes };
  return webauthn.verifyAuthentication({ response: credentialOf(vector, response), challenge, passkey, rules });
}

/** The key of the registration, even of one that we reject. */
function passkeyOf({ registration, credentialId }: Vector): Passkey {
  const data = decodeAttestationObject(bytesOf(registration.attestationObject)).get('authData');
  const { credentialPublicKey } = parseAuthenticatorData(data);
  const publicKey = Buffer.from(credentialPublicKey ?? []).toString('base64url');
  return { credentialId, publicKey, counter: 0, transports: [], deviceType: 'singleDevice' };
}

type CBORType = Parameters<typeof isoCBOR.encode>[0];

const named = (name: string) => vectors.find((vector) => vector.name === name) ?? expect.fail(`no vector ${name}`);

/** The metadata service of many clouds. */
const metadataAddress = 'http://169.254.169.254/latest/';

const wrongClientData = [
  { type: 'webauthn.other' },
  { challenge: 'AAAA' },
  { origin: 'https://evil.example' },
  { origin: 'https://example.com' },
  { origin: 'https://sub.example.org' },
  { origin: 'http://example.org' },
  { crossOrigin: true, topOrigin: undefined },
  { crossOrigin: true, topOrigin: 'https://evil.example' },
  { crossOrigin: false, topOrigin: 'https://example.com' },
];

/**
 * SHA-256 of each example's values in the standard's text, as bytes, in this order: registration challenge,
 * credential_id, clientDataJSON, attestationObject; authentication challenge, authenticatorData, clientDataJSON,
 * signature.
 */
const digests: Readonly<Record<string, string>> = {
  'none.ES256': '1b4512a98ad5cbe7dba806df50b6cc66338231083bc8d493c0f3fd459bbf4c93',
  'packed-self.ES256': '7ea2f44d2d6fcc630132c854bea57ca34a19704e8e2ccb9d7c54c4b7b8cc9797',
  'none.ES256.crossOrigin': '56cfcbc0c5e01aac8767c37c209e60d1b4e81008c9f325a3d2f8dc7b0d1328cc',
  'none.ES256.topOrigin': '4f24ee29780ff016f2ac7d7a88023484c3356dfbdaf607dda551e8d2b8ff171e',
  'none.ES256.long-credential-id': '79ea1b5358320fb39444ce4eb4f9fb6eb32577b1365a0b1ea826f4fcebf7cf39',
  'packed.ES256': '1797cd9fded7e55f713b1f463a4161b41a24cbc001ee1e7dd18b3d20123cd7a4',
  'packed.ES384': 'ceffe305f8ff92d582948bce88bbe5f8fd9a81125d9421b6afbcbe69f5a7131c',
  'packed.ES512': '41bf120c51df6bc289064a1f1000dd13f9fd1eb95c9a7e8905f5a47e357b5ca0',
  'packed.RS256': '938749cb13e2a1fa2822b59d517f3a25202f9d102e3f1492247cf9f7001bda10',
  'packed.EdDSA': 'd06bb95b03a94f47d286fb28df519a46df757724a6f1b70064024821f037a88b',
  'packed.Ed448': '1196aa9273dfea6090f157a3ef4853a0bbd601749e2f68270e6f82428c84e186',
  'tpm.ES256': 'b928de29d7060476a0ad6cdea2ed51a032ab013fd6c894286665565738d7df69',
  'android-key.ES256': 'a6fb292a751fc37c98899f8dd3ea2bbea5bc97edee787c675f13fb9ef066b409',
  'apple.ES256': '36962e051f5712bd2970d0d18ee13b2b3ff98b67d13893e53a34be0f13ce5c6a',
  'fido-u2f.ES256': '994c151b6ec15316a9f410c986485d34d2ff5c361d97e16e805a933275eedb5f',
};

describe('the test vectors', () => {
  test('are the fifteen of the standard', () => {
    expect(vectors.map(({ name }) => name)).toEqual(Object.keys(digests));
  });

  test.each([...vectors])(
    'equal the published values: $name',
    ({ name, credentialId, registration, authentication }) => {
      const values = [
        ...[registration.challenge, credentialId, registration.clientDataJSON, registration.attestationObject],
        ...[authentication.challenge, authentication.authenticatorData],
        ...[authentication.clientDataJSON, authentication.signature],
      ];
      const digest = createHash('sha256')
        .update(Buffer.concat(values.map(bytesOf)))
        .digest('hex');
      expect(digest).toBe(digests[name]);
    },
  );
});

describe('a registration', () => {
  test.each(vectors.filter(isNotIn(rejectedRegistrations)))('is accepted: $name', async (vector) => {
    const made = await register(vector);
    if (made.outcome !== 'verified') return expect.fail(made.message);
    const { credentialId, publicKey } = passkeyOf(vector);
    expect(made.passkey).toMatchObject({ credentialId, publicKey, counter: 0 });
  });

  test.each(vectors.filter(isIn(rejectedRegistrations)))('is rejected with its reason: $name', async (vector) => {
    expect(await register(vector)).toMatchObject({
      outcome: 'failed',
      message: expect.stringMatching(rejectedRegistrations[vector.name] ?? 'none'),
    });
  });

  test.each(vectors.filter(isNotIn(rejectedRegistrations)))(
    'for another page or challenge is rejected: $name',
    async (vector) => {
      const { clientDataJSON } = vector.registration;
      for (const changes of wrongClientData) {
        const made = await register(vector, { clientDataJSON: withClientData(clientDataJSON, changes) });
        expect({ changes, outcome: made.outcome }).toEqual({ changes, outcome: 'failed' });
      }
      const { challenge } = vector.authentication;
      expect((await register(vector, { challenge })).outcome).toBe('failed');
    },
  );

  test.each(vectors.filter(isNotIn(rejectedRegistrations)))(
    'with changed authenticator data is rejected: $name',
    async (vector) => {
      const { attestationObject } = vector.registration;
      const whole = Buffer.from(attestationObject, 'base64url');
      const data = Buffer.from(decodeAttestationObject(new Uint8Array(whole)).get('authData'));
      const start = whole.indexOf(data);
      const idEnd = 55 + data.readUInt16BE(53);
      // RP ID hash; user-present and attested-credential flags; length of the credential ID; the ID; key type and
      // algorithm.
      for (const [index, bit] of [
        [0, 0],
        [31, 7],
        [32, 0],
        [32, 6],
        [53, 0],
        [54, 0],
        [55, 0],
        [idEnd - 1, 0],
        [idEnd + 2, 0],
        [idEnd + 4, 3],
      ] as const) {
        const changed = Buffer.from(whole);
        changed[start + index] = (changed[start + index] ?? 0) ^ (1 << bit);
        const made = await register(vector, { attestationObject: changed.toString('base64url') });
        expect({ index, bit, outcome: made.outcome }).toEqual({ index, bit, outcome: 'failed' });
      }
    },
  );

  test.each(['none.ES256', 'packed.ES512'])('with any bit of the public key flipped is rejected: %s', async (name) => {
    const vector = named(name);
    const whole = Buffer.from(vector.registration.attestationObject, 'base64url');
    const data = Buffer.from(decodeAttestationObject(bytesOf(vector.registration.attestationObject)).get('authData'));
    const start = whole.indexOf(data);
    const key = data.subarray(55 + data.readUInt16BE(53));
    let rejected = 0;
    for (const text of withOneBitChanged(key.toString('base64url'))) {
      const changed = Buffer.from(whole);
      changed.set(bytesOf(text), start + data.length - key.length);
      const made = await register(vector, { attestationObject: changed.toString('base64url') });
      // The library accepts an overlong length and reads the same key.
      if (made.outcome === 'verified') expect(made.passkey).toMatchObject({ publicKey: key.toString('base64url') });
      else rejected += 1;
    }
    expect(rejected).toBeGreaterThanOrEqual(key.length - 1);
  });

  test('with self attestation is rejected with any signed bit flipped', async () => {
    const vector = named('packed-self.ES256');
    const { clientDataJSON, attestationObject } = vector.registration;
    for (const text of withOneBitChanged(clientDataJSON)) {
      expect((await register(vector, { clientDataJSON: text })).outcome).toBe('failed');
    }
    const whole = Buffer.from(attestationObject, 'base64url');
    const data = Buffer.from(decodeAttestationObject(bytesOf(attestationObject)).get('authData'));
    const start = whole.indexOf(data);
    for (const text of withOneBitChanged(data.toString('base64url'))) {
      const changed = Buffer.concat([whole.subarray(0, start), bytesOf(text), whole.subarray(start + data.length)]);
      const made = await register(vector, { attestationObject: changed.toString('base64url') });
      expect(made.outcome).toBe('failed');
    }
  });

  test('with a revocation list address in a certificate causes no request', async () => {
    const vector = named('android-key.ES256');
    const object = isoCBOR.decodeFirst<Map<string, CBORType>>(bytesOf(vector.registration.attestationObject));
    const statement = object.get('attStmt') as Map<string, Uint8Array[]>;
    statement.set('x5c', [
      ...(statement.get('x5c') ?? []),
      new Uint8Array(createRootWithRevocationList(metadataAddress)),
    ]);
    const attestationObject = Buffer.from(isoCBOR.encode(object)).toString('base64url');
    const asked = vi.spyOn(globalThis, 'fetch').mockRejectedValue(new Error('nobody is there'));
    try {
      const { outcome } = await register(vector, { attestationObject });
      expect(asked).not.toHaveBeenCalled();
      expect(outcome).toBe('verified');
    } finally {
      asked.mockRestore();
    }
  });
});

describe('a sign-in', () => {
  test.each(vectors.filter(isNotIn(rejectedSignIns)))('is accepted: $name', async (vector) => {
    expect(await signIn(vector, passkeyOf(vector))).toEqual({ outcome: 'verified', counter: 0 });
  });

  test.each(vectors.filter(isIn(rejectedSignIns)))('is rejected with its reason: $name', async (vector) => {
    expect(await signIn(vector, passkeyOf(vector))).toMatchObject({
      outcome: 'failed',
      message: expect.stringMatching(rejectedSignIns[vector.name] ?? 'none'),
    });
  });

  test.each(vectors.filter(isNotIn(rejectedSignIns)))('is rejected with any bit flipped: $name', async (vector) => {
    const passkey = passkeyOf(vector);
    for (const field of ['challenge', 'clientDataJSON', 'authenticatorData', 'signature'] as const) {
      const framing = field === 'signature' ? framingOf(vector.authentication.signature) : new Set();
      let index = -1;
      for (const text of withOneBitChanged(vector.authentication[field])) {
        index += 1;
        if (framing.has(index)) continue;
        const { outcome } = await signIn(vector, passkey, { [field]: text });
        expect({ field, index, outcome }).toEqual({ field, index, outcome: 'failed' });
      }
    }
  });

  test.each(vectors.filter(isNotIn(rejectedSignIns)))(
    'with the key of another credential is rejected: $name',
    async (vector) => {
      for (const other of vectors) {
        if (other === vector) continue;
        const { publicKey } = passkeyOf(other);
        expect((await signIn(vector, { ...passkeyOf(vector), publicKey })).outcome).toBe('failed');
      }
    },
  );

  test('is not accepted as a registration, nor a registration as a sign-in', async () => {
    for (const vector of vectors) {
      const { clientDataJSON, challenge } = vector.registration;
      expect((await signIn(vector, passkeyOf(vector), { clientDataJSON, challenge })).outcome).toBe('failed');
      const { authentication } = vector;
      const swapped = { clientDataJSON: authentication.clientDataJSON, challenge: authentication.challenge };
      expect((await register(vector, swapped)).outcome).toBe('failed');
    }
  });
});
