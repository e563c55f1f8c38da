import { afterAll, beforeAll, expect, test } from 'vitest';
import { takeTurns } from './leadership.ts';
import { createLogger } from './logger.ts';
import { type TestDatabase, testDatabase } from './testing/database.ts';

const logger = createLogger({ level: 'silent' });

let database: TestDatabase;
beforeAll(async () => {
  database = await testDatabase();
});
afterAll(() => database.close());

/** Simulates a process: it is in `leaders` while it leads, until `stop` or the end of its connection. */
function contend(name: string, leaders: string[]) {
  const stop = new AbortController();
  const ended = takeTurns(
    { url: database.url, name: 'test', logger },
    async (signal) => {
      leaders.push(name);
      await new Promise((resolve) => signal.addEventListener('abort', resolve));
      leaders.splice(leaders.indexOf(name), 1);
    },
    stop.signal,
  );
  return {
    stop: async () => {
      stop.abort();
      await ended;
    },
  };
}

test('one process leads; when its connection breaks another takes over, and never do two lead', async () => {
  const leaders: string[] = [];
  const contenders = [contend('a', leaders), contend('b', leaders)];
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
  const first = contend('first', leaders);
  await expect.poll(() => leaders).toEqual(['first']);
  const standby = contend('standby', leaders);
  await standby.stop();
  const next = contend('next', leaders);
  await first.stop();
  await expect.poll(() => leaders).toEqual(['next']);
  await next.stop();
});
