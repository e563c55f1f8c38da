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
  /** Of both kinds together. */
  maxWaiting: number;
  /** Gets the number of running and waiting hashes after each change. */
  onQueue: (queue: { running: number; waiting: number }) => void;
};

/** `isSuspect`: others go first. @throws OverloadedError */
export type HashQueue = <T>(job: () => Promise<T>, isSuspect?: boolean) => Promise<T>;

type Waiting = { isSuspect: boolean; start: () => void; reject: (error: OverloadedError) => void };

/** While others wait, one in this many hashes is a suspect's, so that everyone gets an answer. */
const suspectEvery = 8;

/**
 * Runs `concurrency` hashes at a time, in order of arrival. Passwords of suspects wait for the others, leave a thread
 * free for them (unless there is only one), and are rejected first when too many wait.
 */
export function createHashQueue({ concurrency, maxWaiting, onQueue }: Options): HashQueue {
  const [ordinary, suspects]: [Waiting[], Waiting[]] = [[], []];
  const maxSuspects = Math.max(1, concurrency - 1);
  const running = { all: 0, suspects: 0 };
  let sinceSuspect = 0;
  const isFree = () => running.all < concurrency;
  const waiting = () => ordinary.length + suspects.length;
  const report = () => onQueue({ running: running.all, waiting: waiting() });
  const overload = () => new OverloadedError(Math.ceil(maxWaiting / (50 * concurrency)));

  function takeNext(): Waiting | undefined {
    const canSuspect = running.suspects < maxSuspects && suspects.length > 0;
    const isTheirTurn = canSuspect && (ordinary.length === 0 || sinceSuspect >= suspectEvery - 1);
    return isTheirTurn ? suspects.shift() : ordinary.shift();
  }

  function startNext(): void {
    while (isFree()) {
      const next = takeNext();
      if (!next) return;
      running.all += 1;
      if (next.isSuspect) running.suspects += 1;
      sinceSuspect = next.isSuspect ? 0 : sinceSuspect + 1;
      next.start();
    }
  }

  function makeRoom(isSuspect: boolean): void {
    if (waiting() < maxWaiting || (isFree() && !isSuspect)) return;
    const newest = isSuspect ? undefined : suspects.pop();
    if (!newest) throw overload();
    newest.reject(overload());
  }

  return async (job, isSuspect = false) => {
    makeRoom(isSuspect);
    await new Promise<void>((start, reject) => {
      (isSuspect ? suspects : ordinary).push({ isSuspect, start, reject });
      startNext();
      report();
    });
    try {
      return await job();
    } finally {
      running.all -= 1;
      if (isSuspect) running.suspects -= 1;
      startNext();
      report();
    }
  };
}
