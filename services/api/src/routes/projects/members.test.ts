import type { AddressInfo } from 'node:net';
import { addOwner } from '@gatebook/commands/project/project';
import type { ProjectRole } from '@gatebook/domain/project/roles';
import { afterEach, describe, expect, test } from 'vitest';
import { addMember, asMember } from '../../testing/members.ts';
import {
  type Answer,
  changeConfig,
  changeSettings,
  createProject,
  expectKnown,
  newEmail,
  type OwnedProject,
  type SignedIn,
  signUp,
  unknownId,
} from '../../testing/requests.ts';
import { startSuite } from '../../testing/suite.ts';

const suite = await startSuite();
const { api, send } = suite;
const path = '/internal/projects/current/members';
const actionOf = ({ headers }: Answer) => String(headers['x-stack-request-id']);

const setRole = (project: OwnedProject, by: SignedIn, userId: string, role: ProjectRole) =>
  send('PUT', `${path}/${userId}`, asMember(project, by, { body: { role } }));
const remove = (project: OwnedProject, by: SignedIn, userId: string) =>
  send('DELETE', `${path}/${userId}`, asMember(project, by, { body: {} }));
const listRoles = async (project: OwnedProject) => {
  const { body } = await send('GET', path, { ...project, access: 'admin' });
  return Object.fromEntries(body.items.map((item: { user_id: string; role: string }) => [item.user_id, item.role]));
};
const expectRole = (answer: Answer, role: ProjectRole, required: ProjectRole) =>
  expectKnown(answer, 403, 'PROJECT_ROLE_REQUIRED', { role, required_role: required });

describe('members of a project', () => {
  test('are listed with their roles, owners first', async () => {
    const shop = await createProject(send);
    const [reader, second] = [await addMember(suite, shop, 'read_only'), await addMember(suite, shop, 'owner')];
    const { body } = await send('GET', path, asMember(shop, reader));
    expect(body.items.map((item: { user_id: string }) => item.user_id)).toEqual([
      shop.owner.userId,
      second.userId,
      reader.userId,
    ]);
    expect(body.items[2]).toEqual({
      user_id: reader.userId,
      display_name: null,
      primary_email: reader.email,
      profile_image_url: null,
      role: 'read_only',
      is_through_team: false,
    });
  });

  test('own it through the team that owns it', async () => {
    const shop = await createProject(send);
    const team = await send('POST', '/teams', { access: 'server', body: { display_name: 'Crew' } });
    const bob = await signUp(send);
    for (const { userId } of [shop.owner, bob]) {
      await send('POST', `/team-memberships/${team.body.id}/${userId}`, { access: 'server', body: {} });
    }
    const developer = await addMember(suite, shop, 'developer');
    const body = { project_id: shop.projectId, new_team_id: team.body.id };
    await send('POST', '/internal/projects/transfer', { as: shop.owner.accessToken, body });
    expect(await listRoles(shop)).toEqual({ [shop.owner.userId]: 'owner', [bob.userId]: 'owner' });
    const lost = await send('GET', path, asMember(shop, developer));
    expectKnown(lost, 401, 'ADMIN_ACCESS_TOKEN_IS_NOT_ADMIN');
    expectKnown(await remove(shop, bob, shop.owner.userId), 404, 'PROJECT_MEMBER_NOT_FOUND');
  });

  test('know their role, and a key acts as an owner', async () => {
    const shop = await createProject(send);
    const support = await addMember(suite, shop, 'support');
    const headers = { 'x-stack-client-version': 'js @gatebook/js@0.1.0' };
    const path = '/internal/projects/current';
    expect((await send('GET', path, asMember(shop, support, { headers }))).body.role).toBe('support');
    expect((await send('GET', path, { ...shop, access: 'admin', headers })).body.role).toBe('owner');
    const { body } = await send('GET', '/internal/projects', { as: support.accessToken, headers });
    expect(body.items).toMatchObject([{ id: shop.projectId, role: 'support' }]);
  });

  test('find the project in their list, which clients of the protocol get without a role', async () => {
    const shop = await createProject(send);
    const reader = await addMember(suite, shop, 'read_only');
    const [mine, theirs] = await Promise.all(
      [shop.owner, reader].map(({ accessToken }) => send('GET', '/internal/projects', { as: accessToken })),
    );
    expect(theirs?.body).toEqual(mine?.body);
    expect(mine?.body.items[0]).not.toHaveProperty('role');
    const mirror = await send('GET', `/users/${reader.userId}`, { access: 'server' });
    expect(mirror.body.server_metadata.managedProjectIds).toEqual([shop.projectId]);
  });

  test('are changed and removed by owners only, at once', async () => {
    const shop = await createProject(send);
    const [developer, reader] = [await addMember(suite, shop, 'developer'), await addMember(suite, shop, 'read_only')];
    expectRole(await setRole(shop, developer, reader.userId, 'support'), 'developer', 'owner');
    expectRole(await setRole(shop, developer, developer.userId, 'owner'), 'developer', 'owner');
    expectRole(await remove(shop, developer, reader.userId), 'developer', 'owner');
    const invite = (member: SignedIn) =>
      send('POST', '/teams', asMember(shop, member, { body: { display_name: 'Crew' } }));
    expectRole(await invite(reader), 'read_only', 'support');
    expect((await setRole(shop, shop.owner, reader.userId, 'support')).status).toBe(200);
    expect((await invite(reader)).status).toBe(201);
    expect((await remove(shop, shop.owner, reader.userId)).status).toBe(200);
    expectKnown(await invite(reader), 401, 'ADMIN_ACCESS_TOKEN_IS_NOT_ADMIN');
    for (const userId of [reader.userId, unknownId]) {
      expectKnown(await setRole(shop, shop.owner, userId, 'support'), 404, 'PROJECT_MEMBER_NOT_FOUND');
    }
  });

  test('leave by themselves', async () => {
    const shop = await createProject(send);
    const reader = await addMember(suite, shop, 'read_only');
    expect((await send('DELETE', `${path}/me`, asMember(shop, reader, { body: {} }))).status).toBe(200);
    expect(await listRoles(shop)).toEqual({ [shop.owner.userId]: 'owner' });
  });

  test('include an owner who can act', async () => {
    const shop = await createProject(send);
    await addMember(suite, shop, 'developer');
    expectKnown(await setRole(shop, shop.owner, shop.owner.userId, 'developer'), 400, 'LAST_PROJECT_OWNER');
    expectKnown(
      await send('DELETE', `${path}/me`, asMember(shop, shop.owner, { body: {} })),
      400,
      'LAST_PROJECT_OWNER',
    );
    const second = await addMember(suite, shop, 'owner');
    await send('DELETE', `/users/${second.userId}`, { access: 'server', body: {} });
    expectKnown(await remove(shop, shop.owner, shop.owner.userId), 400, 'LAST_PROJECT_OWNER');
    const third = await addMember(suite, shop, 'owner');
    const answers = await Promise.all([
      setRole(shop, shop.owner, third.userId, 'support'),
      setRole(shop, third, shop.owner.userId, 'support'),
    ]);
    expect(answers.filter(({ status }) => status === 200)).toHaveLength(1);
    expect(Object.values(await listRoles(shop))).toContain('owner');
  });
});

