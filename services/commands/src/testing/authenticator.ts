import { createHash, generateKeyPairSync, type KeyObject, randomBytes, sign } from 'node:crypto';

type Algorithm = 'ES256' | 'EdDSA' | 'RS256';
/** What a test lets be wrong; everything else is as a good authenticator has it. */
export type Twists = {
  origin?: string;
  rpId?: string;
  type?: string;
  challenge?: string;
  /** Bits of authenticator data: 1 present, 4 verified, 8 may be backed up, 16 is, 64 credential included. */
  flags?: number;
  counter?: number;
  id?: string;
  rawId?: string;
  signWith?: KeyObject;
};

const present = 0x01;
const verified = 0x04;
const attested = 0x40;
const cose = { ES256: -7, EdDSA: -8, RS256: -257 } as const;

/** A software authenticator with one passkey, in the browser of a page at `origin`. */
export function createAuthenticator({
  origin = 'http://localhost:3000',
  algorithm = 'ES256',
}: {
  origin?: string;
  algorithm?: Algorithm;
} = {}) {
  const { publicKey, privateKey } = newKeys(algorithm);
  const credentialId = randomBytes(32);
  let counter = 0;

  const clientData = (type: string, challenge: string, twists: Twists) =>
    Buffer.from(
      JSON.stringify({
        type: twists.type ?? type,
        challenge: twists.challenge ?? challenge,
        origin: twists.origin ?? origin,
        crossOrigin: false,
      }),
    );
  const rpIdHash = (twists: Twists) => sha256(Buffer.from(twists.rpId ?? new URL(origin).hostname));
  const count = (twists: Twists) => {
    counter = twists.counter ?? counter + 1;
    const bytes = Buffer.alloc(4);
    bytes.writeUInt32BE(counter);
    return bytes;
  };
  const named = (twists: Twists) => ({
    id: twists.id ?? credentialId.toString('base64url'),
    rawId: twists.rawId ?? credentialId.toString('base64url'),
    type: 'public-key' as const,
    clientExtensionResults: {},
    authenticatorAttachment: 'platform',
  });

  return {
    credentialId: credentialId.toString('base64url'),
    /** Answers creation options: `navigator.credentials.create`. */
    register: ({ challenge }: { challenge: string }, twists: Twists = {}) => {
      const length = Buffer.alloc(2);
      length.writeUInt16BE(credentialId.length);
      const authData = Buffer.concat([
        rpIdHash(twists),
        Buffer.from([twists.flags ?? present | verified | attested]),
        count(twists),
        Buffer.alloc(16, 0xaa),
        length,
        credentialId,
        cbor(coseKey(algorithm, publicKey)),
      ]);
      const attestation = new Map<string, unknown>([
        ['fmt', 'none'],
        ['attStmt', new Map()],
        ['authData', authData],
      ]);
      return {
        ...named(twists),
        response: {
          attestationObject: cbor(attestation).toString('base64url'),
          clientDataJSON: clientData('webauthn.create', challenge, twists).toString('base64url'),
          transports: ['internal'],
        },
      };
    },
    /** Answers request options: `navigator.credentials.get`. */
    authenticate: ({ challenge }: { challenge: string }, twists: Twists = {}) => {
      const data = clientData('webauthn.get', challenge, twists);
      const authData = Buffer.concat([
        rpIdHash(twists),
        Buffer.from([twists.flags ?? present | verified]),
        count(twists),
      ]);
      const signed = Buffer.concat([authData, sha256(data)]);
      const signature = sign(algorithm === 'EdDSA' ? null : 'sha256', signed, twists.signWith ?? privateKey);
      return {
        ...named(twists),
        response: {
          authenticatorData: authData.toString('base64url'),
          clientDataJSON: data.toString('base64url'),
          signature: signature.toString('base64url'),
        },
      };
    },
  };
}

export function newKeys(algorithm: Algorithm): { publicKey: KeyObject; privateKey: KeyObject } {
  if (algorithm === 'EdDSA') return generateKeyPairSync('ed25519');
  if (algorithm === 'RS256') return generateKeyPairSync('rsa', { modulusLength: 2048 });
  return generateKeyPairSync('ec', { namedCurve: 'P-256' });
}

/** RFC 9053 and RFC 8230: the public key as COSE has it. */
function coseKey(algorithm: Algorithm, publicKey: KeyObject): Map<number, unknown> {
  const { x = '', y = '', n = '', e = '' } = publicKey.export({ format: 'jwk' });
  const bytes = (text: unknown) => Buffer.from(String(text), 'base64url');
  if (algorithm === 'EdDSA')
    return new Map<number, unknown>([
      [1, 1],
      [3, cose.EdDSA],
      [-1, 6],
      [-2, bytes(x)],
    ]);
  if (algorithm === 'RS256')
    return new Map<number, unknown>([
      [1, 3],
      [3, cose.RS256],
      [-1, bytes(n)],
      [-2, bytes(e)],
    ]);
  return new Map<number, unknown>([
    [1, 2],
    [3, cose.ES256],
    [-1, 1],
    [-2, bytes(x)],
    [-3, bytes(y)],
  ]);
}

/** The little of CBOR that an attestation needs: integers, texts, bytes, arrays, maps (RFC 8949). */
export function cbor(value: unknown): Buffer {
  if (typeof value === 'number') return value >= 0 ? head(0, value) : head(1, -1 - value);
  if (Buffer.isBuffer(value)) return Buffer.concat([head(2, value.length), value]);
  if (typeof value === 'string') return Buffer.concat([head(3, Buffer.byteLength(value)), Buffer.from(value)]);
  if (Array.isArray(value)) return Buffer.concat([head(4, value.length), ...value.map(cbor)]);
  if (value instanceof Map) {
    return Buffer.concat([head(5, value.size), ...[...value].flatMap(([key, inner]) => [cbor(key), cbor(inner)])]);
  }
  throw new Error('not in our CBOR');
}

function head(major: number, size: number): Buffer {
  if (size < 24) return Buffer.from([(major << 5) | size]);
  if (size < 256) return Buffer.from([(major << 5) | 24, size]);
  return Buffer.from([(major << 5) | 25, size >> 8, size & 0xff]);
}

const sha256 = (data: Buffer) => createHash('sha256').update(data).digest();
