import { expect, test } from 'vitest';
import { queueAgain } from './queue-again.ts';

test('pages of pending emails follow each other, and begin again at the end', async () => {
  const rows = [1, 2, 3, 4, 5].map((n) => ({ id: String(n), jobId: `j${n}` }));
  const added: string[] = [];
  const { signal } = new AbortController();
  let after: (typeof rows)[number] | undefined;
  for (let run = 0; run < 4; run += 1) {
    ({ next: after } = await queueAgain(
      async (page) => rows.filter(({ id }) => id > (page.after?.id ?? '')).slice(0, page.limit),
      async ({ jobId }) => added.push(jobId),
      { after, limit: 2 },
      signal,
    ));
  }
  expect(added).toEqual(['j1', 'j2', 'j3', 'j4', 'j5', 'j1', 'j2']);
});
