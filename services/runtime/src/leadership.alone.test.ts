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

test('a leader whose process hangs is replaced after its silence, and notices when it continues', async () => {
  const hanging = spawn(process.execPath, [new URL('./testing/lead.ts', import.meta.url).pathname, database.url], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const printed: string[] = [];
  createInterface({ input: hanging.stdout }).on('line', (line) => printed.push(line));
  await expect.poll(() => printed).toEqual(['leading']);
  const leaders: string[] = [];
  const standby = contend('standby', leaders);
  hanging.kill('SIGSTOP');
  const before = performance.now();
  await expect.poll(() => leaders, { timeout: 2 * silenceMs, interval: 20 }).toEqual(['standby']);
  expect(performance.now() - before).toBeLessThan(5_000);
  hanging.kill('SIGCONT');
  await expect.poll(() => printed).toEqual(['leading', 'lost']);
  const exited = once(hanging, 'exit');
  hanging.kill('SIGKILL');
  await exited;
  await standby.stop();
});
