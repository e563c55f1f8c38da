import type { Recorded } from '@gatebook/domain/event';
import { UnreadableEventError } from '@gatebook/eventlog/port';
import { expect, test } from 'vitest';
import { createChangeReader } from './read-changes.ts';

const at = '2026-01-15T12:00:00.000Z';
const teamId = '00000000-0000-4000-8000-000000000001';
const renamed = {
  ...{ id: 'renamed', stream: `team-${teamId}`, revision: 2n, position: 9n, committedAt: at },
  ...{ type: 'TeamRenamed', data: { teamId, displayName: 'Crew', at } },
} as unknown as Recorded;

const readerOf = (error: Error) =>
  createChangeReader({
    store: {
      async *readStreamPages() {
        yield [];
        throw error;
      },
      readEarlier: async () => [],
    },
    permissions: [],
    digest: (json) => ({ bytes: json.length, sha256: '' }),
  });

test('what an event changed is unknown after an event that cannot be read', async () => {
  const unreadable = new UnreadableEventError({ type: 'TeamCreated', position: 7n }, 'cannot be read');
  expect(await readerOf(unreadable).changesOf(renamed, (event) => event)).toBeNull();
});

test('a failure of the log cuts an export off', async () => {
  await expect(readerOf(new Error('the log is away')).changesOf(renamed, (event) => event)).rejects.toThrow(
    'the log is away',
  );
});

const idOf = (n: number) => `00000000-0000-4000-8000-${String(n).padStart(12, '0')}`;

function eventOf(n: number, revision: bigint, name: string): Recorded {
  const facts = { teamId: idOf(n), displayName: name, at };
  const type = revision === 0n ? 'TeamCreated' : 'TeamRenamed';
  return { ...renamed, stream: `team-${idOf(n)}`, revision, type, data: facts } as unknown as Recorded;
}

/** `reads`: of how many streams each read found the earlier events. */
function createWatchedReader(): { reader: ReturnType<typeof createChangeReader>; reads: number[] } {
  const reads: number[] = [];
  const reader = createChangeReader({
    store: {
      async *readStreamPages() {
        yield [];
        throw new Error('a stream is read alone');
      },
      readEarlier: async (events) => {
        reads.push(events.length);
        return events.flatMap(({ stream, revision }) =>
          Array.from({ length: Number(revision) }, (_, r) =>
            eventOf(Number(stream.slice(-12)), BigInt(r), `Name ${r}`),
          ),
        );
      },
    },
    permissions: [],
    digest: (json) => ({ bytes: json.length, sha256: '' }),
  });
  return { reader, reads };
}

test('what a page of events changed is read for many streams at once', async () => {
  const { reader, reads } = createWatchedReader();
  const page = Array.from({ length: 60 }, (_, n) => eventOf(n, 2n, 'Crew'));
  await reader.prepare(page, (event) => event);
  for (const event of page) {
    const change = { field: 'display_name', before: 'Name 1', after: 'Crew', is_redacted: false };
    expect(await reader.changesOf(event, (one) => one)).toEqual([change]);
  }
  expect(reads).toEqual([12, 12, 12, 12, 12]);
});

test('the states of a page are remembered for the next one, and then forgotten', async () => {
  const { reader, reads } = createWatchedReader();
  const pages = [
    [1, 2n],
    [1, 3n],
    [2, 2n],
    [3, 2n],
    [1, 4n],
  ] as const;
  for (const [n, revision] of pages) {
    const event = eventOf(n, revision, 'Crew');
    await reader.prepare([event], (one) => one);
    expect(await reader.changesOf(event, (one) => one)).toHaveLength(revision === 3n ? 0 : 1);
  }
  expect(reads).toEqual([1, 1, 1, 1]);
});
