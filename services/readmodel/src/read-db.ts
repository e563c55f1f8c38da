import type { Pool } from '@gatebook/runtime/postgres';
import type { ReadModels } from './wait.ts';

/**
 * A query over one generation. `sql` gets the schema's name, writes it in front of every table of the set, and is called
 * once per generation; `name` is unique among all queries, since each is prepared.
 */
export type ReadQuery = {
  name: string;
  sql: (schema: string) => string;
  set?: 'main' | 'metrics';
  /** Looks up by keys alone, on every request: its plan is made once, whatever the values. */
  isHot?: boolean;
};

export type ReadDb = {
  /** Rows as Postgres gives them. Runs on the generation that is live when it is called. */
  rows<Row>(query: ReadQuery, values: readonly unknown[]): Promise<Row[]>;
};

/** `hotPool`: connections for the hot queries, with `hotSettings`. */
export function createReadDb(pool: Pool, readModels: Pick<ReadModels, 'schema'>, hotPool = pool): ReadDb {
  const texts = new Map<string, string>();
  return {
    rows: async <Row>({ name, sql, set = 'main', isHot = false }: ReadQuery, values: readonly unknown[]) => {
      const schema = readModels.schema(set);
      const prepared = `${schema}.${name}`;
      const text = texts.get(prepared) ?? sql(schema);
      texts.set(prepared, text);
      const result = await (isHot ? hotPool : pool).query({ name: prepared, text, values: [...values] });
      return result.rows as Row[];
    },
  };
}

/** Planning a look-up by keys takes longer than running it, and Postgres would plan some of them anew each time. */
export const hotSettings = { plan_cache_mode: 'force_generic_plan' } as const;
