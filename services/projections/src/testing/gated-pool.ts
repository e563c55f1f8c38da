import type { Pool, PoolClient } from '@gatebook/runtime/postgres';
import { textOf } from './faulty-pool.ts';

export type GatedPool = {
  pool: Pool;
  /** From now on, the next statement that matches waits before it is sent, until `open`. */
  close(matches: RegExp): void;
  /** Whether a statement is waiting. */
  isHolding(): boolean;
  open(): void;
};

/** `base` with one statement that can be held up, like a process that is slow at exactly that point. */
export function createGatedPool(base: Pool): GatedPool {
  let gate: { matches: RegExp; opened: Promise<void>; open: () => void } | null = null;
  let isHolding = false;

  async function pass(text: string): Promise<void> {
    if (!gate?.matches.test(text) || isHolding) return;
    isHolding = true;
    await gate.opened;
    isHolding = false;
  }

  async function connect(): Promise<PoolClient> {
    const client = await base.connect();
    const send = client.query.bind(client) as (...args: unknown[]) => Promise<unknown>;
    let before: Promise<unknown> = Promise.resolve();
    const query = (...args: unknown[]) => {
      // Callers that do not await a response still have their statements sent in this order.
      const passed = before.then(() => pass(textOf(args[0])));
      before = passed;
      return passed.then(() => send(...args));
    };
    const release = (error?: Error | boolean) => client.release(error);
    return Object.assign(Object.create(client) as PoolClient, { query, release });
  }

  return {
    // Single statements are not gated; the pool's own `query` would call `connect` with a callback.
    pool: Object.assign(Object.create(base) as Pool, { connect, query: base.query.bind(base) }),
    close: (matches) => {
      let open = () => {};
      const opened = new Promise<void>((resolve) => {
        open = resolve;
      });
      gate = { matches, opened, open };
    },
    isHolding: () => isHolding,
    open: () => {
      gate?.open();
      gate = null;
    },
  };
}
