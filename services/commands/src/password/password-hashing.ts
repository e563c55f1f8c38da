import { availableParallelism } from 'node:os';
import { hash } from '@node-rs/argon2';
import { createHashQueue } from './hash-queue.ts';
import { createNetworkRanks, ranks } from './network-ranks.ts';
import { verifyHash } from './verify-hash.ts';

/** Argon2id with OWASP's second choice of parameters: 19 MiB, two passes, one lane (architecture §7). */
const productionCost = { memoryCost: 19 * 1024, timeCost: 2, parallelism: 1 };

export type PasswordHasher = {
  /**
   * `network`: where the password comes from. Others go first once passwords from there have failed.
   * @returns the hash as a PHC string, including parameters and salt
   */
  hash(password: string, network?: string | null): Promise<string>;
  /** A null hash never matches, but takes as long as a wrong password. `network`: the same. */
  verify(storedHash: string | null, password: string, network?: string | null): Promise<boolean>;
  /** Whether the hash uses other parameters than the current ones. */
  needsRehash(storedHash: string): boolean;
};

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

/** Hashes passwords outside the event loop, `concurrency` at a time. Networks whose passwords fail wait. */
export async function createPasswordHasher({
  concurrency = Math.max(1, availableParallelism() - 1),
  maxWaiting = 256,
  onQueue = () => undefined,
  cost = productionCost,
}: Options = {}): Promise<PasswordHasher> {
  const currentPrefix = `$argon2id$v=19$m=${cost.memoryCost},t=${cost.timeCost},p=${cost.parallelism}$`;
  const enqueue = createHashQueue({ concurrency, maxWaiting, onQueue });
  const networks = createNetworkRanks();
  const rankOf = (network: string | null) => (network === null ? ranks.unknown : networks.rankOf(network));
  const dummyHash = await hash('dummy password', cost);
  return {
    hash: (password, network = null) => enqueue(() => hash(password, cost), rankOf(network)),
    verify: async (storedHash, password, network = null) => {
      const comparedHash = storedHash ?? dummyHash;
      const matches = await enqueue(() => verifyHash(comparedHash, password), rankOf(network));
      const isMatch = storedHash !== null && matches;
      if (network !== null) networks.note(network, isMatch);
      return isMatch;
    },
    needsRehash: (storedHash) => !storedHash.startsWith(currentPrefix),
  };
}
