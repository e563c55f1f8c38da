import { type TestDatabase, testDatabase } from '@gatebook/runtime/testing/database';
import { afterAll, beforeAll, beforeEach, expect, test, vi } from 'vitest';
import { createEmailLimits, migrateEmailLimits } from './email-limits.ts';

const rules = {
  recipient: [
    { max: 2, minutes: 10 },
    { max: 3, minutes: 60 },
  ],
  project: { max: 4, minutes: 30 },
};
let database: TestDatabase;
beforeAll(async () => {
  database = await testDatabase();
  await migrateEmailLimits(database.pool);
});
afterAll(() => database.close());
beforeEach(() => database.pool.query('truncate worker.email_counts'));

const take = (at: string, recipientHash: string) =>
  createEmailLimits(database.pool, rules).take({
    projectId: 'shop',
    recipientHash,
    at: `2026-01-01T${at}:00.000Z`,
    isMailing: false,
  });

async function counts(): Promise<Record<string, number>> {
  const { rows } = await database.pool.query<{ scope: string; count: number }>(
    'select scope, count from worker.email_counts order by since, scope',
  );
  return Object.fromEntries(rows.map(({ scope, count }) => [scope, count]));
}

test('an email is counted up to the first limit that it exceeds', async () => {
  expect(await take('10:00', 'ann')).toBe('yes');
  expect(await take('10:01', 'ann')).toBe('yes');
  expect(await take('10:02', 'ann')).toBe('recipient');
  expect(await counts()).toEqual({ 'project shop': 3, 'recipient 10 ann': 3, 'recipient 60 ann': 2 });
  expect(await take('10:03', 'bob')).toBe('yes');
  expect(await take('10:04', 'cid')).toEqual({ laterMs: 26 * 60_000 });
  expect(await counts()).toEqual({
    'project shop': 5,
    'recipient 10 ann': 3,
    'recipient 10 bob': 1,
    'recipient 60 ann': 2,
    'recipient 60 bob': 1,
  });
});

test('each limit has its own windows', async () => {
  for (const at of ['10:00', '10:10', '10:20']) expect(await take(at, 'ann')).toBe('yes');
  expect(await take('10:30', 'ann')).toBe('recipient');
  expect(await take('11:00', 'ann')).toBe('yes');
});

test('emails that are sent at once are all counted, each with one statement', async () => {
  const query = vi.spyOn(database.pool, 'query');
  const taken = await Promise.all(Array.from({ length: 6 }, (_, n) => take('10:00', n < 3 ? 'ann' : `person ${n}`)));
  expect(query).toHaveBeenCalledTimes(6);
  query.mockRestore();
  expect((await counts())['project shop']).toBe(6);
  expect(taken.filter((outcome) => typeof outcome === 'object')).toHaveLength(2);
});
