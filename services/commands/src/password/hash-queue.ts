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
 * Runs `concurrency` hashes at a time, by rank, in order of arrival within one. Networks whose passwords failed leave a
 * thread free for the others, unless there is only one, and another for each running hash of others, because threads
 * may lack a core. When too many wait, the newest of the highest rank is rejected.
 */
export function createHashQueue({ concurrency, maxWaiting, onQueue }: Options): HashQueue {
  const waiting: Waiting[][] = Array.from({ length: ranks.last + 1 }, () => []);
  const maxFailed = Math.max(1, concurrency - 1);
  const running = { failed: 0, others: 0 };
  let arrived = 0;
  let sinceLongest = 0;
  const runningInAll = () => running.failed + running.others;
  const isFree = () => runningInAll() < concurrency;
  const hasFailed = (rank: number) => rank > ranks.unknown;
  const mayStart = (rank: number) => !hasFailed(rank) || running.failed < maxFailed;
  const yields = (rank: number) => hasFailed(rank) && running.failed + 2 * running.others >= concurrency;
  const count = () => waiting.reduce((sum, { length }) => sum + length, 0);
  const report = () => onQueue({ running: runningInAll(), waiting: count() });
  const overload = () => new OverloadedError(Math.ceil(maxWaiting / (50 * concurrency)));

  function takeNext(): Waiting | undefined {
    const heads = waiting.flatMap(([head]) => (head && mayStart(head.rank) ? head : []));
    const longest = heads.toSorted((one, other) => one.nth - other.nth)[0];
    const isTurnOfLongest = sinceLongest >= longestWaitingEvery - 1;
    const next = isTurnOfLongest ? longest : heads.find(({ rank }) => !yields(rank));
    if (!next) return undefined;
    sinceLongest = next === longest ? 0 : sinceLongest + 1;
    waiting[next.rank]?.shift();
    return next;
  }

  function noteRunning(rank: number, change: 1 | -1): void {
    running[hasFailed(rank) ? 'failed' : 'others'] += change;
  }

  function startNext(): void {
    while (isFree()) {
      const next = takeNext();
      if (!next) return;
      noteRunning(next.rank, 1);
      next.start();
    }
  }

  function makeRoom(rank: number): void {
    if (count() < maxWaiting || (isFree() && !hasFailed(rank))) return;
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
      noteRunning(rank, -1);
      startNext();
      report();
    }
  };
}