describe('a role', () => {
  test('limits previews to writes that it allows, and a rejection is in the audit log', async () => {
    const shop = await createProject(send);
    const [support, developer] = [await addMember(suite, shop, 'support'), await addMember(suite, shop, 'developer')];
    const body = { method: 'PATCH', path: '/internal/projects/current', body: { display_name: 'Other' } };
    const preview = async (member: SignedIn) =>
      (await send('POST', '/internal/previews', asMember(shop, member, { body }))).body;
    expect(await preview(support)).toMatchObject({
      status: 403,
      error: { code: 'PROJECT_ROLE_REQUIRED', details: { role: 'support', required_role: 'developer' } },
    });
    expect((await preview(developer)).status).toBe(200);
    const rejected = await send('PATCH', '/internal/projects/current', asMember(shop, support, { body: body.body }));
    const failedCheck = async () => {
      await api.deps.rejections.flush();
      const path = `/internal/rejections/${actionOf(rejected)}`;
      const { body } = await send('GET', path, { ...shop, access: 'admin' });
      return body.checks?.find(({ passed }: { passed: boolean }) => passed === false).name;
    };
    await expect.poll(failedCheck, { timeout: 30_000 }).toBe('role');
  });

  test('is previewed and undone as it is changed, by owners', async () => {
    const shop = await createProject(send);
    const developer = await addMember(suite, shop, 'developer');
    const changed = await setRole(shop, shop.owner, developer.userId, 'support');
    const undo = (by: SignedIn, action: Answer) =>
      send('POST', `/internal/actions/${actionOf(action)}/undo`, asMember(shop, by, { body: {} }));
    expectRole(await undo(developer, changed), 'support', 'owner');
    expect((await undo(shop.owner, changed)).status).toBe(200);
    expect(await listRoles(shop)).toMatchObject({ [developer.userId]: 'developer' });
    const removed = await remove(shop, shop.owner, developer.userId);
    expect((await undo(shop.owner, removed)).status).toBe(200);
    expect(await listRoles(shop)).toMatchObject({ [developer.userId]: 'developer' });
    const promoted = await setRole(shop, shop.owner, developer.userId, 'owner');
    expect((await undo(shop.owner, promoted)).status).toBe(200);
    expect(await listRoles(shop)).toMatchObject({ [developer.userId]: 'developer' });
  });

  test('lets support undo what support can do, and nothing else', async () => {
    const shop = await createProject(send);
    const support = await addMember(suite, shop, 'support');
    const user = await signUp(send, shop);
    const renamed = await send(
      'PATCH',
      `/users/${user.userId}`,
      asMember(shop, support, { body: { display_name: 'A' } }),
    );
    const configured = await changeConfig(send, shop, { magic_link_enabled: true });
    const undo = (action: Answer) =>
      send('POST', `/internal/actions/${actionOf(action)}/undo`, asMember(shop, support, { body: {} }));
    expect((await undo(renamed)).status).toBe(200);
    expectRole(await undo(configured), 'support', 'developer');
  });

  test('keeps support from deletions and addresses by an undo', async () => {
    const shop = await createProject(send);
    await changeSettings(send, shop, { user_deletion_grace_days: 1 });
    const support = await addMember(suite, shop, 'support');
    const user = await signUp(send, shop);
    const at = `/users/${user.userId}`;
    const undo = (action: Answer) =>
      send('POST', `/internal/actions/${actionOf(action)}/undo`, asMember(shop, support, { body: {} }));
    const moved = await send('PATCH', at, { ...shop, access: 'admin', body: { primary_email: newEmail() } });
    expectRole(await undo(moved), 'support', 'developer');
    await send('DELETE', at, { ...shop, access: 'admin', body: {} });
    const restored = await send('POST', `/internal${at}/restore`, asMember(shop, support, { body: {} }));
    expect(restored.status).toBe(200);
    expectRole(await undo(restored), 'support', 'developer');
  });

  test('keeps support from signing in as a user', async () => {
    const shop = await createProject(send);
    const support = await addMember(suite, shop, 'support');
    const user = await signUp(send, shop);
    const change = (body: object) => send('PATCH', `/users/${user.userId}`, asMember(shop, support, { body }));
    expectRole(await change({ password: 'correct horse battery' }), 'support', 'developer');
    expectRole(await change({ primary_email: 'mine@example.com' }), 'support', 'developer');
    expect((await change({ totp_secret_base64: null, restricted_by_admin: true })).status).toBe(200);
    const body = { user_id: user.userId };
    expectRole(await send('POST', '/auth/sessions', asMember(shop, support, { body })), 'support', 'developer');
  });

  test('lets developers create and rotate all keys but those that act as owners', async () => {
    const shop = await createProject(send);
    const developer = await addMember(suite, shop, 'developer');
    const create = (isAdmin: boolean) => {
      const body = {
        description: 'key',
        expires_at_millis: Date.parse('2099-01-01'),
        has_publishable_client_key: true,
        has_secret_server_key: true,
        has_super_secret_admin_key: isAdmin,
      };
      return send('POST', '/internal/api-keys', asMember(shop, developer, { body }));
    };
    const created = await create(false);
    expect(created.status).toBe(200);
    expectRole(await create(true), 'developer', 'owner');
    const rotate = (id: string) => {
      const body = { expires_at_millis: Date.parse('2099-01-01'), old_expires_at_millis: Date.parse('2098-01-01') };
      return send('POST', `/internal/api-keys/${id}/rotate`, asMember(shop, developer, { body }));
    };
    expect((await rotate(created.body.id)).status).toBe(200);
    const { body } = await send('GET', '/internal/api-keys', asMember(shop, developer));
    const admin = body.items.find((key: { super_secret_admin_key?: object }) => key.super_secret_admin_key);
    expectRole(await rotate(admin.id), 'developer', 'owner');
  });

  test('below developer hides secrets wherever the project is read', async () => {
    const shop = await createProject(send);
    const secrets = ['google-secret-value', 'smtp-secret-value'] as const;
    await changeConfig(send, shop, {
      oauth_providers: [{ id: 'google', type: 'standard', client_id: 'id', client_secret: secrets[0] }],
      email_config: {
        ...{ type: 'standard', host: 'mail.example.com', port: 25, username: 'u', password: secrets[1] },
        ...{ sender_name: 'Shop', sender_email: 'shop@example.com' },
      },
    });
    const [support, developer] = [await addMember(suite, shop, 'support'), await addMember(suite, shop, 'developer')];
    const texts = async (member: SignedIn) => [
      (await send('GET', '/internal/projects/current', asMember(shop, member))).text,
      (await send('GET', '/internal/projects', { as: member.accessToken })).text,
      (await send('GET', '/internal/config', asMember(shop, member))).text,
      (await send('GET', '/internal/config/override/environment', asMember(shop, member))).text,
      (await send('GET', '/internal/audit-events?limit=50', asMember(shop, member))).text,
    ];
    const seen = (found: string[]) => secrets.filter((secret) => found.some((text) => text.includes(secret)));
    expect(seen(await texts(developer))).toEqual(secrets);
    expect(seen(await texts(support))).toEqual([]);
    const impersonation = { user_id: developer.userId, is_impersonation: true };
    const { body: session } = await send('POST', '/auth/sessions', { access: 'server', body: impersonation });
    const listed = await send('GET', '/internal/projects', { as: session.access_token });
    expect(listed.body.items).toHaveLength(1);
    expect(seen([listed.text])).toEqual([]);
    // Published clients need a text where there is a secret.
    const { body } = await send('GET', '/internal/projects/current', asMember(shop, support));
    expect(body.config.oauth_providers[0].client_secret).toBe('');
  });

  test('of an owner of internal operates the server', async () => {
    const internal = { projectId: 'internal' };
    const first = await signUp(send);
    const ctx = { projectId: 'internal', actor: { kind: 'system', id: null }, requestId: api.deps.newId() } as const;
    const { position } = await addOwner(api.deps, ctx, { userId: first.userId });
    await api.deps.readModels.reached(position ?? 0n, undefined, ['internal']);
    const developer = await addMember(suite, { ...internal, owner: first }, 'developer');
    const operations = (member: SignedIn) => send('GET', '/internal/operations', asMember(internal, member));
    expect((await operations(first)).status).toBe(200);
    expectRole(await operations(developer), 'developer', 'owner');
    const support = await addMember(suite, { ...internal, owner: first }, 'support');
    const { body: team } = await send('POST', '/teams', { access: 'server', body: { display_name: 'Owners' } });
    const join = `/team-memberships/${team.id}/${support.userId}`;
    expectRole(await send('POST', join, asMember(internal, support, { body: {} })), 'read_only', 'support');
    const shop = await createProject(send);
    expectKnown(
      await send('GET', '/internal/operations', asMember(shop, shop.owner)),
      401,
      'EXPECTED_INTERNAL_PROJECT',
    );
  });

  test('of a deleted project lets only owners restore it', async () => {
    const shop = await createProject(send);
    await changeSettings(send, shop, { project_deletion_grace_days: 1 });
    const developer = await addMember(suite, shop, 'developer');
    expectRole(await send('DELETE', '/internal/projects/current', asMember(shop, developer)), 'developer', 'owner');
    await send('DELETE', '/internal/projects/current', asMember(shop, shop.owner, { body: {} }));
    const deleted = (member: SignedIn) => send('GET', '/internal/deleted-projects', { as: member.accessToken });
    expect((await deleted(developer)).body.items).toEqual([]);
    expect((await deleted(shop.owner)).body.items).toHaveLength(1);
    const restore = (member: SignedIn) =>
      send('POST', '/internal/projects/current/restore', asMember(shop, member, { body: {} }));
    expectRole(await restore(developer), 'developer', 'owner');
    expect((await restore(shop.owner)).status).toBe(200);
  });
});

