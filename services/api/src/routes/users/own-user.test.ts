import { describe, expect, test } from 'vitest';
import { addMember, asMember } from '../../testing/members.ts';
import {
  createProject,
  expectKnown,
  expectPlain,
  expectSchemaError,
  newEmail,
  password,
  signUp,
} from '../../testing/requests.ts';
import { startSuite } from '../../testing/suite.ts';
import { asServer, userCallsOf } from '../../testing/users.ts';

const suite = await startSuite();
const { send } = suite;
const project = await createProject(send, { config: { magic_link_enabled: true } });
const { configured } = userCallsOf(send, project);

describe('me', () => {
  test('has a view that depends on the access type only', async () => {
    const user = await signUp(send, project);
    const asClient = await send('GET', '/users/me', { ...project, as: user.accessToken });
    const asAdmin = await send('GET', '/users/me', { ...project, access: 'admin', as: user.accessToken });
    const extra = Object.keys(asAdmin.body).filter((key) => !(key in asClient.body));
    expect(extra.sort()).toEqual(['last_active_at_millis', 'primary_email_auth_enabled', 'server_metadata']);
  });

  test.each(['GET', 'PATCH', 'DELETE'])('%s requires a signed-in user', async (method) => {
    for (const access of ['client', 'server', 'admin'] as const) {
      await configured({ client_user_deletion_enabled: true });
      const answer = await send(method, '/users/me', { ...project, access, body: {} });
      expectKnown(answer, 400, 'CANNOT_GET_OWN_USER_WITHOUT_USER');
    }
    await configured({ client_user_deletion_enabled: false });
  });

  test('a client can set client fields only', async () => {
    const { accessToken: as } = await signUp(send, project);
    const changed = await send('PATCH', '/users/me', {
      ...project,
      as,
      body: { display_name: 'Me', client_metadata: ['x'], otp_auth_enabled: true, totp_secret_base64: null },
    });
    expect(changed.body).toMatchObject({ display_name: 'Me', client_metadata: ['x'], otp_auth_enabled: true });
    expect(changed.body).not.toHaveProperty('server_metadata');
    const forbidden = {
      server_metadata: 1,
      client_read_only_metadata: 1,
      primary_email: newEmail(),
      primary_email_verified: true,
      primary_email_auth_enabled: true,
      password,
    };
    for (const [field, value] of Object.entries(forbidden)) {
      const answer = await send('PATCH', '/users/me', { ...project, as, body: { [field]: value } });
      expectSchemaError(answer, `body has unknown fields: ${field}`);
      const allowed = await send('PATCH', '/users/me', { ...project, access: 'server', as, body: { [field]: value } });
      expect(allowed.status).toBe(200);
      if (field === 'password') break;
    }
  });

  test('a member changes an own user of the project only as the role allows with other users', async () => {
    const [support, user] = [await addMember(suite, project, 'support'), await signUp(send, project)];
    const change = (path: string, body: object) =>
      send('PATCH', path, asMember(project, support, { as: user.accessToken, body }));
    const role = { role: 'support', required_role: 'developer' };
    for (const path of ['/users/me', `/users/${user.userId}`]) {
      const email = { primary_email: newEmail(), primary_email_verified: true };
      expectKnown(await change(path, email), 403, 'PROJECT_ROLE_REQUIRED', role);
      expect((await change(path, { display_name: 'Ann' })).status).toBe(200);
    }
  });

  test('a client can only upload an image; a URL is rejected before the user is checked', async () => {
    const { accessToken: as } = await signUp(send, project);
    const image = (profile_image_url: string | null, call: Record<string, unknown> = { as }) =>
      send('PATCH', '/users/me', { ...project, ...call, body: { profile_image_url } });
    const png = 'data:image/png;base64,iVBORw0KGgo=';
    expect((await image(png)).body.profile_image_url).toBe(png);
    expect((await image(null)).body.profile_image_url).toBeNull();
    for (const bad of ['https://example.com/me.png', 'data:image/svg+xml;base64,AAAA', 'data:text/html;base64,AAAA']) {
      expectPlain(await image(bad), 400);
      expectPlain(await image(bad, {}), 400);
    }
    expect((await image('https://example.com/me.png', { as, access: 'server' })).status).toBe(200);
    expectSchemaError(await image('nonsense'), 'body.profile_image_url');
    expect((await image(`data:image/png;base64,${'A'.repeat(999_978)}`)).status).toBe(200);
    expectSchemaError(await image(`data:image/png;base64,${'A'.repeat(1_000_000)}`), 'body.profile_image_url');
  });

  test('a client deletes its user if the project allows it', async () => {
    const user = await signUp(send, project);
    expectPlain(await send('DELETE', '/users/me', { ...project, as: user.accessToken }), 400);
    expectPlain(await send('DELETE', '/users/me', project), 400);
    await configured({ client_user_deletion_enabled: true });
    const answer = await send('DELETE', '/users/me', { ...project, as: user.accessToken, body: {} });
    expect(answer).toMatchObject({ status: 200, body: { success: true } });
    expectKnown(await send('GET', `/users/${user.userId}`, { ...project, ...asServer }), 404, 'USER_NOT_FOUND');
    await configured({ client_user_deletion_enabled: false });
  });

  test('a server deletes the signed-in user in any case', async () => {
    const user = await signUp(send, project);
    const answer = await send('DELETE', '/users/me', { ...project, access: 'server', as: user.accessToken });
    expect(answer.status).toBe(200);
  });
});
