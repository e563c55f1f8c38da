import { type TestDatabase, testDatabase } from '@gatebook/runtime/testing/database';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { createIdempotencyRecords, type IdempotencyRecords, migrateIdempotencyRecords } from './idempotency-records.ts';

let database: TestDatabase;
let records: IdempotencyRecords;
beforeAll(async () => {
  database = await testDatabase();
  await migrateIdempotencyRecords(database.pool);
  records = createIdempotencyRecords(database.pool);
});
afterAll(() => database.close());

const start = Date.parse('2026-01-15T12:00:00.000Z');
const at = (seconds: number) => new Date(start + seconds * 1000).toISOString();
const day = 24 * 60 * 60;
let count = 0;
const newRequest = () => `request ${count++}`;
const reserve = (id: string, holder: string, seconds = 0, fingerprint = 'body') =>
  records.reserve({ id, holder, fingerprint, at: at(seconds) });

const reserved = { state: 'reserved' };
const running = { state: 'running' };
const answer = (text: string, ...concerns: string[]) => ({ answer: text, subjects: [], concerns });
const answered = (text: string) => ({ state: 'answered', answer: text, subjects: [] });

describe('a reservation', () => {
  test('goes to one of many concurrent holders', async () => {
    const id = newRequest();
    const found = await Promise.all(Array.from({ length: 20 }, (_, nth) => reserve(id, `holder ${nth}`)));
    expect(found.filter(({ state }) => state === 'reserved')).toHaveLength(1);
    expect(found.filter(({ state }) => state === 'running')).toHaveLength(19);
  });

  test('expires after a minute and goes to one of many new holders', async () => {
    const id = newRequest();
    expect(await reserve(id, 'a')).toEqual(reserved);
    expect(await reserve(id, 'b', 60)).toEqual(running);
    const found = await Promise.all(Array.from({ length: 20 }, (_, nth) => reserve(id, `holder ${nth}`, 61)));
    expect(found.filter(({ state }) => state === 'reserved')).toHaveLength(1);
  });

  test('that expired gives its former holder no effect on the record', async () => {
    const id = newRequest();
    await reserve(id, 'a');
    await reserve(id, 'b', 61);
    await records.keep({ id, holder: 'a' }, answer('too late'));
    await records.release({ id, holder: 'a' });
    expect(await reserve(id, 'c', 62)).toEqual(running);
    await records.keep({ id, holder: 'b' }, answer('in time'));
    await records.release({ id, holder: 'b' });
    expect(await reserve(id, 'c', 63)).toEqual(answered('in time'));
  });

  test('that was released can be made again, even for another request', async () => {
    const id = newRequest();
    await reserve(id, 'a');
    await records.release({ id, holder: 'a' });
    expect(await reserve(id, 'b', 1, 'another body')).toEqual(reserved);
  });
});

describe('a response', () => {
  test('is replayed for a day, to the same request only', async () => {
    const id = newRequest();
    await reserve(id, 'a');
    expect(await reserve(id, 'b', 1, 'another body')).toEqual({ state: 'other_request' });
    await records.keep({ id, holder: 'a' }, answer('done'));
    expect(await reserve(id, 'b', day)).toEqual(answered('done'));
    expect(await reserve(id, 'b', day, 'another body')).toEqual({ state: 'other_request' });
    expect(await reserve(id, 'b', day + 1, 'another body')).toEqual(reserved);
    expect(await reserve(id, 'c', day + 2, 'another body')).toEqual(running);
  });

  test('is deleted after a day', async () => {
    const id = newRequest();
    await reserve(id, 'a', 10 * day);
    await records.keep({ id, holder: 'a' }, answer('done'));
    const rows = async () => (await database.pool.query('select from requests.answers where id = $1', [id])).rowCount;
    await records.forgetOld(at(11 * day));
    expect(await rows()).toBe(1);
    await records.forgetOld(at(11 * day + 1));
    expect(await rows()).toBe(0);
  });

  test('is deleted with the address that it concerns', async () => {
    const [ann, bob] = [newRequest(), newRequest()];
    for (const id of [ann, bob]) await reserve(id, 'a');
    await records.keep({ id: ann, holder: 'a' }, answer('about Ann', 'ann', 'address of Ann'));
    await records.keep({ id: bob, holder: 'a' }, answer('about Bob', 'bob'));
    await records.forget('address of Ann');
    expect(await reserve(ann, 'b', 1)).toEqual(reserved);
    expect(await reserve(bob, 'b', 1)).toEqual(answered('about Bob'));
  });
});
