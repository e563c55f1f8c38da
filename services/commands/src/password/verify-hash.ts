import { createCipheriv, pbkdf2, scrypt, timingSafeEqual } from 'node:crypto';
import { promisify } from 'node:util';
import { Worker } from 'node:worker_threads';
import {
  type Encoded,
  type PasswordHash,
  parsePasswordHash,
  type ScryptCost,
} from '@gatebook/domain/user/imported-hash';
import { verify as verifyArgon2 } from '@node-rs/argon2';

const deriveByPbkdf2 = promisify(pbkdf2);

/**
 * Compares a password with a stored hash, ours or an imported one (protocol, rule 14), outside the event loop.
 * @throws Error for a text that is not a hash
 */
export async function verifyHash(text: string, password: string): Promise<boolean> {
  const parsed = parsePasswordHash(text);
  switch (parsed?.kind) {
    case 'bcrypt':
      return verifyBcrypt(text, password);
    case 'pbkdf2':
    case 'scrypt':
    case 'firebase_scrypt': {
      const expected = decode(parsed.hash);
      const found = await derive(parsed, password, expected.length);
      return found.length === expected.length && timingSafeEqual(found, expected);
    }
    default:
      return verifyArgon2(text, password);
  }
}

type Derived = Extract<PasswordHash, { kind: 'pbkdf2' | 'scrypt' | 'firebase_scrypt' }>;

async function derive(parsed: Derived, password: string, length: number): Promise<Buffer> {
  const salt = decode(parsed.salt);
  switch (parsed.kind) {
    case 'pbkdf2':
      return deriveByPbkdf2(password, salt, parsed.iterations, length, parsed.digest);
    case 'scrypt':
      return deriveByScrypt(password, salt, length, parsed.cost);
    case 'firebase_scrypt': {
      // github.com/firebase/scrypt: the derived key encrypts the signer key of the project, with a counter from zero.
      const salted = Buffer.concat([salt, decode(parsed.saltSeparator)]);
      const key = await deriveByScrypt(password, salted, 32, parsed.cost);
      const cipher = createCipheriv('aes-256-ctr', key, Buffer.alloc(16));
      return Buffer.concat([cipher.update(decode(parsed.signerKey)), cipher.final()]);
    }
  }
}

const decode = ({ text, encoding }: Encoded) => Buffer.from(text, encoding);

function deriveByScrypt(password: string, salt: Buffer, length: number, cost: ScryptCost): Promise<Buffer> {
  const { logN, blockSize: r, parallelism: p } = cost;
  const N = 2 ** logN;
  // Twice what RFC 7914 §2 needs. Node's default of 32 MiB is too low.
  const maxmem = 256 * r * (N + p);
  return new Promise((resolve, reject) => {
    scrypt(password, salt, length, { N, r, p, maxmem }, (error, key) => (error ? reject(error) : resolve(key)));
  });
}

function verifyBcrypt(hash: string, password: string): Promise<boolean> {
  return new Promise((resolve, reject) => {
    const worker = new Worker(new URL('./bcrypt-worker.ts', import.meta.url), { workerData: { password, hash } });
    worker.once('message', resolve);
    worker.once('error', reject);
    // Has no effect after a message: the promise is already settled.
    worker.once('exit', (code) => reject(new Error(`the bcrypt worker exited with code ${code}`)));
  });
}
