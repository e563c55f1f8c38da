import { createLogger } from '@gatebook/runtime/logger';
import { expect, test } from 'vitest';
import { repeat } from './repeat.ts';

test('a job that fails is logged, the next one runs, and all run again', async () => {
  const stopping = new AbortController();
  const lines: string[] = [];
  const logger = createLogger({ level: 'warn' }, { write: (line) => lines.push(line) });
  const runs: string[] = [];
  const failing = async () => {
    runs.push('failing');
    throw new Error('the database is gone');
  };
  const workingTwice = async () => {
    runs.push('working');
    if (runs.length === 4) stopping.abort();
  };
  await repeat(
    [
      { run: failing, failure: 'could not check', fields: { group: 'main' } },
      { run: workingTwice, failure: 'could not stop' },
    ],
    { everyMs: 1, logger },
    stopping.signal,
  );
  expect(runs).toEqual(['failing', 'working', 'failing', 'working']);
  const logged = { group: 'main', msg: 'could not check', err: { message: 'the database is gone' } };
  expect(lines.map((line) => JSON.parse(line))).toMatchObject([logged, logged]);
});
