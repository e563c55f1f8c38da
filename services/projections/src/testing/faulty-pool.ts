import { createPool, type Pool, type PoolClient } from '@gatebook/runtime/postgres';
import { countFault } from '@gatebook/runtime/testing/injected-faults';

export type Fault = {
  /** Number of the statement to fail at, counted from 1 over all connections of the pool. */
  at: number;
  /** `before`: the statement never reaches the server. `after`: it is executed, and its response is lost. */
  moment: 'before' | 'after';
  /** A process that dies loses all its connections and opens no new ones. */
  kills: 'process' | 'connection';
};

export type FaultyPool = {
  pool: Pool;
  /** The statements so far, including the one that failed. */
  statements: readonly string[];
  /** Aborts when the fault has happened. */
  struck: AbortSignal;
  close(): Promise<void>;
};

/**
 * A pool with its own connections to `url`. At one statement, one backend or all are terminated. The server sees the
 * same as when a process is killed there; the caller of a broken connection sees the error of `pg`.
 */
export function createFaultyPool(url: string, fault: Fault | null): FaultyPool {
  const base = createPool(url, { max: 5, name: 'faulty' });
  const executioner = createPool(url, { max: 1, name: 'executioner' });
  const statements: string[] = [];
  const backends = new Set<number>();
  const struck = new AbortController();
  let isDead = false;

  /** Waits until the backends are gone and their locks are free. */
  async function strike(client: PoolClient): Promise<void> {
    countFault();
    isDead = fault?.kills === 'process';
    const pids = isDead ? [...backends] : [backendOf(client)];
    await executioner.query('select pg_terminate_backend(pid, 5000) from unnest($1::int[]) as p (pid)', [pids]);
    struck.abort();
  }

  async function connect(): Promise<PoolClient> {
    if (isDead) throw new KilledError();
    const client = await base.connect();
    backends.add(backendOf(client));
    const send = client.query.bind(client) as (...args: unknown[]) => Promise<unknown>;
    let striking: Promise<void> | undefined;
    const query = async (...args: unknown[]) => {
      if (isDead) throw new KilledError();
      statements.push(textOf(args[0]));
      const isHit = statements.length === fault?.at;
      if (isHit && fault.moment === 'before') striking = strike(client);
      // Statements that are sent together do not overtake each other.
      if (striking) await striking;
      if (isDead) throw new KilledError();
      const answer = await send(...args);
      if (isHit && fault.moment === 'after') {
        await strike(client);
        // The broken connection throws its own error.
        if (!isDead) await send('select 1');
      }
      if (isDead) throw new KilledError();
      return answer;
    };
    const release = (error?: Error | boolean) => client.release(isDead || error);
    return Object.assign(Object.create(client) as PoolClient, { query, release });
  }

  async function query(...args: unknown[]): Promise<unknown> {
    const client = await connect();
    let broken: Error | undefined;
    try {
      return await (client.query as (...all: unknown[]) => Promise<unknown>)(...args);
    } catch (error) {
      broken = error as Error;
      throw error;
    } finally {
      client.release(broken);
    }
  }

  return {
    pool: Object.assign(Object.create(base) as Pool, { connect, query }),
    statements,
    struck: struck.signal,
    close: async () => {
      await base.end();
      await executioner.end();
    },
  };
}

/** Stands for the end of the process: no code that receives it would still run. */
class KilledError extends Error {
  constructor() {
    super('killed');
    this.name = 'KilledError';
  }
}

function backendOf(client: PoolClient): number {
  return (client as PoolClient & { processID: number }).processID;
}

export const textOf = (query: unknown) =>
  typeof query === 'string' ? query : String((query as { text: string } | undefined)?.text);
