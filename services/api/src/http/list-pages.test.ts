import { describe, expect, test } from 'vitest';
import { createProject, expectSchemaError, newEmail, signUp } from '../testing/requests.ts';
import { startSuite } from '../testing/suite.ts';
import { toPagedList } from './list-pages.ts';

const { api, send } = await startSuite();
const project = await createProject(send, {
  config: { allow_user_api_keys: true, allow_team_api_keys: true, client_team_creation_enabled: true },
});
type Access = 'client' | 'server' | 'admin';
const call = async (method: string, path: string, body?: unknown, access: Access = 'admin') => {
  const answer = await send(method, path, { ...project, access, ...(body === undefined ? {} : { body }) });
  expect(answer.status, answer.text).toBeLessThan(300);
  return answer.body;
};

const user = await signUp(send, project);
const teams: string[] = [];
for (const name of ['Ann', 'Bob', 'Ann-Bob', 'Cid', '100%']) {
  teams.push((await call('POST', '/teams', { display_name: name, creator_user_id: user.userId })).id);
}
const [teamId = ''] = teams;
const callback_url = 'http://localhost:3000/handler/team-invitation';
const addressed = newEmail();
const recipient = await signUp(send, project, addressed);
const [channel] = (await call('GET', `/contact-channels?user_id=${recipient.userId}`)).items;
await call('PATCH', `/contact-channels/${recipient.userId}/${channel.id}`, { is_verified: true });
for (let nth = 0; nth < 5; nth += 1) {
  const { userId } = await signUp(send, project);
  await call('POST', `/team-memberships/${teamId}/${userId}`, {});
  for (const scope of ['team', 'project']) {
    await call('POST', `/${scope}-permission-definitions`, { id: `${scope}_${nth}`, description: `Number ${nth}` });
  }
  await call('POST', `/project-permissions/${userId}/project_${nth}`, {});
  await call('POST', `/project-permissions/${user.userId}/project_${nth}`, {});
  const newChannel = { user_id: user.userId, type: 'email', value: newEmail(), used_for_auth: false };
  await call('POST', '/contact-channels', newChannel);
  await call('POST', '/auth/sessions', { user_id: user.userId });
  await call('POST', '/team-invitations/send-code', { team_id: teamId, email: addressed, callback_url });
  const newKey = { description: 'k', expires_at_millis: null };
  await call('POST', '/user-api-keys', { ...newKey, user_id: user.userId });
  await call('POST', '/team-api-keys', { ...newKey, team_id: teamId });
}
// Otherwise users become active between two pages.
await api.deps.activity.flush();

const lists = [
  '/teams',
  '/teams?desc=true&order_by=created_at',
  `/teams?user_id=${user.userId}`,
  `/teams?user_id=${user.userId}&desc=true`,
  '/teams?query=n',
  '/team-permission-definitions',
  '/project-permission-definitions',
  '/team-permission-definitions?query=NUMBER',
  `/team-member-profiles?team_id=${teamId}`,
  '/team-member-profiles',
  `/team-invitations?team_id=${teamId}`,
  `/team-invitations?user_id=${recipient.userId}`,
  `/team-permissions?team_id=${teamId}&recursive=true`,
  `/team-permissions?user_id=${user.userId}&recursive=true`,
  '/project-permissions',
  `/project-permissions?user_id=${user.userId}`,
  '/contact-channels',
  `/contact-channels?user_id=${user.userId}`,
  `/auth/sessions?user_id=${user.userId}`,
  `/user-api-keys?user_id=${user.userId}`,
  `/team-api-keys?team_id=${teamId}`,
];
const withQuery = (list: string, query: string) => `${list}${list.includes('?') ? '&' : '?'}${query}`;

describe.each(lists)('%s', (list) => {
  test('is whole and without pages unless a page is requested', async () => {
    const { items, ...rest } = await call('GET', list);
    expect(rest).toEqual({ is_paginated: false });
    expect(items.length).toBeGreaterThanOrEqual(2);
  });

  test('returns the same entries in the same order in pages of any size', async () => {
    const whole = (await call('GET', list)).items;
    for (const limit of [1, 2, 3, whole.length, whole.length + 1]) {
      const found: unknown[] = [];
      let cursor: string | null = null;
      do {
        const page = await call('GET', withQuery(list, `limit=${limit}${cursor === null ? '' : `&cursor=${cursor}`}`));
        expect(page.is_paginated).toBe(true);
        expect(page.items.length).toBeLessThanOrEqual(limit);
        expect(page.items.length).toBeGreaterThan(0);
        found.push(...page.items);
        cursor = page.pagination.next_cursor;
      } while (cursor !== null);
      expect(found).toEqual(whole);
    }
  });

  test('rejects invented cursors and limits below 1', async () => {
    const invented = ['one two three four', 'Ä', '2026-01-01'].map((text) => Buffer.from(text).toString('base64url'));
    for (const cursor of [...invented, 'a'.repeat(513)]) {
      const answer = await send('GET', withQuery(list, `cursor=${cursor}`), { ...project, access: 'admin' });
      expectSchemaError(answer, 'query.cursor: ');
    }
    const none = await send('GET', withQuery(list, 'limit=0'), { ...project, access: 'admin' });
    expectSchemaError(none, 'query.limit: ');
  });
});

test('a page begins at its place even if its first entry is gone', async () => {
  const order = (await call('GET', '/teams')).items.map(({ id }: { id: string }) => id);
  const { pagination } = await call('GET', '/teams?limit=2');
  await call('DELETE', `/teams/${order[2]}`);
  const next = await call('GET', `/teams?limit=2&cursor=${pagination.next_cursor}`);
  expect(next.items.map(({ id }: { id: string }) => id)).toEqual(order.slice(3, 5));
});

test('a list that is too long for one response ends early with a cursor, which older clients ignore', () => {
  const whole = toPagedList({}, { rows: [1, 2], next: null }, String);
  expect(whole).toEqual({ items: ['1', '2'], is_paginated: false });
  const cut = toPagedList({}, { rows: [1, 2], next: ['3'] }, String);
  expect(cut).toEqual({ items: ['1', '2'], is_paginated: true, pagination: { next_cursor: expect.any(String) } });
});

describe('the list of teams', () => {
  const namesOf = async (query: string, access: Access = 'server') =>
    (await call('GET', `/teams?${query}`, undefined, access)).items.map(
      ({ display_name }: { display_name: string }) => display_name,
    );

  test('is searched by a part of the name in any case, without wildcards, and by ID', async () => {
    expect(await namesOf('query=ANN')).toContain('Ann');
    expect(await namesOf('query=cid')).toEqual(['Cid']);
    expect(await namesOf('query=%25')).toEqual(['100%']);
    expect(await namesOf(`query=${teamId}`)).toEqual(['Ann']);
    expect(await namesOf('query=')).toEqual(await namesOf(''));
    expect(await namesOf('query=nobody')).toEqual([]);
  });

  test('is sorted by creation only', async () => {
    expect(await namesOf('desc=true&order_by=created_at')).toEqual((await namesOf('')).toReversed());
    expectSchemaError(await send('GET', '/teams?order_by=name', { ...project, access: 'server' }), 'query.order_by');
  });

  test('has pages for clients too', async () => {
    const as = { ...project, as: user.accessToken };
    const { body } = await send('GET', '/teams?user_id=me&limit=1', as);
    expect(body).toMatchObject({ items: [{ id: teamId }], pagination: { next_cursor: expect.any(String) } });
  });
});
