import { systemPermissionIds } from '@gatebook/domain/permission/definition';
import { describe, expect, test } from 'vitest';
import {
  createProject,
  expectKnown,
  expectPlain,
  expectSchemaError,
  type OwnedProject,
  type SignedIn,
  signUp,
  unknownId,
} from '../../testing/requests.ts';
import { startSuite } from '../../testing/suite.ts';

const { send } = await startSuite();
const [project, other] = await Promise.all([createProject(send), createProject(send)]);

const withBody = (body?: unknown) => (body === undefined ? {} : { body });
const asAdmin = (method: string, path: string, body?: unknown, where: OwnedProject = project) =>
  send(method, path, { ...where, access: 'admin', ...withBody(body) });
const asServer = (method: string, path: string, body?: unknown) =>
  send(method, path, { ...project, access: 'server', ...withBody(body) });
const as = (user: SignedIn, method: string, path: string, body?: unknown) =>
  send(method, path, { ...project, as: user.accessToken, ...withBody(body) });
const paths = { team: '/team-permission-definitions', project: '/project-permission-definitions' } as const;
let made = 0;
const newId = () => `p${made++}`;
const define = async (body: object = {}, scope: keyof typeof paths = 'team', where = project) =>
  (await asAdmin('POST', paths[scope], { id: newId(), ...body }, where)).body;
const listed = async (scope: keyof typeof paths = 'team') => (await asAdmin('GET', paths[scope])).body.items;

