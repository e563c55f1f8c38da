import { beforeAll, describe, expect, test } from 'vitest';
import { createProject, expectSchemaError, newEmail, signUp } from '../../testing/requests.ts';
import { startSuite } from '../../testing/suite.ts';
import { asServer, userCallsOf } from '../../testing/users.ts';

const { api, send } = await startSuite();
const project = await createProject(send);
const { create } = userCallsOf(send, project);

const ids: Record<'regular' | 'anonymous' | 'banned' | 'unverified', string> = {
  regular: (await create({ primary_email: newEmail(), primary_email_verified: true })).body.id,
  anonymous: (await create({ is_anonymous: true })).body.id,
  banned: (await create({ primary_email: newEmail(), primary_email_verified: true, restricted_by_admin: true })).body
    .id,
  unverified: (await create({ primary_email: newEmail() })).body.id,
};
const nameOf = (id: string) => Object.entries(ids).find(([, known]) => known === id)?.[0];

async function listed(query: string, version?: string): Promise<unknown[]> {
  const headers: Record<string, string> = version ? { 'x-stack-client-version': version } : {};
  const answer = await send('GET', `/users${query}`, { ...project, ...asServer, headers });
  expect(answer.status).toBe(200);
  return answer.body.items.map(({ id }: { id: string }) => nameOf(id));
}
const everybody = ['regular', 'anonymous', 'banned', 'unverified'];
const library = (patch: number, name = '@stackframe/js') => `js ${name}@2.8.${patch}`;

describe('a list of users', () => {
  test.each([
    ['callers without a library', undefined, everybody],
    ['our own library', 'js @gatebook/js@0.1.0', everybody],
    ['libraries before 2.8.39', library(36), everybody],
    ['libraries from 2.8.39 on', library(39), ['regular', 'banned', 'unverified']],
    ['libraries from 2.8.58 on', library(58), ['regular', 'unverified']],
    ['the newest library', library(108, '@hexclave/js'), ['regular', 'unverified']],
  ])('for %s has the users that they expect', async (_, version, expected) => {
    expect(await listed('', version)).toEqual(expected);
  });

  test.each([
    ['?include_anonymous=true', everybody],
    ['?include_anonymous=true&include_restricted=false', ['regular', 'anonymous', 'unverified']],
    ['?include_restricted=true', ['regular', 'banned', 'unverified']],
    ['?only_anonymous=true', ['anonymous']],
    ['?include_anonymous=true&only_anonymous=true&order_by=last_active_at', ['anonymous']],
  ])('%s has the users that the newest library asks for', async (query, expected) => {
    expect(await listed(query, library(108))).toEqual(expected);
  });

  test('without anonymous or restricted users can be asked for by every caller', async () => {
    expect(await listed('?include_anonymous=false')).toEqual(['regular', 'banned', 'unverified']);
    expect(await listed('?include_restricted=false')).toEqual(['regular', 'anonymous', 'unverified']);
    expect(await listed('?include_anonymous=no').catch(() => 'rejected')).toBe('rejected');
  });

  test('leaves out unverified users where a verified address is required', async () => {
    const settings = '/internal/projects/current/settings';
    const require = (email_verification_required: boolean) =>
      send('PATCH', settings, { ...project, access: 'admin', body: { email_verification_required } });
    await require(true);
    expect(await listed('', library(108))).toEqual(['regular']);
    expect(await listed('?include_restricted=true', library(108))).toEqual(['regular', 'banned', 'unverified']);
    expect(await listed('', library(39))).toEqual(['regular', 'banned', 'unverified']);
    await require(false);
  });
});

describe('a list by activity', async () => {
  const active = await createProject(send);
  const users: string[] = [];
  beforeAll(async () => {
    for (let n = 0; n < 5; n += 1) {
      users.push((await signUp(send, active)).userId);
      api.advance(1000);
    }
    await api.deps.activity.flush();
  });
  const page = async (query: string) =>
    (await send('GET', `/users?order_by=last_active_at&${query}`, { ...active, ...asServer })).body;
  const idsOf = ({ items }: { items: { id: string }[] }) => items.map(({ id }) => id);

  test('has pages without gaps, latest activity first', async () => {
    const first = await page('desc=true&limit=2');
    const second = await page(`desc=true&limit=2&cursor=${first.pagination.next_cursor}`);
    const third = await page(`desc=true&limit=2&cursor=${second.pagination.next_cursor}`);
    expect([first, second, third].flatMap(idsOf)).toEqual(users.toReversed());
    expect(third.pagination.next_cursor).toBeNull();
    expect(idsOf(await page(''))).toEqual(users);
  });

  test('accepts a user ID as the cursor', async () => {
    expect(idsOf(await page(`cursor=${users[3]}`))).toEqual(users.slice(3));
  });

  test('rejects other cursors and orders', async () => {
    for (const query of ['cursor=x', `cursor=x.${users[0]}`, 'order_by=name']) {
      expectSchemaError(await send('GET', `/users?${query}`, { ...active, ...asServer }));
    }
  });
});
