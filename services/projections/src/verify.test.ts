import type { Pool } from '@gatebook/runtime/postgres';
import { testDatabase } from '@gatebook/runtime/testing/database';
import { expect, test } from 'vitest';
import { promoteProjectionVersion } from './promotion.ts';
import { textOf } from './testing/faulty-pool.ts';
import { projectionsTemplate } from './testing/projections-template.ts';
import { buildVersion, createTalliesLog, recordPeople, talliesGroup } from './testing/tallies.ts';
import { compareWithRebuild, isConsistent } from './verify.ts';

/** `base`, where a statement gets no response if it is to release the lock. */
function withoutUnlocking(base: Pool): Pool {
  const connect = async () => {
    const client = await base.connect();
    const send = client.query.bind(client) as (...args: unknown[]) => Promise<unknown>;
    const query = async (...args: unknown[]) => {
      if (textOf(args[0]).includes('pg_advisory_unlock')) throw new Error('Query read timeout');
      return send(...args);
    };
    return Object.assign(Object.create(client), { query, release: (error?: boolean) => client.release(error) });
  };
  return Object.assign(Object.create(base), { connect, query: base.query.bind(base) });
}

test('a verification that cannot release its lock does not keep it', async () => {
  const [database, log] = await Promise.all([testDatabase(projectionsTemplate), createTalliesLog()]);
  const { pool } = database;
  const group = talliesGroup('main');
  await recordPeople(log);
  const built = await buildVersion(pool, log, group);
  await promoteProjectionVersion(pool, built.id);
  expect(isConsistent(await compareWithRebuild(withoutUnlocking(pool), log.store, group))).toBe(true);
  const locks = `select from pg_locks where locktype = 'advisory'
    and database = (select oid from pg_database where datname = current_database())`;
  await expect.poll(async () => (await pool.query(locks)).rowCount).toBe(0);
  await database.close();
});
