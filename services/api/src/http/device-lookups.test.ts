import type { ReadDb } from '@gatebook/readmodel/read-db';
import { expect, test } from 'vitest';
import { createDeviceLookups } from './device-lookups.ts';

const device = 'Chrome on Windows';

/** Answers each statement when told to. */
function createDb() {
  const statements: { users: readonly string[]; answer: (nths: readonly number[]) => void; fail: () => void }[] = [];
  const rows = (_query: unknown, [, users]: readonly unknown[]) =>
    new Promise((resolve, reject) => {
      statements.push({
        users: users as string[],
        answer: (nths) => resolve(nths.map((nth) => ({ nth }))),
        fail: () => reject(new Error('connection lost')),
      });
    });
  return { statements, db: { rows } as unknown as ReadDb };
}

test('lookups that arrive during a statement share the next one, and each gets its own answer', async () => {
  const { statements, db } = createDb();
  const { isKnown } = createDeviceLookups({ db });
  const first = isKnown('p1', { userId: 'u0', device });
  const later = ['u1', 'u2', 'u3'].map((userId) => isKnown('p1', { userId, device }));
  expect(statements.map(({ users }) => users)).toEqual([['u0']]);
  statements[0]?.answer([0]);
  expect(await first).toBe(true);
  await expect.poll(() => statements.length).toBe(2);
  expect(statements[1]?.users).toEqual(['u1', 'u2', 'u3']);
  statements[1]?.answer([1]);
  expect(await Promise.all(later)).toEqual([false, true, false]);
});

test('a lookup is in a statement that is sent after it was asked for', async () => {
  const { statements, db } = createDb();
  const { isKnown } = createDeviceLookups({ db });
  const before = isKnown('p1', { userId: 'u1', device });
  const again = isKnown('p1', { userId: 'u1', device });
  statements[0]?.answer([]);
  expect(await before).toBe(false);
  await expect.poll(() => statements.length).toBe(2);
  statements[1]?.answer([0]);
  expect(await again).toBe(true);
});

test('projects do not wait for each other', () => {
  const { statements, db } = createDb();
  const { isKnown } = createDeviceLookups({ db });
  for (const projectId of ['p1', 'p2']) isKnown(projectId, { userId: 'u1', device });
  expect(statements.length).toBe(2);
});

test('a failed statement fails its own lookups only', async () => {
  const { statements, db } = createDb();
  const { isKnown } = createDeviceLookups({ db });
  const failed = isKnown('p1', { userId: 'u1', device });
  const next = isKnown('p1', { userId: 'u2', device });
  statements[0]?.fail();
  await expect(failed).rejects.toThrow('connection lost');
  await expect.poll(() => statements.length).toBe(2);
  statements[1]?.answer([0]);
  expect(await next).toBe(true);
});
