import { createHash, createPrivateKey, hkdfSync, sign } from 'node:crypto';
import { ed448 } from '@noble/curves/ed448.js';
import { ed25519 } from '@noble/curves/ed25519.js';
import { p256, p384, p521 } from '@noble/curves/nist.js';
import { cbor } from './authenticator.ts';

/*
 * The test vectors of WebAuthn Level 3, section "Test Vectors" (https://www.w3.org/TR/webauthn-3/#sctn-test-vectors),
 * computed the way the section describes: every random value is HKDF-SHA-256 of one key, with the example's name as
 * info and the value's number as salt; ECDSA nonces follow RFC 6979. Constants, such as the names in certificates, are
 * those of the examples. `webauthn-vectors.test.ts` pins the digests of the results.
 */

const rpId = 'example.org';
const origin = 'https://example.org';
const topOrigin = 'https://example.com';

type Algorithm = 'ES256' | 'ES384' | 'ES512' | 'RS256' | 'EdDSA' | 'Ed448';
type Format = 'none' | 'packed-self' | 'packed' | 'tpm' | 'android-key' | 'apple' | 'fido-u2f';
type Example = {
  format: Format;
  algorithm: Algorithm;
  variant?: 'crossOrigin' | 'topOrigin' | 'long-credential-id';
};

/** In the order of the section. */
const examples: readonly Example[] = [
  { format: 'none', algorithm: 'ES256' },
  { format: 'packed-self', algorithm: 'ES256' },
  { format: 'none', algorithm: 'ES256', variant: 'crossOrigin' },
  { format: 'none', algorithm: 'ES256', variant: 'topOrigin' },
  { format: 'none', algorithm: 'ES256', variant: 'long-credential-id' },
  { format: 'packed', algorithm: 'ES256' },
  { format: 'packed', algorithm: 'ES384' },
  { format: 'packed', algorithm: 'ES512' },
  { format: 'packed', algorithm: 'RS256' },
  { format: 'packed', algorithm: 'EdDSA' },
  { format: 'packed', algorithm: 'Ed448' },
  { format: 'tpm', algorithm: 'ES256' },
  { format: 'android-key', algorithm: 'ES256' },
  { format: 'apple', algorithm: 'ES256' },
  { format: 'fido-u2f', algorithm: 'ES256' },
];

export type WebauthnVector = {
  /** The info string of the example, such as `none.ES256`. */
  name: string;
  credentialId: string;
  registration: { challenge: string; clientDataJSON: string; attestationObject: string };
  authentication: { challenge: string; clientDataJSON: string; authenticatorData: string; signature: string };
};

export const createWebauthnVectors = (): readonly WebauthnVector[] => examples.map(createVector);

const userVerified = 0x04;
const backupEligible = 0x08;
const backedUp = 0x10;

function createVector({ format, algorithm, variant }: Example): WebauthnVector {
  const name = [format, algorithm, variant].filter(Boolean).join('.');
  const random = randomSource(name);
  const challengeLength = algorithm === 'ES512' ? 128 : 32;

  const challenge = random(challengeLength);
  const key = createKey(algorithm, random);
  const clientDataJSON = createClientData('webauthn.create', challenge, variant, random);
  const aaguid = random(16);
  const credentialId = random(variant === 'long-credential-id' ? 1023 : 32);
  const created = format === 'fido-u2f' ? 0 : byte(random) & (userVerified | backupEligible | backedUp);
  const backup = created & backupEligible ? created : created & ~backedUp;
  const authData = Buffer.concat([
    createAuthenticatorData(0x41 | backup),
    aaguid,
    uint16(credentialId.length),
    credentialId,
    cbor(key.cose),
  ]);
  const clientDataHash = sha256(clientDataJSON);
  const attestation = { format, algorithm, key, random, authData, clientDataHash, credentialId };
  const attestationObject = cbor(
    new Map<string, unknown>([
      ['fmt', format === 'packed-self' ? 'packed' : format],
      ['attStmt', createStatement(attestation)],
      ['authData', authData],
    ]),
  );

  const signInChallenge = random(challengeLength);
  const signInClientData = createClientData('webauthn.get', signInChallenge, variant, random);
  const used = byte(random) & (userVerified | (backup & backupEligible ? backedUp : 0));
  const authenticatorData = createAuthenticatorData(0x01 | used | (backup & backupEligible));
  const signature = key.sign(Buffer.concat([authenticatorData, sha256(signInClientData)]));

  return {
    name,
    credentialId: base64url(credentialId),
    registration: {
      challenge: base64url(challenge),
      clientDataJSON: base64url(clientDataJSON),
      attestationObject: base64url(attestationObject),
    },
    authentication: {
      challenge: base64url(signInChallenge),
      clientDataJSON: base64url(signInClientData),
      authenticatorData: base64url(authenticatorData),
      signature: base64url(signature),
    },
  };
}

