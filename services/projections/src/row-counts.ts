import type { PoolClient } from '@gatebook/runtime/postgres';
import type { RowCounts, Table } from './changes.ts';

/** The table of the counts. Queries read it like the tables of the group. */
export const countsTable = ({ name, by }: RowCounts): Table => ({
  name,
  columns: { [by]: { type: 'uuid' }, project_id: { type: 'text' }, count: { type: 'integer' } },
  key: [by],
  indexes: [{ name: `${name}_by_count`, on: `(project_id, count, ${by})` }],
});

/** Which rows a statement has written, and what each adds to a count. */
const images = {
  insert: { new: 1 },
  update: { old: -1, new: 1 },
  delete: { old: -1 },
} as const;

/**
 * Creates the table of the counts that `table` declares, and the triggers that keep it: rows that are copied, or
 * deleted because of a tombstone, are counted like those of batches.
 */
export async function createCounts(tx: PoolClient, schema: string, table: Table): Promise<void> {
  const { name: owner, key, counts } = table;
  if (!counts) return;
  const { name, of, by, where } = counts;
  const id = key.join();
  await tx.query(`create table ${schema}.${name} (
    ${by} uuid primary key references ${schema}.${owner} on delete cascade, project_id text not null, count integer not null)`);
  await createTrigger(tx, `${schema}.${name}_of_${owner}`, {
    after: `insert or update of project_id on ${schema}.${owner} for each row`,
    statement: `insert into ${schema}.${name} (${by}, project_id, count)
      values (new.${id}, new.project_id, (select count(*) from ${schema}.${of} r where r.${by} = new.${id} and ${where}))
      on conflict (${by}) do update set project_id = excluded.project_id`,
  });
  for (const [kind, written] of Object.entries(images)) {
    const seen = Object.keys(written).map((image) => `${image} table as ${image}_rows`);
    const rows = Object.entries(written).map(
      ([image, added]) => `select r.${by}, ${added} as added from ${image}_rows r where ${where}`,
    );
    await createTrigger(tx, `${schema}.${name}_after_${kind}`, {
      after: `${kind} on ${schema}.${of} referencing ${seen.join(' ')} for each statement`,
      statement: `update ${schema}.${name} c set count = c.count + d.added
        from (select ${by}, sum(added) as added from (${rows.join(' union all ')}) r group by ${by} having sum(added) <> 0) d
        where c.${by} = d.${by}`,
    });
  }
}

/** A function keeps the plan that it made while tables were small, so it may only look rows up by index. */
async function createTrigger(tx: PoolClient, name: string, { after, statement }: { after: string; statement: string }) {
  await tx.query(`create function ${name}() returns trigger language plpgsql
    set enable_seqscan = off set enable_hashjoin = off set enable_mergejoin = off
    as $$ begin ${statement}; return null; end $$;
    create trigger ${name.split('.').at(-1)} after ${after} execute function ${name}()`);
}
