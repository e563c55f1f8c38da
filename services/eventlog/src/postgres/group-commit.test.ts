import { expect, test } from 'vitest';
import type { StoredEvent, StoredWrite } from '../codec.ts';
import { ConcurrencyError } from '../port.ts';
import { createGroupCommit, type Outcome } from './group-commit.ts';

const systemActor = { kind: 'system', id: null } as const;
const event: StoredEvent = {
  ...{ id: 'e', stream: 's', type: 'Noted', version: 1, data: {}, encrypted: null },
  metadata: { ...{ projectId: 'p', requestId: 'r', correlationId: 'c', causationId: null }, actor: systemActor },
};
const appendTo = (...streams: string[]): StoredWrite[] =>
  streams.map((stream) => ({ stream, expected: -1n, events: [event] }));
const guard = (stream: string): StoredWrite => ({ stream, expected: -1n, events: [] });
const streamsOf = (writes: readonly StoredWrite[]) => writes.map(({ stream }) => stream).join('+');

/** Creates a group commit that records its batches and takes their outcomes from `answer`. */
function createRecordingCommit(answer: (streams: string) => Outcome = () => ({ position: 1n })) {
  const batches: string[][] = [];
  const { append, idle } = createGroupCommit(async (batch) => {
    batches.push(batch.map(streamsOf));
    return batch.map((writes) => answer(streamsOf(writes)));
  });
  return { batches, append, idle };
}

test('waiting appends are committed together, in order', async () => {
  const { batches, append } = createRecordingCommit();
  await Promise.all(['a', 'b', 'c'].map((stream) => append(appendTo(stream))));
  await append(appendTo('d'));
  expect(batches).toEqual([['a', 'b', 'c'], ['d']]);
});

test('a batch contains each stream once, and appends to a stream stay in order', async () => {
  const { batches, append } = createRecordingCommit();
  await Promise.all([
    append(appendTo('a')),
    append(appendTo('a', 'b')),
    append(appendTo('b')),
    append(appendTo('c')),
    append(appendTo('b', 'c')),
  ]);
  expect(batches).toEqual([['a', 'c'], ['a+b'], ['b'], ['b+c']]);
});

test('a batch contains any number of guards of a stream, but no write to it beside them', async () => {
  const { batches, append } = createRecordingCommit();
  await Promise.all([
    append([...appendTo('a'), guard('p')]),
    append([...appendTo('b'), guard('p')]),
    append(appendTo('p')),
    append([...appendTo('c'), guard('p')]),
    append([...appendTo('d'), guard('q')]),
  ]);
  expect(batches).toEqual([['a+p', 'b+p', 'd+q'], ['p'], ['c+p']]);
});

test('a batch has at most 8 MiB, and one append of any size', async () => {
  const { batches, append } = createRecordingCommit();
  const large = (stream: string, megabytes: number): StoredWrite[] => [
    { stream, expected: -1n, events: [{ ...event, encrypted: 'x'.repeat(megabytes * 1_000_000) }] },
  ];
  await Promise.all([
    ...['a', 'b', 'c', 'd', 'e'].map((stream) => append(large(stream, 3))),
    append(large('huge', 9)),
    append(appendTo('small')),
  ]);
  expect(batches).toEqual([['a', 'b', 'small'], ['c', 'd'], ['e'], ['huge']]);
});

test('a batch has at most 500 appends', async () => {
  const { batches, append } = createRecordingCommit();
  await Promise.all(Array.from({ length: 1_100 }, (_, index) => append(appendTo(`s${index}`))));
  expect(batches.map((batch) => batch.length)).toEqual([500, 500, 100]);
});

test('each append gets its own outcome', async () => {
  const fault = new Error('fault');
  const { append, idle } = createRecordingCommit((stream) =>
    stream === 'lost' ? { lostStream: 'lost' } : stream === 'bad' ? { error: fault } : { position: 7n },
  );
  const results = await Promise.allSettled(['good', 'lost', 'bad', 'fine'].map((stream) => append(appendTo(stream))));
  expect(results).toEqual([
    { status: 'fulfilled', value: { position: 7n } },
    { status: 'rejected', reason: new ConcurrencyError('lost') },
    { status: 'rejected', reason: fault },
    { status: 'fulfilled', value: { position: 7n } },
  ]);
  await idle();
});

test('`idle` waits for running commits', async () => {
  const { append, idle } = createRecordingCommit();
  let isDone = false;
  const appending = append(appendTo('a')).then(() => {
    isDone = true;
  });
  await idle();
  await appending;
  expect(isDone).toBe(true);
});