type Random = (length: number) => Buffer;

function randomSource(info: string): Random {
  let salt = 0;
  return (length) => {
    const bytes = hkdfSync('sha256', 'WebAuthn test vectors', Buffer.from([salt]), info, length);
    salt += 1;
    return Buffer.from(bytes);
  };
}

function createClientData(type: string, challenge: Buffer, variant: Example['variant'], random: Random): Buffer {
  const hasExtraData = (byte(random) & 1) === 1;
  const data = {
    type,
    challenge: base64url(challenge),
    origin,
    crossOrigin: variant === 'crossOrigin' || variant === 'topOrigin',
    ...(variant === 'topOrigin' && { topOrigin }),
    ...(hasExtraData && {
      extraData: `clientDataJSON may be extended with additional fields in the future, such as this: ${base64url(random(16))}`,
    }),
  };
  return Buffer.from(JSON.stringify(data));
}

const createAuthenticatorData = (flags: number) =>
  Buffer.concat([sha256(Buffer.from(rpId)), Buffer.from([flags]), Buffer.alloc(4)]);

type Key = { cose: Map<number, unknown>; sign: (data: Buffer) => Buffer };
type EcKey = Key & { x: Buffer; y: Buffer; point: Buffer };

function createKey(algorithm: Algorithm, random: Random): Key {
  switch (algorithm) {
    case 'ES256':
      return createEcKey(p256, { alg: -7, crv: 1 }, random(32));
    case 'ES384':
      return createEcKey(p384, { alg: -35, crv: 2 }, random(48));
    case 'ES512':
      return createEcKey(p521, { alg: -36, crv: 3 }, Buffer.concat([Buffer.alloc(1), random(65)]));
    case 'EdDSA':
      return createEdKey(ed25519, { alg: -8, crv: 6 }, random(32));
    case 'Ed448':
      return createEdKey(ed448, { alg: -53, crv: 7 }, random(57));
    case 'RS256':
      return createRsaKey();
  }
}

type CoseCurve = { alg: number; crv: number };

function createEcKey(curve: typeof p256, { alg, crv }: CoseCurve, secret: Buffer): EcKey {
  const point = Buffer.from(curve.getPublicKey(secret, false));
  const size = (point.length - 1) / 2;
  const x = point.subarray(1, 1 + size);
  const y = point.subarray(1 + size);
  return {
    x,
    y,
    point,
    cose: new Map<number, unknown>([
      [1, 2],
      [3, alg],
      [-1, crv],
      [-2, x],
      [-3, y],
    ]),
    sign: (data) => Buffer.from(curve.sign(data, secret, { lowS: false, format: 'der' })),
  };
}

function createEdKey(curve: typeof ed25519, { alg, crv }: CoseCurve, secret: Buffer): Key {
  return {
    cose: new Map<number, unknown>([
      [1, 1],
      [3, alg],
      [-1, crv],
      [-2, Buffer.from(curve.getPublicKey(secret))],
    ]),
    sign: (data) => Buffer.from(curve.sign(data, secret)),
  };
}

/** The key of the two smallest Mersenne primes above 1,024 bits. */
function createRsaKey(): Key {
  const [p, q, e] = [2n ** 1279n - 1n, 2n ** 2203n - 1n, 65_537n];
  const d = inverse(e, (p - 1n) * (q - 1n));
  const numbers = { n: p * q, e, d, p, q, dp: d % (p - 1n), dq: d % (q - 1n), qi: inverse(q, p) };
  const jwk = Object.fromEntries(Object.entries(numbers).map(([name, value]) => [name, base64url(bytesOf(value))]));
  const privateKey = createPrivateKey({ key: { kty: 'RSA', ...jwk }, format: 'jwk' });
  return {
    cose: new Map<number, unknown>([
      [1, 3],
      [3, -257],
      [-1, bytesOf(numbers.n)],
      [-2, bytesOf(e)],
    ]),
    sign: (data) => sign('sha256', data, privateKey),
  };
}

