import { randomBytes } from 'node:crypto';
import { recordEmailFailed, recordEmailSent } from '@gatebook/commands/email/email';
import { contextOf } from '@gatebook/commands/testing/world';
import { recordExport } from '@gatebook/commands/user/export-user';
import { expect, test } from 'vitest';
import { mailTo } from '../../testing/mailbox.ts';
import { createProject, expectKnown, expectPlain, password, signUp, unknownId } from '../../testing/requests.ts';
import { startSuite } from '../../testing/suite.ts';

const { api, send } = await startSuite({ trustedProxies: ['loopback'] });
const config = { allow_user_api_keys: true, client_team_creation_enabled: true };
const [project, other] = await Promise.all([createProject(send, { config }), createProject(send)]);

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

test('a user’s export contains all stored data and no credentials', async () => {
  const { user, as, team, key } = await livedIn();
  const totpSecret = randomBytes(20).toString('base64');
  await as('PATCH', '/users/me', { totp_secret_base64: totpSecret });
  const { code, link } = await mailTo(api, user.email);
  const answer = await as('GET', '/users/me/export');
  expect(answer.status).toBe(200);
  expect(answer.headers['content-disposition']).toBe(`attachment; filename="user-${user.userId}.json"`);
  const { body } = answer;
  expect(body.user).toEqual({
    ...(await as('GET', '/users/me')).body,
    primary_email_auth_enabled: true,
    last_active_at_millis: expect.any(Number),
    restricted_by_admin_reason: null,
    country_code: null,
    risk_scores: { sign_up: { bot: 0, free_trial_abuse: 0 } },
  });
  expect(body.contact_channels).toMatchObject([{ value: user.email, is_primary: true }]);
  expect(body.sessions).toHaveLength(1);
  expect(body.teams).toMatchObject([{ id: team.id, display_name: 'Crew' }]);
  expect(body.team_member_profiles).toMatchObject([{ team_id: team.id, user_id: user.userId }]);
  expect(body.team_permissions).toEqual([{ id: 'team_admin', user_id: user.userId, team_id: team.id }]);
  expect(body.project_permissions).toEqual([]);
  expect(body.api_keys).toMatchObject([{ id: key.id, value: { last_four: key.value.slice(-4) } }]);
  const texts = body.history.map(({ text }: { text: string }) => text);
  expect(texts[0]).toBe('Personal data was exported');
  expect(texts).toContain('Created the team Crew');
  const tokens = [user.refreshToken, user.accessToken, key.value, code, link];
  for (const secret of [...tokens, totpSecret, password, 'argon2', 'hash"', 'for servers']) {
    expect(answer.text).not.toContain(secret);
  }
  expect((await as('GET', `/users/${user.userId}/export`)).status).toBe(200);
});

const browser = (userAgent: string, ip: string) => ({
  'user-agent': `Mozilla/5.0 ${userAgent}`,
  'x-forwarded-for': ip,
});

