import { describe, expect, test } from 'vitest';
import { createHashQueue, OverloadedError } from './hash-queue.ts';
import { ranks } from './network-ranks.ts';

/** Jobs that end when the test says so. */
function createJobs(concurrency: number, maxWaiting = 100) {
  const enqueue = createHashQueue({ concurrency, maxWaiting, onQueue: () => undefined });
  const started: string[] = [];
  const ends = new Map<string, () => void>();
  const add = (name: string, rank?: number): Promise<string> =>
    enqueue(() => {
      started.push(name);
      return new Promise((resolve) => ends.set(name, () => resolve(name)));
    }, rank);
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
    const all = ['guess 1', 'guess 2'].map((name) => add(name, ranks.last));
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

  test('leaves networks whose passwords failed a thread less for each hash of others', async () => {
    const { add, started, settled, end, endAll } = createJobs(3);
    const all = [add('person 1'), add('guess 1', ranks.last), add('guess 2', ranks.unknown + 1)];
    await settled();
    expect(started).toEqual(['person 1', 'guess 1']);
    await end('guess 1');
    all.push(add('person 2'));
    await settled();
    expect(started).toEqual(['person 1', 'guess 1', 'guess 2', 'person 2']);
    all.push(add('guess 3', ranks.last));
    await end('guess 2');
    expect(started).toHaveLength(4);
    await end('person 1');
    expect(started).toEqual(['person 1', 'guess 1', 'guess 2', 'person 2', 'guess 3']);
    await endAll();
    await Promise.all(all);
  });

  test('starts those of the lowest rank first, and one in eight that has waited longest', async () => {
    const { add, started, endAll } = createJobs(1);
    const guesses = ['guess 1', 'guess 2', 'guess 3'].map((name) => add(name, ranks.last));
    const mistyped = add('mistyped', ranks.unknown + 1);
    const people = Array.from({ length: 16 }, (_, nth) => add(`person ${nth + 1}`, ranks.unknown));
    const known = add('known', ranks.known);
    await endAll();
    await Promise.all([...guesses, mistyped, ...people, known]);
    const expected = ['guess 1', 'known', ...people.map((_, nth) => `person ${nth + 1}`), 'mistyped'];
    expect(started.filter((name) => !/guess [23]/.test(name))).toEqual(expected);
    expect(['guess 2', 'guess 3'].map((name) => started.indexOf(name))).toEqual([8, 16]);
  });

  test('rejects the newest of the highest rank when it is full, otherwise the one that arrives', async () => {
    const { add, endAll } = createJobs(1, 3);
    const first = add('person 1');
    const answers = Promise.allSettled([
      ...[add('guess 1', ranks.last), add('guess 2', ranks.last), add('guess 3', ranks.last)],
      add('guess 4', ranks.last),
      ...[add('person 2'), add('mistyped', ranks.unknown + 1), add('person 3'), add('person 4')],
      ...[add('person 5'), add('known', ranks.known)],
    ]);
    await endAll();
    expect(await first).toBe('person 1');
    expect((await answers).map((outcome) => (outcome.status === 'rejected' ? 'rejected' : outcome.value))).toEqual([
      ...['rejected', 'rejected', 'rejected', 'rejected', 'person 2', 'rejected', 'person 3', 'rejected', 'rejected'],
      'known',
    ]);
    const full = createJobs(1, 0);
    const running = full.add('person');
    await expect(full.add('next')).rejects.toThrow(OverloadedError);
    await full.endAll();
    await running;
  });
});
