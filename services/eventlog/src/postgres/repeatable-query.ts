import type { Pool } from '@gatebook/runtime/postgres';
import { pauseAfter } from '../pause-after.ts';
import { isConnectionLost } from './connection.ts';

const maxAttempts = 4;

/** Runs statements that do no harm when they run twice, again after a broken connection. */
export function createRepeatableQuery(pool: Pool) {
  return async function query<R extends object>(name: string, text: string, values: readonly unknown[]): Promise<R[]> {
    for (let attempt = 1; ; attempt += 1) {
      try {
        return (await pool.query<R>({ name, text, values: [...values] })).rows;
      } catch (error) {
        if (!isConnectionLost(error) || attempt === maxAttempts) throw error;
        await pauseAfter(attempt);
      }
    }
  };
}
