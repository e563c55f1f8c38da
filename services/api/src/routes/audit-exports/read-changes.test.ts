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
    },
    permissions: [],
    digest: (json) => ({ bytes: json.length, sha256: '' }),
  });

test('what an event changed is unknown after an event that cannot be read', async () => {
  const unreadable = new UnreadableEventError({ type: 'TeamCreated', position: 7n }, 'cannot be read');
  expect(await readerOf(unreadable)(renamed, (event) => event)).toBeNull();
});

test('a failure of the log cuts an export off', async () => {
  await expect(readerOf(new Error('the log is away'))(renamed, (event) => event)).rejects.toThrow('the log is away');
});
