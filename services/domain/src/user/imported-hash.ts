import { reject } from '../errors.ts';

/** `base64` without or with padding. */
export type Encoded = { text: string; encoding: 'base64' | 'utf8' };
type Digest = 'sha1' | 'sha256' | 'sha512';
export type ScryptCost = { logN: number; blockSize: number; parallelism: number };

/** The hash of a password in a form that other products export (protocol, resources §1.6). */
export type PasswordHash =
  | { kind: 'bcrypt' }
  | { kind: 'argon2id' }
  | { kind: 'pbkdf2'; digest: Digest; iterations: number; salt: Encoded; hash: Encoded }
  | { kind: 'scrypt'; cost: ScryptCost; salt: Encoded; hash: Encoded }
  | {
      kind: 'firebase_scrypt';
      cost: ScryptCost;
      signerKey: Encoded;
      saltSeparator: Encoded;
      salt: Encoded;
      hash: Encoded;
    };

/**
 * Bounds of what checking one password costs: about two seconds of one core. Each factor is bounded before the
 * product, so that no number overflows.
 */
const limits = {
  bcryptCost: 16,
  memoryBytes: 256 * 2 ** 20,
  /** Memory times passes. */
  memoryWork: 2 ** 30,
  pbkdf2Rounds: 5_000_000,
} as const;
/** A hash of a few bytes would match many passwords. */
const hashBytes = { min: 16, max: 128 } as const;
const digestBytes: Readonly<Record<Digest, number>> = { sha1: 20, sha256: 32, sha512: 64 };

const base64 = '([A-Za-z0-9+/]+={0,2})';
const plain = '([A-Za-z0-9+/]+)';
/** A decimal number without a sign or leading zeros. */
const number = '([1-9]\\d{0,9})';

type Form = { pattern: RegExp; parse(fields: readonly string[]): PasswordHash | null };
const forms: readonly Form[] = [
  {
    // Modular crypt format: version, cost, 22 characters of salt and 31 of hash.
    pattern: /^\$2[aby]\$(\d\d)\$[./A-Za-z0-9]{53}$/,
    parse: ([cost]) => (Number(cost) >= 4 && Number(cost) <= limits.bcryptCost ? { kind: 'bcrypt' } : null),
  },
  {
    pattern: new RegExp(`^\\$argon2id\\$v=19\\$m=${number},t=${number},p=${number}\\$${plain}\\$${plain}$`),
    parse: ([m, t, p, salt, hash]) => parseArgon2id([m, t, p].map(Number), ofBase64(salt), ofBase64(hash)),
  },
  {
    pattern: new RegExp(`^\\$scrypt\\$ln=${number},r=${number},p=${number}\\$${base64}\\$${base64}$`),
    parse: ([logN, r, p, salt, hash]) => {
      const cost = scryptCost(logN, r, p);
      return cost && withHash({ kind: 'scrypt', cost, salt: ofBase64(salt), hash: ofBase64(hash) });
    },
  },
  {
    // The export of Firebase Authentication: parameters of the project, then salt and hash of the user.
    pattern: new RegExp(
      `^\\$fbscrypt\\$v=1,n=${number},r=${number},p=${number},ss=${base64},sk=${base64}\\$${base64}\\$${base64}$`,
    ),
    parse: ([logN, r, p, separator, key, salt, hash]) => {
      const cost = scryptCost(logN, r, p);
      const [signerKey, saltSeparator] = [ofBase64(key), ofBase64(separator)];
      if (!cost || bytesOf(signerKey) !== bytesOf(ofBase64(hash)) || bytesOf(saltSeparator) === null) return null;
      const ofUser = { salt: ofBase64(salt), hash: ofBase64(hash) };
      return withHash({ kind: 'firebase_scrypt', cost, signerKey, saltSeparator, ...ofUser });
    },
  },
  {
    // PHC string; the length `l` is optional.
    pattern: new RegExp(`^\\$pbkdf2-(sha1|sha256|sha512)\\$i=${number}(?:,l=\\d{1,3})?\\$${base64}\\$${base64}$`),
    parse: ([digest, iterations, salt, hash]) => pbkdf2(digest, iterations, ofBase64(salt), ofBase64(hash)),
  },
  {
    // passlib: the number alone, and "." instead of "+". Its SHA-1 has no suffix.
    pattern: new RegExp(`^\\$pbkdf2(?:-(sha256|sha512))?\\$${number}\\$([A-Za-z0-9./]+)\\$([A-Za-z0-9./]+)$`),
    parse: ([digest, iterations, salt, hash]) =>
      pbkdf2(digest ?? 'sha1', iterations, ofBase64(salt?.replaceAll('.', '+')), ofBase64(hash?.replaceAll('.', '+'))),
  },
  {
    // Django: the salt is text.
    pattern: new RegExp(`^pbkdf2_(sha1|sha256)\\$${number}\\$([^$]{1,256})\\$${base64}$`),
    parse: ([digest, iterations, salt = '', hash]) =>
      pbkdf2(digest, iterations, { text: salt, encoding: 'utf8' }, ofBase64(hash)),
  },
];

