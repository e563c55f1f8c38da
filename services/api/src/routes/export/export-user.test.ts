import { afterAll, beforeAll, expect, test } from 'vitest';
import { startTestApi, type TestApi } from '../../testing/api.ts';
import {
  createProject,
  expectKnown,
  expectPlain,
  type OwnedProject,
  password,
  type Send,
  senderOf,
  signUp,
} from '../../testing/requests.ts';

let api: TestApi;
let send: Send;
let project: OwnedProject;
let other: OwnedProject;

beforeAll(async () => {
  api = await startTestApi();
  send = senderOf(api);
  const config = { allow_user_api_keys: true, client_team_creation_enabled: true };
  [project, other] = await Promise.all([createProject(send, { config }), createProject(send)]);
});
afterAll(() => api.close());

const unknownId = '5d9c4f0e-7b1a-4c7e-8a61-2f6a5d9c4f0e';

async function livedIn() {
  const user = await signUp(send, project);
  const as = (method: string, path: string, body?: unknown) =>
    send(method, path, { ...project, as: user.accessToken, ...(body === undefined ? {} : { body }) });
  const asServer = (method: string, path: string, body?: unknown) =>
    send(method, path, { ...project, access: 'server', ...(body === undefined ? {} : { body }) });
  const team = (await as('POST', '/teams', { display_name: 'Crew' })).body;
  const newKey = { description: 'laptop', expires_at_millis: null, user_id: 'me' };
  const key = (await as('POST', '/user-api-keys', newKey)).body;
  await asServer('PATCH', `/users/${user.userId}`, { server_metadata: { note: 'for servers' } });
  return { user, as, asServer, team, key };
}

test('a person gets all that is kept about them, and nothing that lets somebody in', async () => {
  const { user, as, team, key } = await livedIn();
  const answer = await as('GET', '/users/me/export');
  expect(answer.status).toBe(200);
  expect(answer.headers['content-disposition']).toBe(`attachment; filename="user-${user.userId}.json"`);
  const { body } = answer;
  expect(body.user).toEqual((await as('GET', '/users/me')).body);
  expect(body.contact_channels).toMatchObject([{ value: user.email, is_primary: true }]);
  expect(body.sessions).toHaveLength(1);
  expect(body.teams).toMatchObject([{ id: team.id, display_name: 'Crew' }]);
  expect(body.team_member_profiles).toMatchObject([{ team_id: team.id, user_id: user.userId }]);
  expect(body.team_permissions).toEqual([{ id: 'team_admin', user_id: user.userId, team_id: team.id }]);
  expect(body.project_permissions).toEqual([]);
  expect(body.api_keys).toMatchObject([{ id: key.id, value: { last_four: key.value.slice(-4) } }]);
  const texts = body.history.map(({ text }: { text: string }) => text);
  expect(texts[0]).toBe('All that is kept about the user was exported');
  expect(texts).toContain('Created the team Crew');
  for (const secret of [password, user.refreshToken, user.accessToken, key.value, 'argon2', 'for servers']) {
    expect(answer.text).not.toContain(secret);
  }
  expect((await as('GET', `/users/${user.userId}/export`)).status).toBe(200);
});

test('a server gets anybody’s of its project, with what servers know', async () => {
  const { user, asServer } = await livedIn();
  const { body } = await asServer('GET', `/users/${user.userId}/export`);
  expect(body.user).toMatchObject({ id: user.userId, server_metadata: { note: 'for servers' } });
  expect(body.history[0]).toMatchObject({ type: 'UserExported', actor: { kind: 'server' } });
});

test('nobody gets somebody else’s', async () => {
  const { user } = await livedIn();
  const stranger = await signUp(send, project);
  const path = `/users/${user.userId}/export`;
  expectPlain(await send('GET', path, { ...project, as: stranger.accessToken }), 403);
  expectKnown(await send('GET', path, project), 400, 'CANNOT_GET_OWN_USER_WITHOUT_USER');
  expectKnown(await send('GET', path, { ...other, access: 'server' }), 404, 'USER_NOT_FOUND');
  const unknown = await send('GET', `/users/${unknownId}/export`, { ...project, access: 'server' });
  expectKnown(unknown, 404, 'USER_NOT_FOUND');
  await send('DELETE', `/users/${user.userId}`, { ...project, access: 'server' });
  expectKnown(await send('GET', path, { ...project, access: 'server' }), 404, 'USER_NOT_FOUND');
});
