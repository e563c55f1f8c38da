import { describe, expect, test } from 'vitest';
import { createHashQueue, OverloadedError } from './hash-queue.ts';

/** Jobs that end when the test says so. */
function createJobs(concurrency: number, maxWaiting = 100) {
  const enqueue = createHashQueue({ concurrency, maxWaiting, onQueue: () => undefined });
  const started: string[] = [];
  const ends = new Map<string, () => void>();
  const add = (name: string, isSuspect = false): Promise<string> =>
    enqueue(() => {
      started.push(name);
      return new Promise((resolve) => ends.set(name, () => resolve(name)));
    }, isSuspect);
  const settled = () => new Promise((resume) => setImmediate(resume));
  const end = async (name: string) => {
    ends.get(name)?.();
    await settled();
  };
  /** In order of their start, as long as there are any. */
  const endAll = async () => {
    await settled();
    for (const name of started) await end(name);
  };
  return { add, started, settled, end, endAll };
}

describe('the queue of hashes', () => {
  test('leaves a thread free of the passwords of suspects', async () => {
    const { add, started, settled, end, endAll } = createJobs(2);
    const all = ['guess 1', 'guess 2'].map((name) => add(name, true));
    await settled();
    expect(started).toEqual(['guess 1']);
    all.push(add('person'));
    await settled();
    expect(started).toEqual(['guess 1', 'person']);
    await end('person');
    expect(started).toEqual(['guess 1', 'person']);
    await endAll();
    expect(await Promise.all(all)).toEqual(['guess 1', 'guess 2', 'person']);
  });

  test('runs one hash of a suspect in eight while others wait', async () => {
    const { add, started, endAll } = createJobs(1);
    const people = Array.from({ length: 20 }, (_, nth) => add(`person ${nth}`));
    const guesses = ['guess 1', 'guess 2', 'guess 3'].map((name) => add(name, true));
    await endAll();
    await Promise.all([...people, ...guesses]);
    expect(guesses.map((_, nth) => started.indexOf(`guess ${nth + 1}`))).toEqual([7, 15, 22]);
  });

  test('rejects the newest waiting password of a suspect when it is full, otherwise the one that arrives', async () => {
    const { add, endAll } = createJobs(1, 2);
    const first = add('person 1');
    const outcomes = [
      add('guess 1', true),
      add('guess 2', true),
      add('guess 3', true),
      add('person 2'),
      add('person 3'),
    ];
    const last = add('person 4');
    const answers = Promise.allSettled([...outcomes, last]);
    await endAll();
    expect(await first).toBe('person 1');
    expect((await answers).map((outcome) => (outcome.status === 'rejected' ? outcome.reason : outcome.value))).toEqual([
      ...Array.from({ length: 3 }, () => expect.any(OverloadedError)),
      ...['person 2', 'person 3', expect.any(OverloadedError)],
    ]);
  });
});