/** Extended Euclid. */
function inverse(value: bigint, modulus: bigint): bigint {
  let [r, next, s, nextS] = [modulus, value % modulus, 0n, 1n];
  while (next > 0n) {
    const quotient = r / next;
    [r, next] = [next, r - quotient * next];
    [s, nextS] = [nextS, s - quotient * nextS];
  }
  return ((s % modulus) + modulus) % modulus;
}

function bytesOf(value: bigint): Buffer {
  const hex = value.toString(16);
  return Buffer.from(hex.padStart(hex.length + (hex.length % 2), '0'), 'hex');
}

type Attestation = Omit<Example, 'variant'> & {
  key: Key;
  random: Random;
  authData: Buffer;
  clientDataHash: Buffer;
  credentialId: Buffer;
};

function createStatement({ format, key, random, authData, clientDataHash, credentialId }: Attestation) {
  const signed = Buffer.concat([authData, clientDataHash]);
  const es256 = ['alg', -7] as const;
  switch (format) {
    case 'none':
      return new Map();
    case 'packed-self':
      return new Map<string, unknown>([es256, ['sig', key.sign(signed)]]);
    case 'packed': {
      const attester = createEcKey(p256, { alg: -7, crv: 1 }, random(32));
      const x5c = [createCertificate(random(16), attester)];
      return new Map<string, unknown>([es256, ['sig', attester.sign(signed)], ['x5c', x5c]]);
    }
    case 'android-key': {
      const description = sequence(
        ...[integer(300), enumerated(0), integer(0), enumerated(0)],
        ...[octets(clientDataHash), octets(Buffer.alloc(0)), sequence(), sequence()],
      );
      const extension = sequence(oid('2b06010401d679020111'), octets(description));
      const x5c = [createCertificate(random(16), key as EcKey, { extensions: [extension] })];
      return new Map<string, unknown>([es256, ['sig', key.sign(signed)], ['x5c', x5c]]);
    }
    case 'apple': {
      const nonce = sequence(der(0xa1, octets(sha256(signed))));
      const extension = sequence(oid('2a864886f763640802'), octets(nonce));
      return new Map([['x5c', [createCertificate(random(16), key as EcKey, { extensions: [extension] })]]]);
    }
    case 'fido-u2f': {
      const attester = createEcKey(p256, { alg: -7, crv: 1 }, random(32));
      const x5c = [createCertificate(random(16), attester)];
      const rpIdHash = authData.subarray(0, 32);
      const message = [Buffer.alloc(1), rpIdHash, clientDataHash, credentialId, (key as EcKey).point];
      return new Map<string, unknown>([
        ['sig', attester.sign(Buffer.concat(message))],
        ['x5c', x5c],
      ]);
    }
    case 'tpm':
      return createTpmStatement(key as EcKey, random, signed);
  }
}

/**
 * A quote by a TPM 2.0: its public area (TPMT_PUBLIC) and what it certifies (TPMS_ATTEST), with the section's made-up
 * clock.
 */
function createTpmStatement({ x, y }: EcKey, random: Random, signed: Buffer): Map<string, unknown> {
  const attester = createEcKey(p256, { alg: -7, crv: 1 }, random(32));
  const alternativeName = der(
    0x31,
    sequence(oid('6781050201'), der(0x0c, Buffer.from('id:00000000'))),
    sequence(oid('6781050203'), der(0x0c, Buffer.from('id:00000000'))),
    sequence(oid('6781050202'), der(0x0c, Buffer.from('WebAuthn test vectors'))),
  );
  const extensions = [
    sequence(oid('551d25'), octets(sequence(oid('6781050803')))),
    sequence(oid('551d11'), critical(), octets(sequence(der(0xa4, sequence(alternativeName))))),
  ];
  const certificate = createCertificate(random(16), attester, { subject: sequence(), extensions });
  const hex = (text: string) => Buffer.from(text, 'hex');
  const sized = (bytes: Buffer) => Buffer.concat([uint16(bytes.length), bytes]);
  const pubArea = Buffer.concat([hex('0023000b0004000000000010001000030010'), sized(x), sized(y)]);
  const certInfo = Buffer.concat([
    hex('ff54434780170000'),
    sized(sha256(signed)),
    hex('0000000000000000111111112222222233'),
    Buffer.alloc(8),
    sized(Buffer.concat([hex('000b'), sha256(pubArea)])),
    hex('0000'),
  ]);
  return new Map<string, unknown>([
    ['alg', -7],
    ['sig', attester.sign(certInfo)],
    ['ver', '2.0'],
    ['x5c', [certificate]],
    ['pubArea', pubArea],
    ['certInfo', certInfo],
  ]);
}

