import type { Pool, PoolClient } from '@gatebook/runtime/postgres';
import { countFault } from '@gatebook/runtime/testing/injected-faults';

export class SimulatedCrash extends Error {}

/**
 * A pool whose connections break after each statement whose number is fatal, counted over all of them. A broken
 * connection rolls back what was not committed, as the server does; it costs no new connection.
 */
export function createBreakingPool(
  base: Pool,
  isFatal: (statement: number) => boolean,
): { pool: Pool; crashes: () => number } {
  let statements = 0;
  let crashes = 0;
  const connect = async (): Promise<PoolClient> => {
    const client = await base.connect();
    let isBroken = false;
    const query = async (...args: Parameters<PoolClient['query']>) => {
      if (isBroken) throw new SimulatedCrash('no connection');
      const result = await (client.query as (...all: unknown[]) => Promise<unknown>)(...args);
      statements += 1;
      if (!isFatal(statements)) return result;
      isBroken = true;
      crashes += 1;
      countFault();
      await client.query('rollback');
      throw new SimulatedCrash('connection broke');
    };
    return Object.assign(Object.create(client) as PoolClient, { query, release: () => client.release() });
  };
  return { pool: Object.assign(Object.create(base) as Pool, { connect }), crashes: () => crashes };
}
