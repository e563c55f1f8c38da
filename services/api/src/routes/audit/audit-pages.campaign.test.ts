import { pause } from '@gatebook/runtime/pause';
import { sized } from '@gatebook/runtime/testing/campaign';
import { expect, test } from 'vitest';
import { createProject, signUp } from '../../testing/requests.ts';
import { startSuite } from '../../testing/suite.ts';

const { api, send } = await startSuite();
const project = await createProject(send);

type Page = { items: { id: string; text: string }[]; pagination: { next_cursor: string | null } };
async function readPage(order: string, limit: number, cursor: string | null): Promise<Page> {
  const query = new URLSearchParams({ type: 'UserRenamed', order, limit: String(limit), ...(cursor && { cursor }) });
  const answer = await send('GET', `/internal/audit-events?${query}`, { ...project, access: 'admin' });
  expect(answer.status).toBe(200);
  return answer.body;
}

const events = sized({ inTest: 200, inCampaign: 10_000 });
const perAppend = 100;
const pageSize = sized({ inTest: 20, inCampaign: 200 });

/** Past the API, which would take a minute. @returns the texts of their entries, in order */
async function renameOften(userId: string): Promise<string[]> {
  const { store } = api.deps;
  const stream = `user-${userId}`;
  let { revision: expected } = await store.readStream(stream);
  const names = Array.from({ length: events }, (_, n) => `before ${n}`);
  for (let from = 0; from < events; from += perAppend) {
    const renames = names.slice(from, from + perAppend).map((displayName) => {
      return { type: 'UserRenamed', data: { userId, displayName, at: api.deps.now() } };
    });
    await store.append([{ stream, expected, events: renames }], {
      projectId: project.projectId,
      actor: { kind: 'system', id: null },
      requestId: `renames from ${from}`,
      correlationId: 'renames',
      causationId: null,
      sessionId: null,
      basis: {},
      origin: null,
    });
    expected += BigInt(renames.length);
  }
  return names.map((name) => `Changed the display name to ${name}`);
}

test('check 6: pages of many events contain each once, in both orders, while 16 writers append', async () => {
  const { userId } = await signUp(send, project);
  const expected = await renameOften(userId);
  const writers = await Promise.all(Array.from({ length: 16 }, () => signUp(send, project)));
  let isOver = false;
  const writing = writers.map(async (writer) => {
    for (let n = 0; !isOver; n += 1) {
      const call = { ...project, access: 'server', body: { display_name: `during ${n}` } } as const;
      expect((await send('PATCH', `/users/${writer.userId}`, call)).status).toBe(200);
      // Readers get a turn.
      await pause(50);
    }
  });
  for (const order of ['asc', 'desc']) {
    const items: Page['items'] = [];
    let cursor: string | null = null;
    const isComplete = () => items.filter(({ text }) => text.includes('before')).length >= expected.length;
    let pages = 0;
    do {
      const page: Page = await readPage(order, pageSize, cursor);
      items.push(...page.items);
      cursor = page.pagination.next_cursor;
      pages += 1;
      // In ascending order there is always another page while somebody writes.
    } while (cursor !== null && !(order === 'asc' && (isComplete() || pages > (3 * events) / pageSize)));
    expect(new Set(items.map(({ id }) => id)).size).toBe(items.length);
    const texts = items.map(({ text }) => text).filter((text) => text.includes('before'));
    expect(texts).toEqual(order === 'asc' ? expected : expected.toReversed());
  }
  isOver = true;
  await Promise.all(writing);
});
