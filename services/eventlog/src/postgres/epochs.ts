import type { Pool } from '@gatebook/runtime/postgres';
import type { Epochs } from '../log-watch.ts';

/** Announces a new epoch. */
export const epochChannel = 'gatebook_log_epoch';

export const epochText = 'select epoch from log.epochs order by number desc limit 1';

export function createPostgresEpochs(pool: Pool): Epochs {
  async function read(name: string, text: string, values: readonly unknown[]): Promise<string> {
    const { rows } = await pool.query<{ epoch: string }>({ name, text, values: [...values] });
    if (!rows[0]) throw new Error('the log has no epoch');
    return rows[0].epoch;
  }
  return {
    current: () => read('log-epoch', epochText, []),
    begin: (seen, head) => read('log-begin-epoch', 'select log.begin_epoch($1, $2) as epoch', [seen, head]),
  };
}
