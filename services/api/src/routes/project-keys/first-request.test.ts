import { describe, expect, test } from 'vitest';
import { createProject, type OwnedProject, unknownId } from '../../testing/requests.ts';
import { startSuite } from '../../testing/suite.ts';

const { api, send } = await startSuite();

const withKey = {};
/** As the dashboard does. */
const asOwner = ({ owner }: OwnedProject) => ({
  headers: { 'x-stack-super-secret-admin-key': '', 'x-stack-admin-access-token': owner.accessToken },
});

async function find(project: OwnedProject, access: object = asOwner(project)) {
  await Promise.all([api.deps.activity.flush(), api.deps.rejections.flush()]);
  const { status, body } = await send('GET', '/internal/first-request', { ...project, access: 'admin', ...access });
  expect(status).toBe(200);
  return body;
}

const rowsOf = async ({ projectId }: OwnedProject) =>
  (await api.pool.query('select * from activity.first_requests where project_id = $1', [projectId])).rows;

describe('the first request of a project', () => {
  test('is that of an app with a key, once, with what sent it', async () => {
    const project = await createProject(send);
    const ownPage = { 'sec-fetch-site': 'same-origin' };
    await send('GET', '/projects/current', { ...project, headers: ownPage });
    await send('GET', '/projects/current', { ...project, keys: { ...project.keys, client: 'pck_wrong' } });
    expect((await find(project)).first_request).toBeNull();
    const at = Date.parse(api.deps.now());
    const headers = { 'user-agent': 'curl/8.5.0', 'sec-fetch-site': 'cross-site' };
    expect((await send('GET', '/projects/current', { ...project, headers })).status).toBe(200);
    api.advance(120_000);
    await send('GET', '/users', { ...project, access: 'server', headers: { 'user-agent': 'node' } });
    const { first_request: first } = await find(project);
    expect(first).toEqual({
      at_millis: expect.any(Number),
      access_type: 'client',
      key: { id: expect.any(String), description: expect.any(String) },
      client: 'curl',
    });
    expect(first.at_millis - at).toBeLessThan(60_000);
    expect(await rowsOf(project)).toHaveLength(1);
  });

  test('is of an app that reaches the server through its own origin', async () => {
    const project = await createProject(send);
    const headers = { 'sec-fetch-site': 'same-origin', referer: 'https://app.example/' };
    await send('GET', '/projects/current', { ...project, headers });
    expect((await find(project)).first_request).not.toBeNull();
  });

  test('is forgotten with the project', async () => {
    const project = await createProject(send);
    await send('GET', '/projects/current', project);
    await api.deps.activity.forgetProject(project.projectId);
    await api.deps.activity.flush();
    expect(await rowsOf(project)).toEqual([]);
  });
});

describe('the latest rejection', () => {
  test('tells why, for an hour, and not of owners, of other projects and of what every app causes', async () => {
    const project = await createProject(send);
    const other = await createProject(send);
    await send('GET', `/users/${unknownId}`, { ...other, access: 'server' });
    expect((await find(project)).latest_rejection).toBeNull();
    const keys = { ...project.keys, server: 'ssk_wrong' };
    const rejected = await send('GET', '/users', { ...project, access: 'server', keys });
    expect(rejected.status).toBe(401);
    await expect.poll(async () => (await find(project)).latest_rejection).not.toBeNull();
    expect((await find(project)).latest_rejection).toEqual({
      request_id: rejected.headers['x-stack-request-id'],
      at_millis: expect.any(Number),
      error_code: 'INVALID_SECRET_SERVER_KEY',
      route: 'GET /api/v1/users',
      reason: expect.stringContaining('key'),
    });
    api.advance(60 * 60_000 + 1_000);
    expect((await find(project, withKey)).latest_rejection).toBeNull();
  });
});
