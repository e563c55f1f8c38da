import { expect, test } from 'vitest';
import { createProject, expectKnown, expectSchemaError, type OwnedProject, signUp } from '../../testing/requests.ts';
import { startSuite } from '../../testing/suite.ts';

const { api, send } = await startSuite();
const shop = await createProject(send);
const forum = await createProject(send);

type Query = Record<string, string | number | boolean>;
type Item = { id: string; type: string; text: string; at_millis: number };
const list = (project: OwnedProject, query: Query = {}) => {
  const search = new URLSearchParams(Object.entries(query).map(([key, value]) => [key, String(value)]));
  return send('GET', `/internal/audit-events?${search}`, { ...project, access: 'admin' });
};

async function pagesOf(project: OwnedProject, query: Query, between = async () => {}): Promise<Item[]> {
  const items: Item[] = [];
  for (let cursor: string | null = ''; cursor !== null; ) {
    const answer = await list(project, { ...query, ...(cursor && { cursor }) });
    expect(answer.status).toBe(200);
    items.push(...answer.body.items);
    cursor = answer.body.pagination.next_cursor;
    await between();
  }
  return items;
}

const rename = (project: OwnedProject, userId: string, name: string) =>
  send('PATCH', `/users/${userId}`, { ...project, access: 'server', body: { display_name: name } });
const fail = (project: OwnedProject, email: string) =>
  send('POST', '/auth/password/sign-in', { ...project, body: { email, password: 'wrong password' } });

test.each(['desc', 'asc'] as const)('pages in order %s contain each event and rejection once', async (order) => {
  const ann = await signUp(send, shop);
  for (let n = 0; n < 6; n += 1) {
    await rename(shop, ann.userId, `Ann ${n}`);
    if (n === 2) await fail(shop, ann.email);
  }
  const query = { target_id: ann.userId, include_technical: true, order };
  const whole = (await list(shop, { ...query, limit: 200 })).body.items as Item[];
  expect(whole.map(({ type }) => type)).toContain('CallRejected');
  for (const limit of [1, 2, 3, 7]) expect(await pagesOf(shop, { ...query, limit })).toEqual(whole);
  const times = whole.map(({ at_millis }) => at_millis);
  expect(times).toEqual([...times].sort((a, b) => (order === 'asc' ? a - b : b - a)));
});

test.each(['desc', 'asc'] as const)(
  'check 6: pages in order %s contain each event once while 16 writers append',
  async (order) => {
    const users = await Promise.all(Array.from({ length: 16 }, () => signUp(send, shop)));
    const names = Array.from({ length: 20 }, (_, n) => `before ${order} ${n}`);
    for (const [n, name] of names.entries()) await rename(shop, users[n % users.length]?.userId ?? '', name);
    let isDone = false;
    const writers = users.map(async ({ userId }, writer) => {
      for (let n = 0; !isDone; n += 1) await rename(shop, userId, `during ${order} ${writer} ${n}`);
    });
    const found = await pagesOf(shop, { type: 'UserRenamed', order, limit: 5 }, async () => {
      isDone ||= order === 'asc';
    });
    isDone = true;
    await Promise.all(writers);
    expect(new Set(found.map(({ id }) => id)).size).toBe(found.length);
    const texts = found.map(({ text }) => text).filter((text) => text.includes(`before ${order}`));
    const expected = names.map((name) => `Changed the display name to ${name}`);
    expect(texts).toEqual(order === 'asc' ? expected : expected.toReversed());
  },
);

test('check 3: a cursor belongs to its project, filters and order, and hides positions', async () => {
  for (const project of [shop, forum]) {
    const { userId } = await signUp(send, project);
    for (const name of ['A', 'B', 'C']) await rename(project, userId, name);
  }
  const query = { type: 'UserRenamed', limit: 1 };
  const cursorOf = async (more: Query = {}) => (await list(shop, { ...query, ...more })).body.pagination.next_cursor;
  const cursor = await cursorOf();
  expect((await list(shop, { ...query, cursor })).status).toBe(200);
  expectSchemaError(await list(forum, { ...query, cursor }), 'cursor');
  expectSchemaError(await list(shop, { ...query, limit: 1, order: 'asc', cursor }), 'cursor');
  expectSchemaError(await list(shop, { limit: 1, cursor }), 'cursor');
  expectSchemaError(await list(shop, { ...query, cursor: `${cursor.slice(0, -2)}xx` }), 'cursor');
  // Nothing in it depends on how many events of others lie between: all have one length.
  const later = await cursorOf({ cursor });
  expect(later).not.toBe(cursor);
  expect(later).toHaveLength(cursor.length);
});

test('check 3: the timeline of one project is not changed by what happens in another', async () => {
  const from = Date.now() - 60_000;
  const ann = await signUp(send, shop);
  await rename(shop, ann.userId, 'Ann');
  const timeline = async (project: OwnedProject) => {
    const search = `from_millis=${from}&until_millis=${from + 600_000}&buckets=10`;
    const answer = await send('GET', `/internal/audit-events/timeline?${search}`, { ...project, access: 'admin' });
    expect(answer.status).toBe(200);
    return answer.body.buckets as { count: number }[];
  };
  const sumOf = (buckets: { count: number }[]) => buckets.reduce((sum, { count }) => sum + count, 0);
  const [shopBefore, forumBefore] = [await timeline(shop), await timeline(forum)];
  const bob = await signUp(send, forum);
  await rename(forum, bob.userId, 'Bob');
  await fail(forum, bob.email);
  expect(sumOf(await timeline(forum))).toBeGreaterThan(sumOf(forumBefore) + 2);
  expect(await timeline(shop)).toEqual(shopBefore);
});

test('check 3: nothing of one project is in the audit log of another', async () => {
  const [ann, bob] = [await signUp(send, shop), await signUp(send, forum)];
  await rename(shop, ann.userId, 'Ann of the shop');
  await rename(forum, bob.userId, 'Bob of the forum');
  await fail(shop, ann.email);
  for (const [project, other, person] of [
    [shop, forum, bob],
    [forum, shop, ann],
  ] as const) {
    const query = { include_technical: true, limit: 200 };
    const text = JSON.stringify(await pagesOf(project, query));
    for (const canary of [other.projectId, person.userId, person.email, other.owner.userId, other.owner.email]) {
      expect(text).not.toContain(canary);
    }
    expect(text).not.toContain(project === shop ? 'of the forum' : 'of the shop');
    for (const filter of ['target_id', 'actor_id']) {
      expect((await list(project, { [filter]: person.userId })).body.items).toEqual([]);
    }
  }
  const [event] = (await list(shop, { target_id: ann.userId, type: 'UserRenamed' })).body.items;
  const [rejection] = (await list(shop, { target_id: ann.userId, outcome: 'rejected' })).body.items;
  for (const { id } of [event, rejection]) {
    const foreign = await send('GET', `/internal/audit-events/${id}`, { ...forum, access: 'admin' });
    expectKnown(foreign, 404, 'AUDIT_EVENT_NOT_FOUND');
  }
  expect(api.responseFaults).toEqual([]);
});
