import type { Pool } from '@gatebook/runtime/postgres';
import { createReadDb, type ReadDb } from '../read-db.ts';
import type { ReadSide } from './read-side.ts';
import type { Plan } from './rows-of-plan.ts';

/** `buffers`: how many blocks of tables and indexes the statement read. `rows`: the most that one step returned. */
export type Explained = { text: string; buffers: number; rows: number };

const mostRows = ({ Plans = [], ...plan }: Plan): number =>
  Math.max(plan['Actual Rows'] * plan['Actual Loops'], ...Plans.map(mostRows));

/** Explains each statement that is sent through `db`, and adds it to `plans`. */
export function createExplainedDb({ database, readModels }: Pick<ReadSide, 'database' | 'readModels'>): {
  db: ReadDb;
  plans: readonly Explained[];
} {
  const plans: Explained[] = [];
  const query = async ({ text, values }: { text: string; values: unknown[] }) => {
    const { rows } = await database.pool.query(`explain (analyze, buffers, format json) ${text}`, values);
    const [{ Plan: plan }] = rows[0]['QUERY PLAN'];
    plans.push({ text, buffers: plan['Shared Hit Blocks'] + plan['Shared Read Blocks'], rows: mostRows(plan) });
    return database.pool.query({ text, values, rowMode: 'array' });
  };
  return { db: createReadDb({ query } as unknown as Pool, readModels), plans };
}
