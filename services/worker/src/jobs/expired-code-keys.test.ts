import { testDatabase } from '@gatebook/runtime/testing/database';
import { expect, test } from 'vitest';
import { migrateEmailLimits } from './email-limits.ts';
import { createCodeKeys } from './expired-code-keys.ts';

test('a key that can not be erased is reported, after the others are erased', async () => {
  const { pool } = await testDatabase();
  await migrateEmailLimits(pool);
  const [a, b, c] = [1, 2, 3].map((n) => `00000000-0000-4000-8000-00000000000${n}`) as [string, string, string];
  const erased: string[] = [];
  const codeKeys = createCodeKeys(pool, async (id) => {
    if (id === b) throw new Error('blocked');
    erased.push(id);
  });
  const expiresAt = '2026-01-01T00:00:00.000Z';
  for (const subjectId of [a, b, c]) await codeKeys.add({ subjectId, expiresAt });
  const run = () => codeKeys.eraseExpired('2026-01-02T00:00:00.000Z', 10, new AbortController().signal);
  await expect(run()).rejects.toThrow('1 keys of expired codes remain');
  expect(erased.sort()).toEqual([a, c]);
  await expect(run()).rejects.toThrow('1 keys');
  expect(erased).toHaveLength(2);
});
