import { expect, test } from 'vitest';
import { checkImportedHash, parsePasswordHash } from './imported-hash.ts';

const salt = 'c29tZXNhbHQ';
const hash = 'CTFhFdXPJO1aFaMaO6Mm5c8y7cJHAph8ArZWb2GRPPc';
const key = 'a'.repeat(43).replace(/a$/, 'A');
const firebase = (cost: string, ofHash = hash) => `$fbscrypt$v=1,${cost},ss=Bw==,sk=${key}$${salt}$${ofHash}`;

test.each([
  ['bcrypt', `$2b$10$${'a'.repeat(53)}`],
  ['bcrypt', `$2y$16$${'a'.repeat(53)}`],
  ['argon2id', `$argon2id$v=19$m=65536,t=3,p=4$${salt}$${hash}`],
  ['argon2id', `$argon2id$v=19$m=262144,t=4,p=1$${salt}$${hash}`],
  ['scrypt', `$scrypt$ln=17,r=8,p=1$${salt}$${hash}`],
  ['scrypt', `$scrypt$ln=18,r=8,p=4$${salt}$${hash}`],
  ['firebase_scrypt', firebase('n=14,r=8,p=1')],
  ['pbkdf2', `$pbkdf2-sha256$i=600000$${salt}$${hash}`],
  ['pbkdf2', `$pbkdf2-sha512$i=5000000,l=32$${salt}$${hash}`],
  ['pbkdf2', `$pbkdf2-sha256$29000$${salt}$${hash}`],
  ['pbkdf2', `$pbkdf2$131000$${salt}$${hash}`],
  ['pbkdf2', `pbkdf2_sha256$870000$text salt$${hash}=`],
])('%s is recognized: %s', (kind, text) => {
  expect(parsePasswordHash(text)?.kind).toBe(kind);
});

test.each([
  ['bcrypt of cost 17', `$2b$17$${'a'.repeat(53)}`],
  ['bcrypt of cost 3', `$2b$03$${'a'.repeat(53)}`],
  ['Argon2id with 4 GiB', `$argon2id$v=19$m=4194304,t=1,p=1$${salt}$${hash}`],
  ['Argon2id with 257 MiB', `$argon2id$v=19$m=263168,t=1,p=1$${salt}$${hash}`],
  ['Argon2id with five passes over 256 MiB', `$argon2id$v=19$m=262144,t=5,p=1$${salt}$${hash}`],
  ['Argon2id with less than 8 KiB per lane', `$argon2id$v=19$m=16,t=1,p=4$${salt}$${hash}`],
  ['Argon2i', `$argon2i$v=19$m=65536,t=3,p=4$${salt}$${hash}`],
  ['Argon2id of version 16', `$argon2id$v=16$m=65536,t=3,p=4$${salt}$${hash}`],
  ['scrypt with 512 MiB', `$scrypt$ln=19,r=8,p=1$${salt}$${hash}`],
  ['scrypt with five passes over 256 MiB', `$scrypt$ln=18,r=8,p=5$${salt}$${hash}`],
  ['scrypt with N above its block size', `$scrypt$ln=16,r=1,p=1$${salt}$${hash}`],
  ['scrypt with a huge exponent', `$scrypt$ln=999999999,r=8,p=1$${salt}$${hash}`],
  ['Firebase scrypt with 512 MiB', firebase('n=19,r=8,p=1')],
  ['Firebase scrypt with a hash shorter than its key', firebase('n=14,r=8,p=1', hash.slice(0, 32))],
  ['PBKDF2 with 5,000,001 rounds', `$pbkdf2-sha256$i=5000001$${salt}$${hash}`],
  ['PBKDF2 with too many rounds for two blocks', `$pbkdf2-sha1$i=2500001$${salt}$${hash}`],
  ['PBKDF2 without rounds', `$pbkdf2-sha256$i=0$${salt}$${hash}`],
  ['a hash of 15 bytes', `$pbkdf2-sha256$i=1000$${salt}$${hash.slice(0, 20)}`],
  ['a hash of 129 bytes', `$pbkdf2-sha256$i=1000$${salt}$${'a'.repeat(172)}`],
  ['no hash', `$pbkdf2-sha256$i=1000$${salt}$`],
  ['base64 with bits after the last byte', `$pbkdf2-sha256$i=1000$${salt}$${hash.slice(0, -1)}d`],
  ['base64 with wrong padding', `$pbkdf2-sha256$i=1000$${salt}$${hash}==`],
  ['text after the hash', `$pbkdf2-sha256$i=1000$${salt}$${hash}\n`],
  ['MD5', '5f4dcc3b5aa765d61d8327deb882cf99'],
  ['a password', 'correct horse battery'],
])('%s is rejected', (_, text) => {
  expect(() => checkImportedHash(text)).toThrow(expect.objectContaining({ code: 'PASSWORD_HASH_INVALID' }));
});
