import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { silenceMs, takeTurns } from './leadership.ts';
import { createLogger } from './logger.ts';
import { type TestDatabase, testDatabase } from './testing/database.ts';

const logger = createLogger({ level: 'silent' });

let database: TestDatabase;
beforeAll(async () => {
  database = await testDatabase();
});
afterAll(() => database.close());

/** Stands for one process: says when it leads, and leads until it is told or its connection ends. */
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

test('one leads; when its connection is cut another takes over, and nobody leads beside it', async () => {
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

test('who waits can be stopped at once, and a leader that stops hands over', async () => {
  const leaders: string[] = [];
  const first = contend('first', leaders);
  await expect.poll(() => leaders).toEqual(['first']);
  const impatient = contend('impatient', leaders);
  await impatient.stop();
  const next = contend('next', leaders);
  await first.stop();
  await expect.poll(() => leaders).toEqual(['next']);
  await next.stop();
});

test('a leader whose process hangs is replaced once it has been silent, and learns of it when it goes on', async () => {
  const hanging = spawn(process.execPath, [new URL('./testing/lead.ts', import.meta.url).pathname, database.url], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const said: string[] = [];
  createInterface({ input: hanging.stdout }).on('line', (line) => said.push(line));
  await expect.poll(() => said).toEqual(['leading']);
  const leaders: string[] = [];
  const standby = contend('standby', leaders);
  hanging.kill('SIGSTOP');
  const before = performance.now();
  await expect.poll(() => leaders, { timeout: 2 * silenceMs, interval: 20 }).toEqual(['standby']);
  expect(performance.now() - before).toBeLessThan(5_000);
  hanging.kill('SIGCONT');
  await expect.poll(() => said).toEqual(['leading', 'lost']);
  const exited = once(hanging, 'exit');
  hanging.kill('SIGKILL');
  await exited;
  await standby.stop();
});
