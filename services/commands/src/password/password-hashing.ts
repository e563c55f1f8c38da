import { availableParallelism } from 'node:os';
import { hash } from '@node-rs/argon2';
import { verifyHash } from './verify-hash.ts';

/** Argon2id with OWASP's second choice of parameters: 19 MiB, two passes, one lane (architecture §7). */
const productionCost = { memoryCost: 19 * 1024, timeCost: 2, parallelism: 1 };

export type PasswordHasher = {
  /** @returns the hash as a PHC string, including parameters and salt */
  hash(password: string): Promise<string>;
  /** A null hash never matches, but takes as long as a wrong password. */
  verify(storedHash: string | null, password: string): Promise<boolean>;
  /** Whether the hash uses other parameters than the current ones. */
  needsRehash(storedHash: string): boolean;
};

/** Too many passwords are waiting to be hashed. Respond with 503 and let the client retry. */
export class OverloadedError extends Error {
  /** Seconds after which a retry makes sense. */
  readonly retryAfterSeconds: number;

  constructor(retryAfterSeconds: number) {
    super('too many passwords are waiting to be hashed');
    this.name = 'OverloadedError';
    this.retryAfterSeconds = retryAfterSeconds;
  }
}

type Options = {
  /** Maximum number of concurrent hashes. Default: all cores but one, so that everything else stays responsive. */
  concurrency?: number;
  /** Maximum number of waiting hashes. */
  maxWaiting?: number;
  /** Gets the number of running and waiting hashes after each change. */
  onQueue?: (queue: { running: number; waiting: number }) => void;
  /** Lower only in tests. Memory in KiB. */
  cost?: { memoryCost: number; timeCost: number; parallelism: number };
};

/** Hashes passwords outside the event loop, `concurrency` at a time. */
export async function createPasswordHasher({
  concurrency = Math.max(1, availableParallelism() - 1),
  maxWaiting = 256,
  onQueue = () => undefined,
  cost = productionCost,
}: Options = {}): Promise<PasswordHasher> {
  const currentPrefix = `$argon2id$v=19$m=${cost.memoryCost},t=${cost.timeCost},p=${cost.parallelism}$`;
  const enqueue = createQueue(concurrency, maxWaiting, onQueue);
  const dummyHash = await hash('dummy password', cost);
  return {
    hash: (password) => enqueue(() => hash(password, cost)),
    verify: async (storedHash, password) => {
      const comparedHash = storedHash ?? dummyHash;
      const matches = await enqueue(() => verifyHash(comparedHash, password));
      return storedHash !== null && matches;
    },
    needsRehash: (storedHash) => !storedHash.startsWith(currentPrefix),
  };
}

function createQueue(
  concurrency: number,
  maxWaiting: number,
  onQueue: NonNullable<Options['onQueue']>,
): <T>(job: () => Promise<T>) => Promise<T> {
  const waiting: (() => void)[] = [];
  let running = 0;
  const report = () => onQueue({ running, waiting: waiting.length });
  return async (job) => {
    if (running >= concurrency) {
      if (waiting.length >= maxWaiting) throw new OverloadedError(Math.ceil(maxWaiting / (50 * concurrency)));
      await new Promise<void>((resume) => {
        waiting.push(resume);
        report();
      });
    } else running += 1;
    report();
    try {
      return await job();
    } finally {
      const next = waiting.shift();
      if (next) next();
      else running -= 1;
      report();
    }
  };
}
