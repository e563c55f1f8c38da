import { createCipheriv, pbkdf2Sync, scryptSync } from 'node:crypto';
import { checkImportedHash } from '@gatebook/domain/user/imported-hash';
import { describe, expect, test } from 'vitest';
import { verifyHash } from './verify-hash.ts';

const fromHex = (hex: string) => Buffer.from(hex, 'hex').toString('base64').replace(/=+$/, '');

describe('published test vectors', () => {
  test.each([
    // github.com/P-H-C/phc-winner-argon2, src/test.c
    ['Argon2id', 'password', '$argon2id$v=19$m=65536,t=2,p=1$c29tZXNhbHQ$CTFhFdXPJO1aFaMaO6Mm5c8y7cJHAph8ArZWb2GRPPc'],
    // RFC 7914 §12
    [
      'scrypt',
      'pleaseletmein',
      `$scrypt$ln=14,r=8,p=1$U29kaXVtQ2hsb3JpZGU$${fromHex('7023bdcb3afd7348461c06cd81fd38ebfda8fbba904f8e3ea9b543f6545da1f2d5432955613f0fcf62d49705242a9af9e61e85dc0d651e40dfcf017b45575887')}`,
    ],
    // github.com/firebase/scrypt, README.md
    [
      'Firebase scrypt',
      'user1password',
      '$fbscrypt$v=1,n=14,r=8,p=1,ss=Bw==,sk=jxspr8Ki0RYycVU8zykbdLGjFQ3McFUH0uiiTvC8pVMXAn210wjLNmdZJzxUECKbm0QsEmYUSDzZvpjeJ9WmXA==$42xEC+ixf3L2lw==$lSrfV15cpx95/sZS2W9c9Kp6i/LVgQNDNC/qzrCnh1SAyZvqmZqAjTdn3aoItz+VHjoZilo78198JAdRuid5lQ==',
    ],
    // RFC 6070, 4096 iterations
    [
      'PBKDF2 as PHC string',
      'password',
      `$pbkdf2-sha1$i=4096$c2FsdA$${fromHex('4b007901b765489abead49d926f721d065a429c1')}`,
    ],
    ['PBKDF2 of Django', 'password', 'pbkdf2_sha1$4096$salt$SwB5AbdlSJq+rUnZJvch0GWkKcE='],
    // passlib.hash.pbkdf2_sha256, documentation
    [
      'PBKDF2 of passlib',
      'toomanysecrets',
      '$pbkdf2-sha256$29000$N2YMIWQsBWBMae09x1jrPQ$1t8iyB2A.WF/Z5JZv.lfCIhXXN33N23OSgQYThBYRfk',
    ],
  ])('of %s match the password and no other', async (_, password, hash) => {
    checkImportedHash(hash);
    expect(await verifyHash(hash, password)).toBe(true);
    expect(await verifyHash(hash, `${password} `)).toBe(false);
    expect(await verifyHash(hash, '')).toBe(false);
  });
});

describe('hashes made by node:crypto match', () => {
  const [password, salt] = ['pässwörd 🗝', Buffer.from('0123456789abcdef')];
  const text = (bytes: Buffer) => bytes.toString('base64').replace(/=+$/, '');

  test.each(['sha1', 'sha256', 'sha512'] as const)('PBKDF2 with %s', async (digest) => {
    for (const length of [20, 32, 64]) {
      const hash = `$pbkdf2-${digest}$i=1000$${text(salt)}$${text(pbkdf2Sync(password, salt, 1_000, length, digest))}`;
      checkImportedHash(hash);
      expect(await verifyHash(hash, password)).toBe(true);
      expect(await verifyHash(hash, 'password')).toBe(false);
    }
  });

  test.each([
    [10, 8, 1],
    [15, 8, 1],
    [12, 16, 2],
  ])('scrypt with ln=%i, r=%i, p=%i', async (logN, r, p) => {
    const derived = scryptSync(password, salt, 32, { N: 2 ** logN, r, p, maxmem: 2 ** 29 });
    const hash = `$scrypt$ln=${logN},r=${r},p=${p}$${text(salt)}$${text(derived)}`;
    checkImportedHash(hash);
    expect(await verifyHash(hash, password)).toBe(true);
    expect(await verifyHash(hash, 'password')).toBe(false);
  });

  test('Firebase scrypt with other parameters', async () => {
    const [signerKey, separator] = [Buffer.alloc(64, 7), Buffer.from([7])];
    const key = scryptSync(password, Buffer.concat([salt, separator]), 32, { N: 2 ** 10, r: 4, p: 1 });
    const cipher = createCipheriv('aes-256-ctr', key, Buffer.alloc(16));
    const parameters = `v=1,n=10,r=4,p=1,ss=${text(separator)},sk=${text(signerKey)}`;
    const hash = `$fbscrypt$${parameters}$${text(salt)}$${text(cipher.update(signerKey))}`;
    checkImportedHash(hash);
    expect(await verifyHash(hash, password)).toBe(true);
    expect(await verifyHash(hash, 'password')).toBe(false);
  });
});

// More passes (t) and blocks (p) take more time, but no more memory.
test.each(['argon2id$v=19$m=262144,t=1,p=1', 'scrypt$ln=18,r=8,p=1'])(
  'the most memory that is accepted is enough to check %s',
  async (form) => {
    const text = `$${form}$c29tZXNhbHQ$CTFhFdXPJO1aFaMaO6Mm5c8y7cJHAph8ArZWb2GRPPc`;
    checkImportedHash(text);
    expect(await verifyHash(text, 'password')).toBe(false);
  },
);
