import { mkdtemp, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { createPool, inTransaction, migrate } from './postgres.ts';
import { type TestDatabase, testDatabase } from './testing/database.ts';
import { createFaultyLink } from './testing/faulty-link.ts';

let database: TestDatabase;
beforeAll(async () => {
  database = await testDatabase();
  await database.pool.query('create table notes (text text)');
});
afterAll(() => database.close());

const notes = async () => (await database.pool.query('select text from notes')).rows;

test('a transaction commits all changes or none', async () => {
  await expect(
    inTransaction(database.pool, async (client) => {
      await client.query(`insert into notes values ('lost')`);
      throw new Error('second thoughts');
    }),
  ).rejects.toThrow('second thoughts');
  expect(await notes()).toEqual([]);
  await inTransaction(database.pool, (client) => client.query(`insert into notes values ('kept')`));
  expect(await notes()).toEqual([{ text: 'kept' }]);
});

test('a transaction commits nothing if a statement that is sent together with the commit fails', async () => {
  const before = await notes();
  const failing = inTransaction(
    database.pool,
    async (client) => {
      await client.query(`insert into notes values ('lost')`);
    },
    { settings: 'set local synchronous_commit = off', finish: (client) => client.query('select 1 / 0') },
  );
  await expect(failing).rejects.toThrow('division by zero');
  expect(await notes()).toEqual(before);
});

test('a connection that breaks in use rejects its query, and the next query works', async () => {
  const cut = inTransaction(database.pool, async (client) => {
    await client.query('select pg_terminate_backend(pg_backend_pid())');
  });
  await expect(cut).rejects.toThrow('terminating connection');
  expect((await database.pool.query('select 1 as one')).rows).toEqual([{ one: 1 }]);
});

test('no timeout of the database or the connection string ends long work, except its own', async () => {
  const other = await testDatabase();
  await other.pool.query(`do $$ begin
    execute format('alter database %I set statement_timeout = ''20ms''', current_database());
    execute format('alter database %I set idle_in_transaction_session_timeout = ''20ms''', current_database());
  end $$`);
  const settings = { lock_timeout: '30000' };
  const url = `${other.url}?statement_timeout=20`;
  const pool = createPool(url, { max: 1, name: 'long work', settings, isForLongWork: true });
  await pool.query('select pg_sleep(0.05)');
  const timeouts = await pool.query(
    `select setting from pg_settings where name in ('statement_timeout', 'lock_timeout', 'transaction_timeout',
       'idle_in_transaction_session_timeout') and setting <> '0'`,
  );
  expect(timeouts.rows).toEqual([{ setting: '30000' }]);
  await pool.end();
  await other.close();
});

test('a statement of a request ends, whether the server is slow or gone without a word', async () => {
  const link = await createFaultyLink(database.url);
  const pool = createPool(link.url, { max: 1, name: 'requests', statementMs: 500 });
  await expect(pool.query('select pg_sleep(60)')).rejects.toThrow('statement timeout');
  expect((await pool.query('select 1 as one')).rows).toEqual([{ one: 1 }]);
  const sent = inTransaction(pool, async (client) => {
    link.silence();
    await client.query('select 2');
  });
  await expect(sent).rejects.toThrow('Query read timeout');
  link.repair();
  expect((await pool.query('select 3 as three')).rows).toEqual([{ three: 3 }]);
  await pool.end();
  await link.close();
});

test('long work ends if its statement or its result was lost on the way, and goes on otherwise', async () => {
  const link = await createFaultyLink(database.url);
  const pool = createPool(link.url, { max: 3, name: 'long work', isForLongWork: true, lookEveryMs: 200 });
  const direct = createPool(database.url, { max: 1, name: 'long work', isForLongWork: true, lookEveryMs: 100 });
  await expect(direct.query('select pg_sleep(1.5)')).resolves.toBeDefined();
  await pool.query('select 1');
  const lost = inTransaction(pool, async (client) => {
    link.silence();
    link.repair();
    await client.query('select 2');
  });
  await expect(lost).rejects.toThrow('Connection terminated');
  expect((await pool.query('select 3 as three')).rows).toEqual([{ three: 3 }]);
  await Promise.all([pool.end(), direct.end()]);
  await link.close();
});

test('a pool of connections that say nothing can be closed', async () => {
  const link = await createFaultyLink(database.url);
  const pool = createPool(link.url, { max: 1, name: 'closing' });
  await pool.query('select 1');
  link.silence();
  await pool.end();
  await link.close();
});

test('each migration runs once, even if two processes start together, and an edited migration is an error', async () => {
  const path = await mkdtemp(join(tmpdir(), 'gatebook-migrations-'));
  const folder = pathToFileURL(`${path}/`);
  await writeFile(
    join(path, '001-first.sql'),
    'create table things.first (n int); insert into things.first values (1)',
  );
  await Promise.all([migrate(database.pool, folder, 'things'), migrate(database.pool, folder, 'things')]);
  await writeFile(join(path, '002-second.sql'), 'insert into things.first values (2)');
  await migrate(database.pool, folder, 'things');
  expect((await database.pool.query('select n from things.first order by n')).rows).toEqual([{ n: 1 }, { n: 2 }]);
  await writeFile(join(path, '001-first.sql'), 'create table things.other (n int)');
  await expect(migrate(database.pool, folder, 'things')).rejects.toThrow('001-first.sql was edited');
});
