import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { text } from 'node:stream/consumers';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';
import { sectionsOf } from '../bench/parts.ts';

const main = fileURLToPath(new URL('../bench/main.ts', import.meta.url));

async function bench(...args: string[]) {
  const child = spawn(process.execPath, [main, ...args, '--quick'], { stdio: ['ignore', 'pipe', 'pipe'] });
  const [output, errors, [code]] = await Promise.all([text(child.stdout), text(child.stderr), once(child, 'close')]);
  return { output, errors, code };
}

/** Cells of the lines of the table, without its head. */
const linesOf = (output: string) =>
  output
    .split('\n')
    .filter((line) => line.startsWith('| ') && !/^\| (Benchmark|---)/.test(line))
    .map((line) =>
      line
        .split('|')
        .slice(1, -1)
        .map((cell) => cell.trim()),
    );

test('a run measures its parts, and ends with the numbers of passed and failed aims', async () => {
  const parts = ['append', 'idle', 'users/me', 'rename'];
  expect(sectionsOf().get('aims')).toEqual(expect.arrayContaining(parts));
  const { output, errors, code } = await bench(...parts);
  expect(code, errors).toBe(0);
  const lines = linesOf(output);
  const names = lines.map(([name]) => name);
  for (const name of ['appends', '`GET /users/me`', 'change own name']) {
    expect(names).toEqual(expect.arrayContaining([`${name}, 32 callers`, `${name}, one caller`]));
  }
  expect(names).toContain('idle, memory of the process');
  for (const [name, , figures = '', ratio = ''] of lines) {
    // A figure of 0 would mean that nothing was measured. Idle processes may use no CPU.
    if (name?.startsWith('idle, CPU')) continue;
    expect(figures, name).toMatch(/[1-9]/);
    expect(`${figures} ${ratio}`, name).not.toMatch(/NaN|Infinity|∞/);
  }
  const count = (verdict: string) => lines.filter((cells) => cells.at(-1) === verdict).length;
  expect(count('passed') + count('failed')).toBeGreaterThanOrEqual(7);
  const unjudged = `(${count('measured')} without an aim)`;
  expect(output.trimEnd().split('\n').at(-1)).toBe(`${count('passed')} passed, ${count('failed')} failed ${unjudged}`);
});

test('a profile shares the CPU of a route out to places and statements', async () => {
  const { output, errors, code } = await bench('--profile', 'rename');
  expect(code, errors).toBe(0);
  const lines = linesOf(output);
  const share = (where: string) => Number.parseFloat(lines.find(([name]) => name === where)?.[2] ?? '');
  expect(share('all')).toBe(100);
  for (const where of ['Postgres', 'sockets and HTTP', 'node_modules/pg']) expect(share(where)).toBeGreaterThan(0);
  expect(lines.some(([statement]) => statement?.includes('log.append'))).toBe(true);
});

test('an unknown part is rejected', async () => {
  const { errors, code } = await bench('sign-on');
  expect(code).toBe(1);
  expect(errors).toContain('Unknown: sign-on');
});