test('the export contains the user’s own addresses and nothing about other actors', async () => {
  const user = await signUp(send, { ...project, headers: browser('Ann', '203.0.113.9') });
  await send('PATCH', '/users/me', { as: project.owner.accessToken, body: { display_name: 'Olga Owner' } });
  const asOwner = {
    projectId: project.projectId,
    access: 'admin' as const,
    headers: {
      ...browser('Owner', '198.51.100.7'),
      'x-stack-super-secret-admin-key': '',
      'x-stack-admin-access-token': project.owner.accessToken,
    },
  };
  const impersonation = { user_id: user.userId, is_impersonation: true };
  const fromPhone = { ...project, as: user.accessToken, headers: browser('Phone', '203.0.113.10') };
  await send('PATCH', '/users/me', { ...fromPhone, body: { client_metadata: { a: 1 } } });
  await send('PATCH', `/users/${user.userId}`, { ...asOwner, body: { display_name: 'Ann' } });
  expect((await send('POST', '/auth/sessions', { ...asOwner, body: impersonation })).status).toBe(200);
  await api.deps.activity.flush();

  const path = `/users/${user.userId}/export`;
  const own = await send('GET', path, { ...project, as: user.accessToken });
  const others = [await send('GET', path, { ...project, access: 'server' }), await send('GET', path, asOwner)];
  for (const { text, body } of [own, ...others]) {
    for (const foreign of ['Olga', project.owner.email, project.owner.userId, '198.51.100.7', 'Mozilla/5.0 Owner']) {
      expect(text).not.toContain(foreign);
    }
    const entry = (type: string) => body.history.findLast((one: { type: string }) => one.type === type);
    expect(entry('UserRenamed').actor).toEqual({ kind: 'owner', id: null, display_name: null, impersonator: null });
    expect(entry('SessionStarted')).toMatchObject({
      text: 'Signed in with a password from 203.0.113.9',
      user_agent: 'Mozilla/5.0 Ann',
    });
    const phone = { ip: '203.0.113.10', user_agent: 'Mozilla/5.0 Phone' };
    expect(entry('UserMetadataChanged')).toMatchObject(phone);
    expect(entry('UserRenamed')).toMatchObject({ ip: null, user_agent: null });
    const texts = body.history.map((one: { text: string }) => one.text);
    expect(texts).toContainEqual(expect.stringMatching(/^An impersonation session was started for \d+ minutes$/));
    expect(body.sessions).toHaveLength(1);
  }
  expect(own.body.history[0].actor).toMatchObject({ kind: 'user', id: user.userId, display_name: 'Ann' });
  expect(others[1]?.body.activity.days).toEqual([new Date().toISOString().slice(0, 10)]);
});

test('the export lists the emails sent to the user and their delivery status', async () => {
  const user = await signUp(send, project);
  const { emailId } = await mailTo(api, user.email);
  const sender = {
    type: 'standard' as const,
    host: 'h',
    port: 25,
    username: 'u',
    senderName: 'Shop',
    senderEmail: 's@example.com',
  };
  const shown = { emailId, to: user.email, subject: 'Hello', sender };
  const error = { type: 'TIMEOUT' as const, message: 'late', canRetry: true, rawError: '' };
  const ctx = contextOf(project.projectId);
  await recordEmailFailed(api.deps, ctx, { ...shown, error });
  const { position } = await recordEmailSent(api.deps, ctx, { ...shown, response: '250 taken' });
  await api.deps.readModels.reached(position);
  const { body } = await send('GET', '/users/me/export', { ...project, as: user.accessToken });
  const mail = { type: 'email_verification', to: user.email, subject: 'Hello', at_millis: expect.any(Number) };
  expect(body.emails).toHaveLength(2);
  expect(body.emails).toEqual(
    expect.arrayContaining([
      { ...mail, was_accepted: true },
      { ...mail, was_accepted: false },
    ]),
  );
});

test('a history of many pages is exported completely', async () => {
  const user = await signUp(send, project);
  const ctx = contextOf(project.projectId);
  const many = 520;
  for (let nth = 0; nth < many; nth += 1) await recordExport(api.deps, ctx, { userId: user.userId });
  const { body } = await send('GET', '/users/me/export', { ...project, as: user.accessToken });
  const ids = body.history.map(({ id }: { id: string }) => id);
  expect(new Set(ids).size).toBe(ids.length);
  expect(body.history.filter(({ type }: { type: string }) => type === 'UserExported')).toHaveLength(many + 1);
  expect(body.history.at(-1).type).toBe('UserCreated');
});

test('the export of an owner lists their projects', async () => {
  const { body } = await send('GET', '/users/me/export', { as: project.owner.accessToken });
  expect(body.owned_project_ids).toEqual([project.projectId]);
});

test('a server can export any user of its project, with server metadata', async () => {
  const { user, asServer } = await livedIn();
  const { body } = await asServer('GET', `/users/${user.userId}/export`);
  expect(body.user).toMatchObject({ id: user.userId, server_metadata: { note: 'for servers' } });
  expect(body.history[0]).toMatchObject({ type: 'UserExported', actor: { kind: 'server' } });
});

test('a user can’t export the data of another user', async () => {
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
