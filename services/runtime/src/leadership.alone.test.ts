import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { silenceMs } from './leadership.ts';
import { contend } from './testing/contend.ts';
import { type TestDatabase, testDatabase } from './testing/database.ts';

let database: TestDatabase;
beforeAll(async () => {
  database = await testDatabase();
});
afterAll(() => database.close());

test('a leader whose process hangs is replaced after its silence, and notices when it continues', async () => {
  const hanging = spawn(process.execPath, [new URL('./testing/lead.ts', import.meta.url).pathname, database.url], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const printed: string[] = [];
  createInterface({ input: hanging.stdout }).on('line', (line) => printed.push(line));
  await expect.poll(() => printed).toEqual(['leading']);
  const leaders: string[] = [];
  const standby = contend(database.url, 'standby', leaders);
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
