import { expect, test } from 'vitest';
import { createProject, expectKnown, signUp } from '../../testing/requests.ts';
import { startSuite } from '../../testing/suite.ts';

const { api, send } = await startSuite();
const project = await createProject(send);
const get = (path: string) => send('GET', path, { ...project, access: 'admin' });

test('users are counted, anonymous ones separately', async () => {
  const settings = { access: 'admin' as const, body: { anonymous_sign_up_enabled: true } };
  await send('PATCH', '/internal/projects/current/settings', { ...project, ...settings });
  await signUp(send, project);
  const anonymous = await send('POST', '/auth/anonymous/sign-up', { ...project, body: {} });
  expect(anonymous.status).toBe(200);
  await expect
    .poll(async () => (await get('/internal/metrics/user-counts')).body, { timeout: 60_000 })
    .toEqual({ total_users: 1, anonymous_users: 1 });
});

test('the activity of a user is one entry per day, today last', async () => {
  const { accessToken: as, userId } = await signUp(send, project);
  await send('GET', '/users/me', { ...project, as });
  const today = api.deps.now().slice(0, 10);
  const read = async () => (await get(`/internal/user-activity?user_id=${userId}`)).body.data_points;
  await expect.poll(async () => (await read()).at(-1), { timeout: 60_000 }).toEqual({ date: today, activity: 1 });
  const points = await read();
  expect(points).toHaveLength(31);
  expect(points[0].activity).toBe(0);
  const nobody = '5d9c4f0e-7b1a-4c7e-8a61-2f6a5d9c4f0e';
  expectKnown(await get(`/internal/user-activity?user_id=${nobody}`), 404, 'USER_NOT_FOUND');
});