/** @returns null for an unknown form, and for parameters that are too expensive to check */
export function parsePasswordHash(text: string): PasswordHash | null {
  for (const { pattern, parse } of forms) {
    const found = pattern.exec(text);
    if (found) return parse(found.slice(1));
  }
  return null;
}

/** Checks a hash that a server imports (protocol, resources §1.3). @throws DomainError PASSWORD_HASH_INVALID */
export function checkImportedHash(hash: string): void {
  if (parsePasswordHash(hash) === null) reject('PASSWORD_HASH_INVALID');
}

const ofBase64 = (text = ''): Encoded => ({ text, encoding: 'base64' });

/** @returns null for text that no encoder writes: a stray last character, or bits after the last byte */
function bytesOf({ text, encoding }: Encoded): number | null {
  if (encoding === 'utf8') return text.length;
  const digits = text.replace(/=+$/, '');
  if (text !== digits && text.length % 4 !== 0) return null;
  const rest = digits.length % 4;
  const isWhole =
    rest === 0 || (rest === 2 && /[AQgw]$/.test(digits)) || (rest === 3 && /[AEIMQUYcgkosw048]$/.test(digits));
  return isWhole ? Math.floor((digits.length * 3) / 4) : null;
}

const isHashLength = (bytes: number | null): bytes is number =>
  bytes !== null && bytes >= hashBytes.min && bytes <= hashBytes.max;

function withHash(parsed: Extract<PasswordHash, { hash: Encoded }>): PasswordHash | null {
  return bytesOf(parsed.salt) !== null && isHashLength(bytesOf(parsed.hash)) ? parsed : null;
}

/** RFC 9106: memory in KiB, at least 8 per lane; salt and hash within what the library accepts. */
function parseArgon2id([m = 0, t = 0, p = 0]: readonly number[], salt: Encoded, hash: Encoded): PasswordHash | null {
  const [saltBytes, length] = [bytesOf(salt), bytesOf(hash)];
  if (saltBytes === null || saltBytes < 8 || saltBytes > 48 || !isHashLength(length) || length > 64) return null;
  const isAffordable = m * 1_024 <= limits.memoryBytes && t <= 1_024 && m * 1_024 * t <= limits.memoryWork;
  return isAffordable && p <= 16 && m >= 8 * p ? { kind: 'argon2id' } : null;
}

function scryptCost(...texts: readonly (string | undefined)[]): ScryptCost | null {
  const [logN = 0, blockSize = 0, parallelism = 0] = texts.map(Number);
  // RFC 7914 §2 bounds N by the block size.
  if (logN > 24 || logN >= 16 * blockSize || blockSize > 64 || parallelism > 64) return null;
  const memory = 128 * 2 ** logN * blockSize;
  const isAffordable = memory <= limits.memoryBytes && memory * parallelism <= limits.memoryWork;
  return isAffordable ? { logN, blockSize, parallelism } : null;
}

function pbkdf2(digestName = '', rounds = '', salt: Encoded, hash: Encoded): PasswordHash | null {
  const [digest, iterations, length] = [digestName as Digest, Number(rounds), bytesOf(hash)];
  if (!isHashLength(length)) return null;
  // Each block of output costs all rounds.
  const isAffordable = iterations * Math.ceil(length / digestBytes[digest]) <= limits.pbkdf2Rounds;
  return isAffordable ? withHash({ kind: 'pbkdf2', digest, iterations, salt, hash }) : null;
}
