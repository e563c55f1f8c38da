import type { EventStore } from '@gatebook/eventlog/port';
import type { Pool } from '@gatebook/runtime/postgres';
import { createGeneration, createIndexes, dropGeneration, type Generation, listGenerations } from './generations.ts';
import { projectBatch } from './projector.ts';
import type { ReadModelSet } from './sets.ts';

export type TableDifference = {
  table: string;
  rowsLive: number;
  rowsRebuilt: number;
  /** Rows that stand in one of the two only, as text; at most ten. */
  examples: string[];
};

const pageSize = 5000;

/**
 * Builds a throw-away generation from position 0 to the live one's checkpoint and compares them row by row. Nobody may append
 * meanwhile. @returns one entry per table that differs: none when the read models are what the log says
 */
export async function compareWithRebuild(pool: Pool, store: EventStore, set: ReadModelSet): Promise<TableDifference[]> {
  const live = (await listGenerations(pool, set.name)).find(({ status }) => status === 'live');
  if (!live) throw new Error(`there is no live generation of ${set.name}`);
  // A version that nobody follows: projectors of the real version leave it alone.
  const rebuilt = await createGeneration(pool, { ...set, name: `verify_${set.name}` });
  try {
    await rebuildTo(pool, store, set, rebuilt, live.position);
    await createIndexes(pool, rebuilt);
    const differences: TableDifference[] = [];
    for (const { name } of set.tables) {
      const difference = await compareTable(pool, name, live.schema, rebuilt.schema);
      if (difference) differences.push(difference);
    }
    return differences;
  } finally {
    await dropGeneration(pool, rebuilt.id);
  }
}

async function rebuildTo(
  pool: Pool,
  store: EventStore,
  set: ReadModelSet,
  target: Generation,
  end: bigint,
): Promise<void> {
  let position = 0n;
  while (position < end) {
    const page = await store.readAll(position, pageSize);
    const events = page.filter((event) => event.position <= end);
    if (events.length === 0) throw new Error(`the log ends before position ${end}`);
    position = await projectBatch(pool, set, target, position, events);
  }
}

async function compareTable(pool: Pool, table: string, live: string, rebuilt: string): Promise<TableDifference | null> {
  const onlyIn = (one: string, other: string) =>
    `(select t::text from ${one}.${table} t except all select t::text from ${other}.${table} t)`;
  const { rows } = await pool.query<{ live: string; rebuilt: string; examples: string[] | null }>(
    `select (select count(*) from ${live}.${table}) as live, (select count(*) from ${rebuilt}.${table}) as rebuilt,
      (select array_agg(d.text) from (
        select 'live: ' || t as text from ${onlyIn(live, rebuilt)} a (t)
        union all select 'rebuilt: ' || t from ${onlyIn(rebuilt, live)} b (t) limit 10
      ) d) as examples`,
  );
  const [found] = rows;
  if (!found?.examples) return null;
  return { table, rowsLive: Number(found.live), rowsRebuilt: Number(found.rebuilt), examples: found.examples };
}
