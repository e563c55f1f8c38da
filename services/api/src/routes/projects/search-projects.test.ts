import { testDeadlineMs } from '@gatebook/runtime/testing/deadlines';
import { expect, test } from 'vitest';
import { createProject, expectSchemaError, signUp } from '../../testing/requests.ts';
import { startSuite } from '../../testing/suite.ts';

const { send } = await startSuite();
const ann = await signUp(send);
const bob = await signUp(send);

const create = async (owner: { accessToken: string }, display_name: string): Promise<string> => {
  const { status, body } = await send('POST', '/internal/projects', { as: owner.accessToken, body: { display_name } });
  expect(status, JSON.stringify(body)).toBe(201);
  return body.id;
};
const ids = new Map<string, string>();
for (const name of ['beta', 'Alpha 2', 'äther', 'alpha 10', 'Zoë 🎉']) ids.set(name, await create(ann, name));
await create(bob, 'alpha of Bob');
const idOf = (name: string) => ids.get(name) ?? '';

type Item = {
  id: string;
  display_name: string;
  user_count: number;
  created_at_millis: number;
  last_active_at_millis: number | null;
};
const search = async (query: string, owner = ann) => {
  const answer = await send('GET', `/internal/projects/search?${query}`, { as: owner.accessToken });
  expect(answer.status).toBe(200);
  return answer.body as { items: Item[]; pagination?: { next_cursor: string | null } };
};
const names = async (query: string) => (await search(query)).items.map(({ display_name }) => display_name);

/** Names on all pages of a search, `limit` projects each. */
async function allPages(query: string, limit: number): Promise<string[]> {
  const found: string[] = [];
  for (let cursor: string | null = ''; cursor !== null; ) {
    const page = await search(`${query}&limit=${limit}${cursor && `&cursor=${cursor}`}`);
    expect(page.items.length).toBeLessThanOrEqual(limit);
    found.push(...page.items.map(({ display_name }) => display_name));
    cursor = page.pagination?.next_cursor ?? null;
  }
  return found;
}

const byName = ['alpha 10', 'Alpha 2', 'äther', 'beta', 'Zoë 🎉'];
const byCreation = ['beta', 'Alpha 2', 'äther', 'alpha 10', 'Zoë 🎉'];

test('a project is listed with the role of the caller and without its configuration', async () => {
  const { items } = await search(`id=${idOf('beta')}`);
  expect(items).toEqual([
    {
      id: idOf('beta'),
      display_name: 'beta',
      description: '',
      is_production_mode: false,
      user_count: 0,
      role: 'owner',
      created_at_millis: expect.any(Number),
      last_active_at_millis: null,
    },
  ]);
});

test.each([1, 2, 5])('projects are sorted by name or time of creation, in pages of %i', async (limit) => {
  expect(await allPages('order_by=display_name', limit)).toEqual(byName);
  expect(await allPages('order_by=display_name&desc=true', limit)).toEqual(byName.toReversed());
  expect(await allPages('order_by=created_at', limit)).toEqual(byCreation);
  expect(await allPages('order_by=created_at&desc=true', limit)).toEqual(byCreation.toReversed());
});

test('projects are found by part of a name or an ID, and only those of the caller', async () => {
  expect(await names('query=ALPHA')).toEqual(['alpha 10', 'Alpha 2']);
  expect(await names(`query=${idOf('beta').slice(0, 23)}`)).toEqual(['beta']);
  expect(await names('query=%25')).toEqual([]);
  expect((await search(`id=${idOf('beta')}`, bob)).items).toEqual([]);
});

test('projects are sorted by numbers of users and by the last activity of any of them', async () => {
  const app = await createProject(send);
  await create(app.owner, 'unused');
  const user = await signUp(send, app);
  await send('GET', '/users/me', { ...app, as: user.accessToken });
  const listed = async (query: string) => (await search(query, app.owner)).items;
  expect(await listed('order_by=user_count&desc=true')).toMatchObject([{ user_count: 1 }, { display_name: 'unused' }]);
  await expect
    .poll(() => listed('order_by=last_active_at&desc=true'))
    .toMatchObject([{ id: app.projectId, last_active_at_millis: expect.any(Number) }, { display_name: 'unused' }]);
  expect(await listed('order_by=last_active_at&limit=1')).toMatchObject([{ last_active_at_millis: null }]);
});

test('a cursor of another order is rejected', async () => {
  const { pagination } = await search('limit=1&order_by=created_at');
  const answer = await send(
    'GET',
    `/internal/projects/search?order_by=display_name&cursor=${pagination?.next_cursor}`,
    {
      as: ann.accessToken,
    },
  );
  expectSchemaError(answer, 'query.cursor: must be the next_cursor of a page of this list');
});

test('500 projects are searched, sorted and paged like few', { timeout: testDeadlineMs }, async () => {
  const quotas = { projects_per_owner: 1_000 };
  expect(
    (await send('PATCH', '/internal/projects/current/settings', { access: 'admin', body: { quotas } })).status,
  ).toBe(200);
  const carl = await signUp(send);
  const created = Array.from({ length: 500 }, (_, n) => `Shop ${String((n * 7) % 500).padStart(3, '0')}`);
  // Projects of an owner count towards one quota, so too many at once conflict.
  for (let n = 0; n < created.length; n += 4) {
    await Promise.all(created.slice(n, n + 4).map((name) => create(carl, name)));
  }
  const pages = async (query: string) => {
    const found: Item[] = [];
    for (let cursor: string | null = ''; cursor !== null; ) {
      const page = await search(`${query}&limit=24${cursor && `&cursor=${cursor}`}`, carl);
      expect(page.items.length).toBeLessThanOrEqual(24);
      found.push(...page.items);
      cursor = page.pagination?.next_cursor ?? null;
    }
    return found;
  };
  const sorted = created.toSorted();
  const nameOf = ({ display_name }: Item) => display_name;
  expect((await pages('order_by=display_name')).map(nameOf)).toEqual(sorted);
  expect((await pages('order_by=display_name&desc=true')).map(nameOf)).toEqual(sorted.toReversed());
  const byTime = await pages('order_by=created_at');
  expect(byTime.map(nameOf).toSorted()).toEqual(sorted);
  const times = byTime.map(({ created_at_millis: at }) => at);
  expect(times).toEqual(times.toSorted((a, b) => a - b));
  expect((await pages('query=SHOP%2041')).map(nameOf)).toEqual(sorted.slice(410, 420));
  expect((await pages(`query=${byTime[499]?.id}`)).map(nameOf)).toEqual([byTime[499]?.display_name]);
  expect(await names('query=Shop%204')).toEqual([]);
});
