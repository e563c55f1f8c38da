import { expect, test } from 'vitest';
import { createProject, expectKnown, expectSchemaError, signUp } from '../../testing/requests.ts';
import { startSuite } from '../../testing/suite.ts';

const { api, send } = await startSuite();
const project = await createProject(send);
const get = (path: string, of = project) => send('GET', `/internal/analytics${path}`, { ...of, access: 'admin' });
const last = (counts: readonly number[]) => counts.at(-1);

test('sign-ups, sign-ins and active users are counted in the present interval, with the people of the interval', async () => {
  const { userId } = await signUp(send, project);
  const asked = '?range=7d&compare=true&group_by=method&measure=';
  for (const measure of ['sign_ups', 'sign_ins', 'active_users']) {
    await expect.poll(async () => last((await get(`${asked}${measure}`)).body.counts), { timeout: 60_000 }).toBe(1);
  }
  const { body } = await get(`${asked}sign_ups`);
  expect(body).toMatchObject({ unit: 'day', total: 1, groups: [{ value: 'password' }], counted_since_millis: null });
  expect(body.intervals).toHaveLength(7);
  expect(body.before).toMatchObject({ total: 0, counts: [0, 0, 0, 0, 0, 0, 0] });
  expect(body.before.end_millis).toBe(body.intervals[0].start_millis);
  expect(body.before.intervals.map(({ start_millis: start }: { start_millis: number }) => start)).toEqual(
    body.intervals.map(({ start_millis: start }: { start_millis: number }) => start - 7 * 24 * 60 * 60_000),
  );
  expect(body.before.intervals.at(-1).people).toMatchObject({ signed_up_until_millis: `${body.before.end_millis}` });
  const { start_millis: start, end_millis: end, people } = body.intervals.at(-1);
  expect(start).toBe(Date.parse(`${api.deps.now().slice(0, 10)}T00:00:00Z`));
  expect(end - start).toBe(24 * 60 * 60_000);
  const hours = '?range=24h&measure=active_users';
  for (const query of [`${asked}sign_ups`, `${asked}active_users`, `${asked}sign_ins`, hours]) {
    const { intervals } = (await get(query)).body;
    const search = new URLSearchParams(intervals.at(-1).people);
    const { items } = (await send('GET', `/internal/users?${search}`, { ...project, access: 'admin' })).body;
    expect(items.map(({ id }: { id: string }) => id)).toEqual([userId]);
  }
  expect(people).toEqual({ signed_up_from_millis: `${start}`, signed_up_until_millis: `${end}`, anonymous: 'false' });
});

test.each([
  ['24h', 'hour', 24],
  ['7d', 'day', 7],
  ['30d', 'week', 5],
  ['90d', 'month', 3],
  ['1y', 'month', 12],
  ['1y', 'day', 365],
])('a range of %s has intervals of a %s each', async (range, unit, count) => {
  const { body } = await get(`?measure=active_users&range=${range}&unit=${unit}`);
  expect(body.intervals).toHaveLength(count);
  expect(body.counts).toHaveLength(count);
  expect(body.before).toBeNull();
  expect(last(body.counts)).toBe(1);
  expect(body.total).toBe(1);
});

test('a unit that does not fit the range is rejected', async () => {
  const message = 'unit month does not fit range 7d';
  expectKnown(await get('?measure=sign_ups&range=7d&unit=month'), 400, 'SCHEMA_ERROR', { message });
});

test('retention has twelve weeks, and the funnel counts users by step', async () => {
  const { cohorts } = (await get('/retention')).body;
  expect(cohorts).toHaveLength(12);
  expect(cohorts.at(-1)).toMatchObject({ users: 1, active: [1] });
  const { body } = await get('/funnel?range=30d');
  expect(body).toMatchObject({ signed_up: 1, verified: 0, returned: 0, is_complete: true });
});

test('other projects count nothing', async () => {
  const other = await createProject(send);
  expect((await get('?measure=sign_ups&range=30d&group_by=country', other)).body).toMatchObject({
    total: 0,
    groups: [],
  });
  expect((await get('/funnel?range=1y', other)).body.signed_up).toBe(0);
  expect((await get('/retention', other)).body.cohorts.every(({ users }: { users: number }) => users === 0)).toBe(true);
});

test('the people of a group or a step are found and counted by their point', async () => {
  const { intervals } = (await get('?range=7d&measure=sign_ins')).body;
  const { start_millis: start, end_millis: end } = intervals.at(-1);
  const find = async (counted: string) => {
    const search = new URLSearchParams({ counted });
    const { items } = (await send('GET', `/internal/users?${search}`, { ...project, access: 'admin' })).body;
    const { body } = await send('GET', `/internal/users/count?${search}`, { ...project, access: 'admin' });
    expect(body).toEqual({ count: items.length, is_complete: true });
    return items.length;
  };
  expect(await find(`sign_ins:${start}-${end}:method:password`)).toBe(1);
  expect(await find(`sign_ins:${start}-${end}:method:otp`)).toBe(0);
  expect(await find(`sign_ups:${start}-${end}:country:`)).toBe(1);
  expect(await find(`joined:${start}-${end}`)).toBe(1);
  expect(await find(`verified:${start}-${end}`)).toBe(0);
});

test.each(['sign_ups', 'sign_ups:5-4', 'sign_ins:1-2:cats:x', 'active_users:0-99999999999999'])(
  '%s is no point',
  async (counted) => {
    const search = new URLSearchParams({ counted });
    expectSchemaError(await send('GET', `/internal/users?${search}`, { ...project, access: 'admin' }), 'query.counted');
  },
);
