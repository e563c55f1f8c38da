import { ranks } from './network-ranks.ts';

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
  concurrency: number;
  /** The limit for all ranks together. */
  maxWaiting: number;
  /** Gets the number of running and waiting hashes after each change. */
  onQueue: (queue: { running: number; waiting: number }) => void;
};

/** `rank`: lower ones go first (`network-ranks.ts`). @throws OverloadedError */
export type HashQueue = <T>(job: () => Promise<T>, rank?: number) => Promise<T>;

type Waiting = { nth: number; rank: number; start: () => void; reject: (error: OverloadedError) => void };

/** One in this many hashes is the one that has waited longest, so that everyone gets an answer. */
const longestWaitingEvery = 8;

/**
 * Runs `concurrency` hashes at a time, by rank, in order of arrival within one. Suspects leave a thread free for the
 * others, unless there is only one. When too many wait, the newest of the highest rank is rejected.
 */
export function createHashQueue({ concurrency, maxWaiting, onQueue }: Options): HashQueue {
  const waiting: Waiting[][] = Array.from({ length: ranks.suspect + 1 }, () => []);
  const maxSuspects = Math.max(1, concurrency - 1);
  const running = { all: 0, suspects: 0 };
  let arrived = 0;
  let sinceLongest = 0;
  const isFree = () => running.all < concurrency;
  const isSuspect = (rank: number) => rank >= ranks.suspect;
  const count = () => waiting.reduce((sum, { length }) => sum + length, 0);
  const report = () => onQueue({ running: running.all, waiting: count() });
  const overload = () => new OverloadedError(Math.ceil(maxWaiting / (50 * concurrency)));

  function takeNext(): Waiting | undefined {
    const allowed = running.suspects < maxSuspects ? waiting : waiting.slice(0, ranks.suspect);
    const heads = allowed.flatMap(([head]) => head ?? []);
    const [first] = heads;
    const longest = heads.toSorted((one, other) => one.nth - other.nth)[0];
    const isTurnOfLongest = first === longest || sinceLongest >= longestWaitingEvery - 1;
    sinceLongest = isTurnOfLongest ? 0 : sinceLongest + 1;
    const next = isTurnOfLongest ? longest : first;
    if (next) waiting[next.rank]?.shift();
    return next;
  }

  function startNext(): void {
    while (isFree()) {
      const next = takeNext();
      if (!next) return;
      running.all += 1;
      if (isSuspect(next.rank)) running.suspects += 1;
      next.start();
    }
  }

  function makeRoom(rank: number): void {
    if (count() < maxWaiting || (isFree() && !isSuspect(rank))) return;
    const newest = waiting.findLast((list, ofList) => ofList > rank && list.length > 0)?.pop();
    if (!newest) throw overload();
    newest.reject(overload());
  }

  return async (job, rank = ranks.unknown) => {
    makeRoom(rank);
    await new Promise<void>((start, reject) => {
      waiting[rank]?.push({ nth: arrived++, rank, start, reject });
      startNext();
      report();
    });
    try {
      return await job();
    } finally {
      running.all -= 1;
      if (isSuspect(rank)) running.suspects -= 1;
      startNext();
      report();
    }
  };
}
