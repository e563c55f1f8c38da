import { expect, test } from 'vitest';
import { changeSettings, createProject, expectSchemaError, signUp } from '../../testing/requests.ts';
import { startSuite } from '../../testing/suite.ts';

const { send } = await startSuite();
const project = await createProject(send, {});
const asServer = { ...project, access: 'server' as const };
const asAdmin = { ...project, access: 'admin' as const };

const ids = new Map<string, string>();
for (const name of ['beta', 'Alpha 2', 'äther', 'alpha 10', 'Zoë 🎉', 'alpha 2']) {
  const { body } = await send('POST', '/teams', { ...asServer, body: { display_name: name } });
  ids.set(name, body.id);
}
const [ann, bob] = [await signUp(send, project), await signUp(send, project)];
const join = (team: string, { userId }: { userId: string }) =>
  send('POST', `/team-memberships/${ids.get(team)}/${userId}`, { ...asServer, body: {} });
await join('beta', ann);
await join('beta', bob);
await join('äther', bob);

type Item = { id: string; display_name: string; member_count: number };
const search = async (query: string) => {
  const answer = await send('GET', `/internal/teams?${query}`, asAdmin);
  expect(answer.status).toBe(200);
  return answer.body as { items: Item[]; pagination?: { next_cursor: string | null } };
};
const names = async (query: string) => (await search(query)).items.map(({ display_name }) => display_name);

/** All pages of a search, `limit` teams each. */
async function pagesOf(query: string, limit: number): Promise<string[][]> {
  const pages: string[][] = [];
  for (let cursor: string | null = ''; cursor !== null; ) {
    const page = await search(`${query}&limit=${limit}${cursor && `&cursor=${cursor}`}`);
    pages.push(page.items.map(({ display_name }) => display_name));
    cursor = page.pagination?.next_cursor ?? null;
  }
  return pages;
}

const byName = ['alpha 10', 'alpha 2', 'äther', 'beta', 'Zoë 🎉'];
const withoutCase = (list: string[]) => list.map((name) => name.replace('Alpha', 'alpha'));

test('teams are sorted by time of creation, with their numbers of members', async () => {
  const { items } = await search('desc=true');
  expect(items[0]).toEqual({
    id: ids.get('alpha 2'),
    display_name: 'alpha 2',
    created_at_millis: expect.any(Number),
    member_count: 0,
  });
  expect(items.at(-1)).toMatchObject({ display_name: 'beta', member_count: 2 });
});

test.each([1, 2, 3])('names are sorted without regard to case and marks, in pages of %i', async (limit) => {
  const found = (await pagesOf('order_by=display_name', limit)).flat();
  expect([...new Set(withoutCase(found))]).toEqual(byName);
  expect(found).toHaveLength(6);
  const reversed = (await pagesOf('order_by=display_name&desc=true', limit)).flat();
  expect(reversed).toEqual(found.toReversed());
});

test('teams are sorted by their numbers of members, in pages', async () => {
  const pages = await pagesOf('order_by=member_count&desc=true', 2);
  expect(pages[0]).toEqual(['beta', 'äther']);
  expect(pages.flat()).toHaveLength(6);
  expect((await pagesOf('order_by=member_count', 4)).flat()).toEqual(pages.flat().toReversed());
});

test('teams are found by part of a name, or by ID', async () => {
  expect((await names('query=ALPHA&order_by=display_name')).toSorted()).toEqual(['Alpha 2', 'alpha 10', 'alpha 2']);
  expect(await names(`query=${ids.get('beta')}`)).toEqual(['beta']);
  expect(await names('query=%25')).toEqual([]);
});

test('a user who is deleted is counted no longer', async () => {
  const eve = await signUp(send, project);
  await join('alpha 10', eve);
  const count = async () => (await search(`query=${ids.get('alpha 10')}`)).items[0]?.member_count;
  expect(await count()).toBe(1);
  await send('DELETE', `/users/${eve.userId}`, asServer);
  expect(await count()).toBe(0);
});

test('members who are deleted, and deleted teams, are counted again when they are restored', async () => {
  const own = await createProject(send, {});
  await changeSettings(send, own, { user_deletion_grace_days: 30, team_deletion_grace_days: 30 });
  const as = (access: 'server' | 'admin') => (method: string, path: string, body?: object) =>
    send(method, path, { ...own, access, ...(body && { body }) });
  const [server, admin] = [as('server'), as('admin')];
  const { body: team } = await server('POST', '/teams', { display_name: 'Crew' });
  const [eve, dan] = [await signUp(send, own), await signUp(send, own)];
  const join = ({ userId }: { userId: string }) => server('POST', `/team-memberships/${team.id}/${userId}`, {});
  const counts = async () => {
    const { body } = await admin('GET', '/internal/teams?order_by=member_count');
    return (body.items as Item[]).map((item) => item.member_count);
  };
  const steps: [() => Promise<unknown>, number[]][] = [
    [() => join(eve), [1]],
    [() => join(dan), [2]],
    [() => server('DELETE', `/users/${eve.userId}`), [1]],
    [() => server('DELETE', `/teams/${team.id}`), []],
    [() => admin('POST', `/internal/users/${eve.userId}/restore`, {}), []],
    [() => admin('POST', `/internal/teams/${team.id}/restore`, {}), [2]],
    [() => server('DELETE', `/users/${eve.userId}`), [1]],
    [() => admin('POST', `/internal/users/${eve.userId}/erase`, {}), [1]],
    [() => server('DELETE', `/team-memberships/${team.id}/${dan.userId}`), [0]],
  ];
  for (const [step, expected] of steps) {
    await step();
    expect(await counts()).toEqual(expected);
  }
});

test('a cursor of another order, or of no text, is rejected', async () => {
  const { pagination } = await search('order_by=display_name&limit=1');
  const message = 'query.cursor: must be the next_cursor of a page of this list';
  const cursors = [
    `cursor=${pagination?.next_cursor}`,
    `order_by=display_name&cursor=${Buffer.from(`ff ${ids.get('beta')}`).toString('base64url')}`,
    `order_by=display_name&cursor=${Buffer.from(`00 ${ids.get('beta')}`).toString('base64url')}`,
  ];
  for (const query of cursors) expectSchemaError(await send('GET', `/internal/teams?${query}`, asAdmin), message);
});

test('long names are told apart by their ID beyond 40 characters', async () => {
  const long = '🎉'.repeat(60);
  for (const end of ['a', 'b', 'c']) await send('POST', '/teams', { ...asServer, body: { display_name: long + end } });
  const found = (await pagesOf(`query=${encodeURIComponent(long)}&order_by=display_name`, 1)).flat();
  expect(found.toSorted()).toEqual(['a', 'b', 'c'].map((end) => long + end));
});
