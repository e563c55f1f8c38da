import { availableParallelism } from 'node:os';
import { Worker } from 'node:worker_threads';
import { hash, verify } from '@node-rs/argon2';

/** Argon2id, OWASP's second choice of parameters: 19 MiB, two passes, one lane (architecture §7). */
const productionCost = { memoryCost: 19 * 1024, timeCost: 2, parallelism: 1 };

export type PasswordHasher = {
  /** @returns the hash in PHC string form, parameters and salt included */
  hash(password: string): Promise<string>;
  /** A null hash is never matched, in the time that a wrong password takes. */
  verify(storedHash: string | null, password: string): Promise<boolean>;
  /** Whether the hash was made with other parameters than today's. */
  needsRehash(storedHash: string): boolean;
};

/** More passwords wait to be hashed than can be done in useful time: answer 503 and let the client come again. */
export class OverloadedError extends Error {
  /** Seconds after which trying again makes sense. */
  readonly retryAfterSeconds: number;

  constructor(retryAfterSeconds: number) {
    super('too many passwords are waiting to be hashed');
    this.name = 'OverloadedError';
    this.retryAfterSeconds = retryAfterSeconds;
  }
}

type Options = {
  /** Hashes at a time; default: one core is left free, so that everything else stays fast. */
  concurrency?: number | null;
  /** Hashes that may wait. */
  maxWaiting?: number;
  /** Lower only in tests. Memory in KiB. */
  cost?: { memoryCost: number; timeCost: number; parallelism: number };
};

/** Hashing runs off the event loop, `concurrency` at a time. */
export async function createPasswordHasher({
  concurrency,
  maxWaiting = 256,
  cost = productionCost,
}: Options = {}): Promise<PasswordHasher> {
  const currentPrefix = `$argon2id$v=19$m=${cost.memoryCost},t=${cost.timeCost},p=${cost.parallelism}$`;
  const inTurn = createQueue(concurrency ?? Math.max(1, availableParallelism() - 1), maxWaiting);
  const nobodysHash = await hash('the password of nobody', cost);
  return {
    hash: (password) => inTurn(() => hash(password, cost)),
    verify: async (storedHash, password) => {
      const known = storedHash ?? nobodysHash;
      const matches = await inTurn(() => (isBcrypt(known) ? verifyBcrypt(known, password) : verify(known, password)));
      return storedHash !== null && matches;
    },
    needsRehash: (storedHash) => !storedHash.startsWith(currentPrefix),
  };
}

/** Imported from elsewhere (protocol README, decision 14), and replaced at the next sign-in. */
const isBcrypt = (hash: string) => /^\$2[aby]\$/.test(hash);

function verifyBcrypt(hash: string, password: string): Promise<boolean> {
  return new Promise((resolve, reject) => {
    const worker = new Worker(new URL('./bcrypt-worker.ts', import.meta.url), { workerData: { password, hash } });
    worker.once('message', resolve);
    worker.once('error', reject);
    // After an answer this comes too late to change anything.
    worker.once('exit', (code) => reject(new Error(`the comparison ended with ${code}`)));
  });
}

function createQueue(concurrency: number, maxWaiting: number): <T>(job: () => Promise<T>) => Promise<T> {
  const waiting: (() => void)[] = [];
  let running = 0;
  return async (job) => {
    if (running >= concurrency) {
      if (waiting.length >= maxWaiting) throw new OverloadedError(Math.ceil(maxWaiting / (50 * concurrency)));
      await new Promise<void>((resume) => waiting.push(resume));
    } else running += 1;
    try {
      return await job();
    } finally {
      const next = waiting.shift();
      if (next) next();
      else running -= 1;
    }
  };
}
