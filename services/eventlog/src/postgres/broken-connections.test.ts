import { randomUUID } from 'node:crypto';
import { createPool, type Pool } from '@gatebook/runtime/postgres';
import { type TestDatabase, testDatabase } from '@gatebook/runtime/testing/database';
import { afterEach, beforeEach, expect, test } from 'vitest';
import type { StoredWrite } from '../codec.ts';
import { AppendOutcomeUnknownError } from '../port.ts';
import { logTemplate } from '../testing/log-template.ts';
import { createCommitBatch } from './commit-batch.ts';

let database: TestDatabase;
let pool: Pool;
beforeEach(async () => {
  database = await testDatabase(logTemplate);
  pool = createPool(database.url, { max: 2, name: 'log' });
});
afterEach(async () => {
  await pool.end();
  await database.close();
});

const metadata: StoredWrite['events'][number]['metadata'] = {
  projectId: 'p1',
  actor: { kind: 'system', id: null },
  requestId: 'r1',
  correlationId: 'c1',
  causationId: null,
};

function appendTo(stream: string, ...texts: string[]): StoredWrite[] {
  const events = texts.map((text) => ({
    id: randomUUID(),
    stream,
    type: 'Noted',
    version: 1,
    data: { text },
    encrypted: null,
    metadata,
  }));
  return [{ stream, expected: -1n, events }];
}

async function storedTexts(): Promise<string[]> {
  const { rows } = await database.pool.query(`select data->>'text' as text from log.events order by position`);
  return rows.map(({ text }) => text);
}

/** Creates a pool whose connection breaks after the commit, before the answer arrives, the first `times` times. */
function createAnswerLosingPool(times: number): Pool {
  let left = times;
  const losing = Object.create(pool) as Pool;
  losing.connect = (async () => {
    const client = await pool.connect();
    const query = client.query.bind(client) as (config: object) => Promise<unknown>;
    const losingClient = Object.create(client);
    losingClient.query = async (config: object) => {
      const answer = await query(config);
      if (left === 0) return answer;
      left -= 1;
      throw Object.assign(new Error('read ECONNRESET'), { code: 'ECONNRESET' });
    };
    losingClient.release = (error?: Error) => client.release(error);
    return losingClient;
  }) as unknown as Pool['connect'];
  return losing;
}

test('a retried append finds its events if they were committed before the answer was lost', async () => {
  const commit = createCommitBatch(createAnswerLosingPool(2));
  await createCommitBatch(pool)([appendTo('note-taken', 'first')]);
  const outcomes = await commit([
    appendTo('note-1', 'a', 'b'),
    appendTo('note-taken', 'late'),
    appendTo('note-2', 'c'),
  ]);
  expect(outcomes).toEqual([{ position: 3n }, { lostStream: 'note-taken' }, { position: 4n }]);
  expect(await storedTexts()).toEqual(['first', 'a', 'b', 'c']);
});

test('a repeated append finds its events even after later writes to the stream', async () => {
  const mine = appendTo('note-1', 'mine');
  await createCommitBatch(pool)([mine]);
  const next = appendTo('note-1', 'next').map((write) => ({ ...write, expected: 0n }));
  await createCommitBatch(pool)([next]);
  expect(await createCommitBatch(pool)([mine])).toEqual([{ position: 1n }]);
  expect(await storedTexts()).toEqual(['mine', 'next']);
});

test('a batch is appended once even if its connection is cut in the middle', async () => {
  await database.pool.query(`
    create sequence cuts;
    create function cut() returns trigger language plpgsql as $$
    begin
      if nextval('public.cuts') <= 3 then perform pg_terminate_backend(pg_backend_pid()); end if;
      return new;
    end $$;
    create trigger cut before insert on log.events for each row when (new.stream = 'note-2') execute function cut();
  `);
  const outcomes = await createCommitBatch(pool)([
    appendTo('note-1', 'a'),
    appendTo('note-2', 'b'),
    appendTo('note-3', 'c'),
  ]);
  expect(outcomes).toEqual([{ position: 1n }, { position: 2n }, { position: 3n }]);
  expect(await storedTexts()).toEqual(['a', 'b', 'c']);
});

test('if the log stays unreachable after a commit was sent, each append fails with an unknown outcome', async () => {
  const outcomes = await createCommitBatch(createAnswerLosingPool(2), { maxAttempts: 2 })([
    appendTo('note-1', 'a'),
    appendTo('note-2', 'b'),
  ]);
  for (const outcome of outcomes) expect(outcome).toEqual({ error: expect.any(AppendOutcomeUnknownError) });
});

test('if the log was never reached, the append fails with the connection error', async () => {
  const nowhere = createPool('postgres://gatebook@127.0.0.1:1/nowhere', { max: 1, name: 'log' });
  const [outcome] = await createCommitBatch(nowhere, { maxAttempts: 2 })([appendTo('note-1', 'a')]);
  expect(outcome).toEqual({ error: expect.objectContaining({ code: 'ECONNREFUSED' }) });
  await nowhere.end();
});

test('a repeated append succeeds next to a faulty one in its batch', async () => {
  const good = appendTo('note-1', 'a');
  await createCommitBatch(pool)([good]);
  const [again, rejected] = await createCommitBatch(pool)([good, appendTo('note\u0000', 'b')]);
  expect(again).toEqual({ position: 1n });
  expect(rejected).toEqual({ error: expect.objectContaining({ message: expect.stringContaining('0x00') }) });
  expect(await storedTexts()).toEqual(['a']);
});
