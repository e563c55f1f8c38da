import type { Clock } from './clock.ts';

/** Where requests queue. `busyMs`: sum over its servers. */
export type Station = {
  servers: number;
  busyMs(): number;
  /** `done` is called when the work is finished. */
  submit(workMs: number, done: () => void): void;
};

/** Servers that take jobs in the order of arrival: threads, cores. */
export function createServers(clock: Clock, servers: number): Station {
  const waiting: { workMs: number; done: () => void }[] = [];
  let first = 0;
  let running = 0;
  let busy = 0;
  const start = (workMs: number, done: () => void): void => {
    running += 1;
    busy += workMs;
    clock.after(workMs, () => {
      running -= 1;
      const next = waiting[first];
      if (next) {
        first += 1;
        start(next.workMs, next.done);
      }
      done();
    });
  };
  return {
    servers,
    busyMs: () => busy,
    submit: (workMs, done) => {
      if (running < servers) start(workMs, done);
      else waiting.push({ workMs, done });
    },
  };
}

/**
 * One server that takes everything that waits at once: a group commit, or a batch of a projection. A batch takes
 * `fixedMs`, and the work of each item. `busyMs` is the work of the items alone: the fixed part is shared by more of
 * them when there is more to do.
 */
export function createBatches(clock: Clock, fixedMs: number): Station {
  let waiting: { workMs: number; done: () => void }[] = [];
  let isRunning = false;
  let busy = 0;
  const start = (): void => {
    const batch = waiting;
    waiting = [];
    isRunning = true;
    const workMs = batch.reduce((sum, item) => sum + item.workMs, 0);
    busy += workMs;
    clock.after(fixedMs + workMs, () => {
      isRunning = false;
      if (waiting.length > 0) start();
      for (const { done } of batch) done();
    });
  };
  return {
    servers: 1,
    busyMs: () => busy,
    submit: (workMs, done) => {
      waiting.push({ workMs, done });
      if (!isRunning) start();
    },
  };
}