type CertificateOptions = { subject?: Buffer; extensions?: Buffer[] };

/** The certificate of an attestation key, signed by the section's root. */
function createCertificate(
  serial: Buffer,
  { point }: EcKey,
  { subject = nameOf('Authenticator Attestation'), extensions = [] }: CertificateOptions = {},
): Buffer {
  return signByRoot({ serial, point, subject }, [
    sequence(oid('551d13'), critical(), octets(sequence())),
    sequence(oid('551d0f'), critical(), octets(der(0x03, Buffer.from('0780', 'hex')))),
    sequence(oid('551d0e'), octets(octets(sha1(point)))),
    sequence(oid('551d23'), octets(sequence(der(0x80, sha1(rootKey().point))))),
    ...extensions,
  ]);
}

const rootName = 'Authenticator Attestation CA';
const rootKey = () => createEcKey(p256, { alg: -7, crv: 1 }, randomSource('Attestation CA')(32));

/** Not in the section: its root with the address of a revocation list, which a verifier might be made to fetch. */
export function createRootWithRevocationList(address: string): Buffer {
  const isAuthority = sequence(der(0x01, Buffer.from([0xff])));
  const names = der(0xa0, der(0x86, Buffer.from(address)));
  return signByRoot({ serial: Buffer.from([1]), point: rootKey().point, subject: nameOf(rootName) }, [
    sequence(oid('551d13'), critical(), octets(isAuthority)),
    sequence(oid('551d1f'), octets(sequence(sequence(der(0xa0, names))))),
  ]);
}

type Subject = { serial: Buffer; point: Buffer; subject: Buffer };

function signByRoot({ serial, point, subject }: Subject, extensions: Buffer[]): Buffer {
  const root = rootKey();
  const algorithm = sequence(oid('2a8648ce3d040302'));
  const keyType = sequence(oid('2a8648ce3d0201'), oid('2a8648ce3d030107'));
  const body = sequence(
    der(0xa0, integer(2)),
    unsigned(serial),
    algorithm,
    nameOf(rootName),
    sequence(der(0x17, Buffer.from('240101000000Z')), der(0x18, Buffer.from('30240101000000Z'))),
    subject,
    sequence(keyType, bits(point)),
    der(0xa3, sequence(...extensions)),
  );
  return sequence(body, algorithm, bits(root.sign(body)));
}

const nameOf = (unit: string) =>
  sequence(
    ...(
      [
        ['550403', 0x0c, 'WebAuthn test vectors'],
        ['55040a', 0x0c, 'W3C'],
        ['55040b', 0x0c, unit],
        ['550406', 0x13, 'AA'],
      ] as const
    ).map(([type, tag, text]) => der(0x31, sequence(oid(type), der(tag, Buffer.from(text))))),
  );

/** DER (X.690): a tag, the length, the content. */
function der(tag: number, ...content: Buffer[]): Buffer {
  const whole = Buffer.concat(content);
  const length = bytesOf(BigInt(whole.length));
  const head = whole.length < 0x80 ? length : Buffer.concat([Buffer.from([0x80 | length.length]), length]);
  return Buffer.concat([Buffer.from([tag]), head, whole]);
}

const sequence = (...content: Buffer[]) => der(0x30, ...content);
const bits = (content: Buffer) => der(0x03, Buffer.concat([Buffer.alloc(1), content]));
const octets = (content: Buffer) => der(0x04, content);
const oid = (hex: string) => der(0x06, Buffer.from(hex, 'hex'));
const critical = () => der(0x01, Buffer.from([0xff]));
const enumerated = (value: number) => der(0x0a, Buffer.from([value]));
const integer = (value: number) => unsigned(bytesOf(BigInt(value)));

/** A positive INTEGER: no leading zeros, except the one that keeps the sign bit clear. */
function unsigned(bytes: Buffer): Buffer {
  const first = bytes.findIndex((value) => value !== 0);
  const digits = first < 0 ? Buffer.alloc(1) : bytes.subarray(first);
  return der(0x02, (digits[0] ?? 0) < 0x80 ? digits : Buffer.concat([Buffer.alloc(1), digits]));
}

const byte = (random: Random) => random(1).readUInt8();
const base64url = (bytes: Buffer) => bytes.toString('base64url');
const sha1 = (data: Buffer) => createHash('sha1').update(data).digest();
const sha256 = (data: Buffer) => createHash('sha256').update(data).digest();
function uint16(value: number): Buffer {
  const bytes = Buffer.alloc(2);
  bytes.writeUInt16BE(value);
  return bytes;
}