describe('definitions', () => {
  test('are the system permissions and two more by default', async () => {
    const fresh = await createProject(send);
    const { body } = await asAdmin('GET', paths.team, undefined, fresh);
    expect(body.is_paginated).toBe(false);
    expect(body.items.map(({ id }: { id: string }) => id)).toEqual([
      ...systemPermissionIds.toSorted(),
      'team_admin',
      'team_member',
    ]);
    for (const item of body.items) expect(item.description).toEqual(expect.any(String));
    expect(body.items.at(-1).contained_permission_ids).toEqual(['$invite_members', '$read_members']);
    expect((await asAdmin('GET', paths.project, undefined, fresh)).body.items).toEqual([]);
  });

  test('are created with contained permissions and sorted', async () => {
    const inner = await define();
    expect(inner).toEqual({ id: inner.id, contained_permission_ids: [] });
    const contained_permission_ids = ['team_member', inner.id, '$update_team', inner.id];
    const outer = await define({ description: 'All', contained_permission_ids });
    expect(outer).toEqual({
      id: outer.id,
      description: 'All',
      contained_permission_ids: ['$update_team', inner.id, 'team_member'],
    });
    expect(await listed()).toContainEqual(outer);
    expect(await listed('project')).not.toContainEqual(outer);
  });

  test.each(['team', 'project'] as const)('of %s scope are rejected with known errors', async (scope) => {
    const { id } = await define({}, scope);
    const post = (body: object) => asAdmin('POST', paths[scope], body);
    const taken = { permission_id: id };
    expectKnown(await post({ id }), 400, 'PERMISSION_ID_ALREADY_EXISTS', taken);
    const elsewhere = await asAdmin('POST', paths[scope === 'team' ? 'project' : 'team'], { id });
    expectKnown(elsewhere, 400, 'PERMISSION_ID_ALREADY_EXISTS', taken);
    const contained = (list: string[]) => post({ id: newId(), contained_permission_ids: list });
    expectKnown(await contained(['nobody']), 400, 'CONTAINED_PERMISSION_NOT_FOUND', { permission_id: 'nobody' });
    const foreign = scope === 'team' ? (await define({}, 'project')).id : '$read_members';
    expectKnown(await contained([foreign]), 400, 'CONTAINED_PERMISSION_NOT_FOUND', { permission_id: foreign });
    expectSchemaError(await contained(['$nobody']), 'must be a permission id');
    for (const wrong of ['', 'Big', 'a-b', '$read_members', 'a b', null, ['a']]) {
      expectSchemaError(await post({ id: wrong }), 'body.id');
    }
    expectSchemaError(await post({}), 'body.id is required');
    const path = `${paths[scope]}/${id}`;
    for (const [method, body] of [
      ['PATCH', {}],
      ['DELETE', undefined],
    ] as const) {
      const unknown = await asAdmin(method, `${paths[scope]}/nobody`, body);
      expectKnown(unknown, 404, 'PERMISSION_NOT_FOUND', { permission_id: 'nobody' });
      const system = await asAdmin(method, `${paths[scope]}/$read_members`, body);
      expectKnown(system, 404, 'PERMISSION_NOT_FOUND', { permission_id: '$read_members' });
      const otherScope = await asAdmin(method, `${paths[scope === 'team' ? 'project' : 'team']}/${id}`, body);
      expectKnown(otherScope, 404, 'PERMISSION_NOT_FOUND', { permission_id: id });
      const otherProject = await asAdmin(method, path, body, other);
      expectKnown(otherProject, 404, 'PERMISSION_NOT_FOUND', { permission_id: id });
    }
    const second = await define({ contained_permission_ids: [id] }, scope);
    expectPlain(await asAdmin('PATCH', path, { contained_permission_ids: [second.id] }), 400);
    expectPlain(await asAdmin('PATCH', path, { contained_permission_ids: [id] }), 400);
    expectKnown(await asAdmin('PATCH', path, { id: second.id }), 400, 'PERMISSION_ID_ALREADY_EXISTS', {
      permission_id: second.id,
    });
    expect((await asAdmin('GET', path)).status).toBe(405);
  });

  test('follow a rename everywhere: grants, other definitions, defaults', async () => {
    const user = await signUp(send, project);
    const team = (await asServer('POST', '/teams', { display_name: 'x', creator_user_id: user.userId })).body;
    const first = await define({ description: 'first' });
    const holder = await define({ contained_permission_ids: [first.id] });
    await asServer('POST', `/team-permissions/${team.id}/${user.userId}/${first.id}`, {});
    const config = { team_member_default_permissions: [{ id: first.id }] };
    await asAdmin('PATCH', '/internal/projects/current', { config });
    const id = newId();
    const renamed = await asAdmin('PATCH', `${paths.team}/${first.id}`, { id });
    expect(renamed.body).toEqual({ id, description: 'first', contained_permission_ids: [] });
    const items = await listed();
    expect(items).toContainEqual({ id: holder.id, contained_permission_ids: [id] });
    const held = (await as(user, 'GET', `/team-permissions?user_id=me&permission_id=${id}`)).body.items;
    expect(held).toEqual([{ id, user_id: user.userId, team_id: team.id }]);
    const { team_member_default_permissions } = (await asAdmin('GET', '/internal/projects/current')).body.config;
    expect(team_member_default_permissions).toEqual([{ id }]);

    expect((await asAdmin('DELETE', `${paths.team}/${id}`)).body).toEqual({ success: true });
    expect(await listed()).toContainEqual({ id: holder.id, contained_permission_ids: [] });
    expect((await as(user, 'GET', `/team-permissions?user_id=me&permission_id=${id}`)).body.items).toEqual([]);
    const after = (await asAdmin('GET', '/internal/projects/current')).body.config;
    expect(after.team_member_default_permissions).toEqual([]);
    await asAdmin('POST', paths.team, { id });
    expect((await as(user, 'GET', `/team-permissions?user_id=me&permission_id=${id}`)).body.items).toEqual([]);
    const removed = await asServer('DELETE', `/team-permissions/${team.id}/${user.userId}/${id}`);
    expectKnown(removed, 401, 'TEAM_PERMISSION_NOT_FOUND', {
      team_id: team.id,
      user_id: user.userId,
      permission_id: id,
    });
    const emptied = await asAdmin('PATCH', `${paths.team}/${holder.id}`, { description: '' });
    expect(emptied.body).toEqual({ id: holder.id, contained_permission_ids: [] });
  });

  test('of defaults must exist', async () => {
    const { id } = await define({}, 'project');
    const patch = (config: object) => asAdmin('PATCH', '/internal/projects/current', { config });
    expect((await patch({ user_default_permissions: [{ id }] })).status).toBe(200);
    expectPlain(await patch({ team_creator_default_permissions: [{ id }] }), 400);
    expectPlain(await patch({ user_default_permissions: [{ id: 'team_admin' }] }), 400);
    const user = await signUp(send, project);
    expect((await as(user, 'GET', '/project-permissions?user_id=me')).body.items).toEqual([
      { id, user_id: user.userId },
    ]);
    expect((await patch({ user_default_permissions: [] })).status).toBe(200);
  });
});

