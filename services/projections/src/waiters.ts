type Waiter = { isReached: () => boolean; resolve: () => void };

/** Waits for conditions. `poll` runs every `pollMs` meanwhile, in case a notification is lost. */
export function createWaiters(poll: () => void, pollMs: number) {
  const waiters = new Set<Waiter>();
  let timer: NodeJS.Timeout | undefined;

  /** Call it whenever a condition may have become true. */
  function settle(): void {
    for (const waiter of waiters) {
      if (!waiter.isReached()) continue;
      waiters.delete(waiter);
      waiter.resolve();
    }
    if (waiters.size > 0) {
      timer ??= setInterval(poll, pollMs);
    } else {
      clearInterval(timer);
      timer = undefined;
    }
  }

  function waitUntil(isReached: () => boolean, timeoutMs: number): Promise<'reached' | 'behind'> {
    return new Promise((resolve) => {
      const waiter: Waiter = {
        isReached,
        resolve: () => {
          clearTimeout(timeout);
          resolve('reached');
        },
      };
      const timeout = setTimeout(() => {
        waiters.delete(waiter);
        settle();
        resolve('behind');
      }, timeoutMs);
      waiters.add(waiter);
      settle();
    });
  }

  return { settle, waitUntil, close: () => clearInterval(timer) };
}
