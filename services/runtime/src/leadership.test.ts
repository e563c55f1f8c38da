import { afterAll, beforeAll, expect, test } from 'vitest';
import { takeTurns } from './leadership.ts';
import { createLogger } from './logger.ts';
import { contend } from './testing/contend.ts';
import { type TestDatabase, testDatabase } from './testing/database.ts';

let database: TestDatabase;
beforeAll(async () => {
  database = await testDatabase();
});
afterAll(() => database.close());

test('one process leads; when its connection breaks another takes over, and never do two lead', async () => {
  const leaders: string[] = [];
  const contenders = [contend(database.url, 'a', leaders), contend(database.url, 'b', leaders)];
  await expect.poll(() => leaders.length).toBe(1);
  const [first] = leaders;
  await database.pool.query(
    `select pg_terminate_backend(l.pid) from pg_locks l
     where l.locktype = 'advisory' and l.granted and l.database = (select oid from pg_database where datname = current_database())`,
  );
  await expect.poll(() => leaders).toEqual([first === 'a' ? 'b' : 'a']);
  await Promise.all(contenders.map(({ stop }) => stop()));
  expect(leaders).toEqual([]);
});

test('a standby process can stop at any time, and a leader that stops hands over', async () => {
  const leaders: string[] = [];
  const first = contend(database.url, 'first', leaders);
  await expect.poll(() => leaders).toEqual(['first']);
  const standby = contend(database.url, 'standby', leaders);
  await standby.stop();
  const next = contend(database.url, 'next', leaders);
  await first.stop();
  await expect.poll(() => leaders).toEqual(['next']);
  await next.stop();
});

test('what a leader runs ends before another process leads, also if a part of it fails', async () => {
  const stopping = new AbortController();
  const locks = async () => {
    const { rowCount } = await database.pool.query(
      `select from pg_locks where locktype = 'advisory'
       and database = (select oid from pg_database where datname = current_database())`,
    );
    return rowCount;
  };
  let locksAtEnd: Promise<number | null> | undefined;
  const lead = async (signal: AbortSignal) => {
    signal.addEventListener('abort', () => (locksAtEnd ??= locks()), { once: true });
    throw new Error('a part has failed');
  };
  const logger = createLogger({ level: 'error' });
  const turns = takeTurns({ url: database.url, name: 'failing', logger }, lead, stopping.signal);
  await expect.poll(() => locksAtEnd).toBeDefined();
  stopping.abort();
  await turns;
  expect(await locksAtEnd).toBe(1);
});
