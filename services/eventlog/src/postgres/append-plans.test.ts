import { randomUUID } from 'node:crypto';
import { createPool } from '@gatebook/runtime/postgres';
import { testDatabase } from '@gatebook/runtime/testing/database';
import { expect, test } from 'vitest';
import { migrateEventLog } from './migrate.ts';

const metadata = JSON.stringify({ projectId: 'p1' });
const text = 'select lost from log.append($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12)';

/** One event for each of so many new streams, each in an append with the same guard. */
function appendOf(streams: number): unknown[] {
  const names = Array.from({ length: streams }, () => `user-${randomUUID()}`);
  const each = <T>(value: T): T[] => names.map(() => value);
  const numbers = names.map((_, index) => index + 1);
  return [
    [...numbers, ...numbers],
    [...names, ...each('projectclosure-p1')],
    [...each(-1), ...each(-1)],
    ...[numbers, names, each(0), names.map(() => randomUUID()), each('Noted'), each(1)],
    ...[each('{}'), each(null), each(metadata)],
  ];
}

test('plans that were made for a small log do not scan a large one', async () => {
  const database = await testDatabase();
  const pool = createPool(database.url, { max: 1, name: 'log' });
  try {
    await migrateEventLog(pool);
    const append = async (times: number, streams: number) => {
      for (let nth = 0; nth < times; nth += 1) {
        expect((await pool.query({ name: 'append', text, values: appendOf(streams) })).rows).toEqual([{ lost: [] }]);
      }
    };
    await append(1, 20);
    await pool.query('analyze log.streams, log.events');
    for (const streams of [1, 3]) await append(10, streams);
    await append(4, 500);
    const scans = async () => {
      await pool.query('select pg_stat_force_next_flush()');
      const { rows } = await pool.query<{ scans: string }>(
        "select sum(seq_scan) as scans from pg_stat_user_tables where schemaname = 'log' and relname ~ '^(streams|events)'",
      );
      return rows[0]?.scans;
    };
    const before = await scans();
    for (const streams of [1, 3, 32]) await append(5, streams);
    expect(await scans()).toBe(before);
  } finally {
    await pool.end();
    await database.close();
  }
});