describe('grants in a team', () => {
  test('are listed with contained permissions if requested', async () => {
    const user = await signUp(send, project);
    const team = (await asServer('POST', '/teams', { display_name: 'x', creator_user_id: user.userId })).body;
    const query = `/team-permissions?user_id=me&team_id=${team.id}`;
    const ids = async (more = '') =>
      (await as(user, 'GET', `${query}${more}`)).body.items.map(({ id }: { id: string }) => id);
    expect(await ids()).toEqual(['team_admin']);
    expect(await ids('&recursive=false')).toEqual(['team_admin']);
    expect(await ids('&recursive=true')).toEqual([...systemPermissionIds.toSorted(), 'team_admin']);
    expect(await ids('&recursive=true&permission_id=$update_team')).toEqual(['$update_team']);
    expect(await ids('&permission_id=$update_team')).toEqual([]);
    expectSchemaError(await as(user, 'GET', `${query}&recursive=yes`), 'query.recursive');
    expectSchemaError(await as(user, 'GET', `${query}&recursive=1`), 'query.recursive');
    const stranger = await signUp(send, project);
    expectPlain(await as(stranger, 'GET', `/team-permissions?user_id=${user.userId}`), 403);
    expectPlain(await as(stranger, 'GET', '/team-permissions'), 403);
    const nobody = await send('GET', '/team-permissions?user_id=me', project);
    expectKnown(nobody, 400, 'CANNOT_GET_OWN_USER_WITHOUT_USER');
    const all = (await asServer('GET', `/team-permissions?team_id=${team.id}`)).body;
    expect(all).toEqual({ items: [{ id: 'team_admin', user_id: user.userId, team_id: team.id }], is_paginated: false });
    const elsewhere = await send('GET', `/team-permissions?team_id=${team.id}`, { ...other, access: 'server' });
    expect(elsewhere.body.items).toEqual([]);
  });

  test('are created and revoked', async () => {
    const user = await signUp(send, project);
    const team = (await asServer('POST', '/teams', { display_name: 'x', creator_user_id: user.userId })).body;
    const path = (id: string, userId = user.userId, teamId = team.id) => `/team-permissions/${teamId}/${userId}/${id}`;
    const granted = { id: '$update_team', user_id: user.userId, team_id: team.id };
    for (let twice = 0; twice < 2; twice += 1) {
      const answer = await asServer('POST', path('$update_team'), {});
      expect({ status: answer.status, body: answer.body }).toEqual({ status: 201, body: granted });
    }
    expect((await asServer('DELETE', path('$update_team'), {})).body).toEqual({ success: true });
    const details = { team_id: team.id, user_id: user.userId, permission_id: '$update_team' };
    expectKnown(await asServer('DELETE', path('$update_team')), 401, 'TEAM_PERMISSION_NOT_FOUND', details);
    const stranger = await signUp(send, project);
    for (const method of ['POST', 'DELETE']) {
      const call = (where: string) => asServer(method, where, method === 'POST' ? {} : undefined);
      expectKnown(await call(path('team_admin', unknownId)), 404, 'USER_NOT_FOUND');
      const outside = { team_id: team.id, user_id: stranger.userId };
      expectKnown(await call(path('x', stranger.userId)), 404, 'TEAM_MEMBERSHIP_NOT_FOUND', outside);
      const nowhere = { team_id: unknownId, user_id: user.userId };
      expectKnown(await call(path('x', user.userId, unknownId)), 404, 'TEAM_MEMBERSHIP_NOT_FOUND', nowhere);
      expectSchemaError(await call(path('$nobody')), 'params.permission_id');
    }
    expectKnown(await asServer('POST', path('x'), {}), 404, 'PERMISSION_NOT_FOUND', { permission_id: 'x' });
    const { id } = await define({}, 'project');
    const scopes = { permission_id: id, expected_scope: 'team', actual_scope: 'project' };
    expectKnown(await asServer('POST', path(id), {}), 404, 'WRONG_PERMISSION_SCOPE', scopes);
  });
});

describe('grants in the project', () => {
  test('are created, listed with contained permissions, and revoked', async () => {
    const user = await signUp(send, project);
    const inner = await define({}, 'project');
    const outer = await define({ contained_permission_ids: [inner.id] }, 'project');
    const path = (id: string, userId = user.userId) => `/project-permissions/${userId}/${id}`;
    const granted = await asServer('POST', path(outer.id), {});
    expect({ status: granted.status, body: granted.body }).toEqual({
      status: 201,
      body: { id: outer.id, user_id: user.userId },
    });
    const list = async (more: string) => (await as(user, 'GET', `/project-permissions?user_id=me${more}`)).body.items;
    expect(await list('')).toEqual([{ id: outer.id, user_id: user.userId }]);
    expect(await list('&recursive=true')).toEqual([inner, outer].map(({ id }) => ({ id, user_id: user.userId })));
    expectKnown(await asServer('DELETE', path(inner.id)), 404, 'PERMISSION_NOT_FOUND', { permission_id: inner.id });
    expect((await asServer('DELETE', path(outer.id), {})).body).toEqual({ success: true });
    expect(await list('')).toEqual([]);
    for (const method of ['POST', 'DELETE']) {
      const call = (where: string) => asServer(method, where, method === 'POST' ? {} : undefined);
      expectKnown(await call(path('x', unknownId)), 404, 'USER_NOT_FOUND');
      const system = { permission_id: '$update_team' };
      expectKnown(await call(path('$update_team')), 404, 'PERMISSION_NOT_FOUND', system);
    }
    const scopes = { permission_id: 'team_admin', expected_scope: 'project', actual_scope: 'team' };
    expectKnown(await asServer('POST', path('team_admin'), {}), 404, 'WRONG_PERMISSION_SCOPE', scopes);
    const stranger = await signUp(send, project);
    expectPlain(await as(stranger, 'GET', `/project-permissions?user_id=${user.userId}`), 403);
    const elsewhere = await send('GET', '/project-permissions', { ...other, access: 'server' });
    expect(elsewhere.body.items).toEqual([]);
  });
});