describe('a live stream', () => {
  const open: AbortController[] = [];
  afterEach(() => {
    for (const controller of open.splice(0)) controller.abort();
  });

  async function follow(project: OwnedProject, member: SignedIn) {
    const { port } = api.app.server.address() as AddressInfo;
    const controller = new AbortController();
    open.push(controller);
    const response = await fetch(`http://127.0.0.1:${port}/api/v1/internal/audit-events/stream`, {
      headers: {
        'x-stack-access-type': 'admin',
        'x-stack-project-id': project.projectId,
        'x-stack-admin-access-token': member.accessToken,
      },
      signal: controller.signal,
    });
    const stream = { status: response.status, isOver: false };
    const read = async () => {
      for await (const _ of response.body ?? []);
    };
    read()
      .catch(() => undefined)
      .finally(() => Object.assign(stream, { isOver: true }));
    return stream;
  }

  test('ends within a second when its reader is removed, and stays with a role that may read', async () => {
    await api.app.listen({ port: 0, host: '127.0.0.1' });
    const shop = await createProject(send);
    const [removed, lowered] = [await addMember(suite, shop, 'developer'), await addMember(suite, shop, 'developer')];
    const streams = [await follow(shop, removed), await follow(shop, lowered)] as const;
    expect(streams.map(({ status }) => status)).toEqual([200, 200]);
    await setRole(shop, shop.owner, lowered.userId, 'read_only');
    await remove(shop, shop.owner, removed.userId);
    await expect.poll(() => streams[0].isOver, { timeout: 1_000, interval: 10 }).toBe(true);
    expect(streams[1].isOver).toBe(false);
  });
});
