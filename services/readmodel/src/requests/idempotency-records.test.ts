import { type TestDatabase, testDatabase } from '@gatebook/runtime/testing/database';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { createIdempotencyRecords, type IdempotencyRecords, migrateIdempotencyRecords } from './idempotency-records.ts';

let database: TestDatabase;
let kept: IdempotencyRecords;
beforeAll(async () => {
  database = await testDatabase();
  await migrateIdempotencyRecords(database.pool);
  kept = createIdempotencyRecords(database.pool);
});
afterAll(() => database.close());

const start = Date.parse('2026-01-15T12:00:00.000Z');
const at = (seconds: number) => new Date(start + seconds * 1000).toISOString();
const day = 24 * 60 * 60;
let count = 0;
const newRequest = () => `request ${count++}`;
const ask = (id: string, holder: string, seconds = 0, fingerprint = 'body') =>
  kept.reserve({ id, holder, fingerprint, at: at(seconds) });

const reserved = { state: 'reserved' };
const running = { state: 'running' };
const answer = (text: string, ...concerns: string[]) => ({ answer: text, subjects: [], concerns });
const answered = (text: string) => ({ state: 'answered', answer: text, subjects: [] });

describe('a reservation', () => {
  test('is one holder’s, of many who ask at once', async () => {
    const id = newRequest();
    const found = await Promise.all(Array.from({ length: 20 }, (_, nth) => ask(id, `holder ${nth}`)));
    expect(found.filter(({ state }) => state === 'reserved')).toHaveLength(1);
    expect(found.filter(({ state }) => state === 'running')).toHaveLength(19);
  });

  test('is given up for dead after a minute, to one of many', async () => {
    const id = newRequest();
    expect(await ask(id, 'a')).toEqual(reserved);
    expect(await ask(id, 'b', 60)).toEqual(running);
    const found = await Promise.all(Array.from({ length: 20 }, (_, nth) => ask(id, `holder ${nth}`, 61)));
    expect(found.filter(({ state }) => state === 'reserved')).toHaveLength(1);
  });

  test('leaves its former holder no say', async () => {
    const id = newRequest();
    await ask(id, 'a');
    await ask(id, 'b', 61);
    await kept.keep({ id, holder: 'a' }, answer('too late'));
    await kept.release({ id, holder: 'a' });
    expect(await ask(id, 'c', 62)).toEqual(running);
    await kept.keep({ id, holder: 'b' }, answer('in time'));
    await kept.release({ id, holder: 'b' });
    expect(await ask(id, 'c', 63)).toEqual(answered('in time'));
  });

  test('that is released is as if it had never been', async () => {
    const id = newRequest();
    await ask(id, 'a');
    await kept.release({ id, holder: 'a' });
    expect(await ask(id, 'b', 1, 'another body')).toEqual(reserved);
  });
});

describe('an answer', () => {
  test('is that of one request alone, for a day', async () => {
    const id = newRequest();
    await ask(id, 'a');
    expect(await ask(id, 'b', 1, 'another body')).toEqual({ state: 'other_request' });
    await kept.keep({ id, holder: 'a' }, answer('done'));
    expect(await ask(id, 'b', day)).toEqual(answered('done'));
    expect(await ask(id, 'b', day, 'another body')).toEqual({ state: 'other_request' });
    expect(await ask(id, 'b', day + 1, 'another body')).toEqual(reserved);
    expect(await ask(id, 'c', day + 2, 'another body')).toEqual(running);
  });

  test('is swept after a day, whoever it was given to', async () => {
    const id = newRequest();
    await ask(id, 'a', 10 * day);
    await kept.keep({ id, holder: 'a' }, answer('done'));
    const rows = async () => (await database.pool.query('select from requests.answers where id = $1', [id])).rowCount;
    await kept.forgetOld(at(11 * day));
    expect(await rows()).toBe(1);
    await kept.forgetOld(at(11 * day + 1));
    expect(await rows()).toBe(0);
  });

  test('is removed with what it speaks of', async () => {
    const [ann, bob] = [newRequest(), newRequest()];
    for (const id of [ann, bob]) await ask(id, 'a');
    await kept.keep({ id: ann, holder: 'a' }, answer('about Ann', 'ann', 'address of Ann'));
    await kept.keep({ id: bob, holder: 'a' }, answer('about Bob', 'bob'));
    await kept.forget('address of Ann');
    expect(await ask(ann, 'b', 1)).toEqual(reserved);
    expect(await ask(bob, 'b', 1)).toEqual(answered('about Bob'));
  });
});
