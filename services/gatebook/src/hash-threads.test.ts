import { readdir, readFile } from 'node:fs/promises';
import { constants, getPriority } from 'node:os';
import { expect, test } from 'vitest';
import { lowerHashPriority } from './hash-threads.ts';

const lowest = constants.priority.PRIORITY_LOW;
const isLinux = process.platform === 'linux';

test.runIf(isLinux)('on Linux, the threads that hash passwords yield to all others of the process', async () => {
  const before = getPriority(process.pid);
  expect(await lowerHashPriority()).toBe(true);
  const priorities = new Map<string, Set<number>>();
  for (const id of await readdir('/proc/self/task')) {
    const name = (await readFile(`/proc/self/task/${id}/comm`, 'utf8')).trim();
    priorities.set(name, (priorities.get(name) ?? new Set()).add(getPriority(Number(id))));
  }
  for (const [name, found] of priorities) {
    for (const priority of found) {
      expect(priority).toBe(name === 'libuv-worker' ? Math.min(before + 10, lowest) : before);
    }
  }
  expect([...priorities.keys()]).toContain('libuv-worker');
});
