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
const config = { client_team_creation_enabled: true };
const [project, other] = await Promise.all([createProject(send, { config }), createProject(send)]);

const image = 'data:image/png;base64,iVBORw0KGgo=';
const withBody = (body?: unknown) => (body === undefined ? {} : { body });
const asServer = (method: string, path: string, body?: unknown, where: OwnedProject = project) =>
  send(method, path, { ...where, access: 'server', ...withBody(body) });
const as = (user: SignedIn, method: string, path: string, body?: unknown) =>
  send(method, path, { ...project, as: user.accessToken, ...withBody(body) });
const asNobody = (method: string, path: string, body?: unknown) =>
  send(method, path, { ...project, ...withBody(body) });
const newTeam = async (body: object = {}) => (await asServer('POST', '/teams', { display_name: 'Crew', ...body })).body;
const join = (teamId: string, user: SignedIn) => asServer('POST', `/team-memberships/${teamId}/${user.userId}`, {});
const missing = (teamId: string, user: SignedIn) => ({ team_id: teamId, user_id: user.userId });
const lacks = (teamId: string, user: SignedIn, permission_id: string) => {
  return { ...missing(teamId, user), permission_id };
};

describe('a user', () => {
  test('creates, reads, changes, selects and deletes a team', async () => {
    const user = await signUp(send, project);
    const body = { display_name: 'Band', profile_image_url: image, client_metadata: { a: [1] } };
    const created = await as(user, 'POST', '/teams', { ...body, creator_user_id: 'me' });
    expect(created.status).toBe(201);
    expect(created.body).toEqual({ id: expect.any(String), ...body, client_read_only_metadata: null });
    const path = `/teams/${created.body.id}`;
    expect((await as(user, 'GET', path)).body).toEqual(created.body);
    expect((await as(user, 'GET', '/teams?user_id=me')).body).toEqual({ items: [created.body], is_paginated: false });
    const changed = await as(user, 'PATCH', path, { display_name: '', profile_image_url: null });
    expect(changed.body).toEqual({ ...created.body, display_name: '', profile_image_url: null });
    const selected = await as(user, 'PATCH', '/users/me', { selected_team_id: created.body.id });
    expect(selected.body).toMatchObject({ selected_team_id: created.body.id, selected_team: changed.body });
    expect((await as(user, 'GET', '/users/me')).body.selected_team).toEqual(changed.body);
    expect((await as(user, 'DELETE', path, {})).body).toEqual({ success: true });
    expect((await as(user, 'GET', '/users/me')).body).toMatchObject({ selected_team_id: null, selected_team: null });
    expectKnown(await as(user, 'GET', path), 404, 'TEAM_MEMBERSHIP_NOT_FOUND', missing(created.body.id, user));
  });

  test('creates a team only as its own creator, if the project allows it, with an uploaded image', async () => {
    const [user, stranger] = [await signUp(send, project), await signUp(send, project)];
    const create = (body: object) => as(user, 'POST', '/teams', { display_name: 'x', ...body });
    expectKnown(await asNobody('POST', '/teams', { display_name: 'x' }), 401, 'USER_AUTHENTICATION_REQUIRED');
    const me = { display_name: 'x', creator_user_id: 'me' };
    expectKnown(await asNobody('POST', '/teams', me), 400, 'CANNOT_GET_OWN_USER_WITHOUT_USER');
    expectPlain(await create({ creator_user_id: stranger.userId }), 403);
    expectPlain(await create({ profile_image_url: 'https://x.example/a.png' }), 400);
    expectSchemaError(await create({ server_metadata: 1 }), 'unknown fields: server_metadata');
    expectSchemaError(await create({ client_read_only_metadata: 1 }), 'unknown fields');
    expectSchemaError(await as(user, 'POST', '/teams', {}), 'body.display_name is required');
    expectPlain(await as(user, 'POST', '/teams?add_current_user=true', me), 400);
    const closed = await signUp(send, other);
    const rejected = await send('POST', '/teams', { ...other, as: closed.accessToken, body: { display_name: 'x' } });
    expectPlain(rejected, 403);
  });

  test('reads and changes only their own teams, and only with permission', async () => {
    const [owner, member, stranger] = [
      await signUp(send, project),
      await signUp(send, project),
      await signUp(send, project),
    ];
    const { id } = (await as(owner, 'POST', '/teams', { display_name: 'Band' })).body;
    await join(id, member);
    const path = `/teams/${id}`;
    for (const [method, body] of [['GET'], ['PATCH', { display_name: 'x' }], ['DELETE', {}]] as const) {
      expectKnown(await asNobody(method, path, body), 401, 'USER_AUTHENTICATION_REQUIRED');
      expectKnown(await as(stranger, method, path, body), 404, 'TEAM_MEMBERSHIP_NOT_FOUND', missing(id, stranger));
      const nowhere = await as(stranger, method, `/teams/${unknownId}`, body);
      expectKnown(nowhere, 404, 'TEAM_MEMBERSHIP_NOT_FOUND', missing(unknownId, stranger));
    }
    const change = await as(member, 'PATCH', path, { display_name: 'x' });
    expectKnown(change, 401, 'TEAM_PERMISSION_REQUIRED', lacks(id, member, '$update_team'));
    const removal = await as(member, 'DELETE', path);
    expectKnown(removal, 401, 'TEAM_PERMISSION_REQUIRED', lacks(id, member, '$delete_team'));
    expectPlain(await as(stranger, 'PATCH', path, { profile_image_url: 'https://x.example/a.png' }), 400);
    expectSchemaError(await as(owner, 'PATCH', path, { server_metadata: 1 }), 'unknown fields');
    expectPlain(await as(stranger, 'GET', `/teams?user_id=${owner.userId}`), 403);
    expectPlain(await as(stranger, 'GET', '/teams'), 403);
    expectKnown(await asNobody('GET', '/teams?user_id=me'), 400, 'CANNOT_GET_OWN_USER_WITHOUT_USER');
    expectKnown(await asNobody('GET', '/teams'), 400, 'CANNOT_GET_OWN_USER_WITHOUT_USER');
  });

  test('selects only a team they are a member of; leaving it clears the selection', async () => {
    const user = await signUp(send, project);
    const { id } = await newTeam();
    const select = () => as(user, 'PATCH', '/users/me', { selected_team_id: id });
    expectKnown(await select(), 404, 'TEAM_MEMBERSHIP_NOT_FOUND', missing(id, user));
    await join(id, user);
    expect((await select()).body.selected_team_id).toBe(id);
    const refreshed = await send('POST', '/auth/sessions/current/refresh', {
      ...project,
      headers: { 'x-stack-refresh-token': user.refreshToken },
    });
    const claims = JSON.parse(Buffer.from(refreshed.body.access_token.split('.')[1], 'base64url').toString());
    expect(claims.selected_team_id).toBe(id);
    expect((await as(user, 'DELETE', `/team-memberships/${id}/me`, {})).status).toBe(200);
    expect((await as(user, 'GET', '/users/me')).body.selected_team_id).toBeNull();
    await join(id, user);
    expect((await as(user, 'GET', '/users/me')).body.selected_team_id).toBeNull();
  });
});

describe('a server', () => {
  test('creates, lists, changes and deletes teams of its project', async () => {
    const user = await signUp(send, project);
    const all = { client_metadata: 1, client_read_only_metadata: 'x', server_metadata: { plan: 'free' } };
    const profile_image_url = 'https://x.example/a.png';
    const created = await newTeam({ ...all, profile_image_url, creator_user_id: user.userId });
    const times = { created_at_millis: expect.any(Number) };
    expect(created).toEqual({ id: expect.any(String), display_name: 'Crew', profile_image_url, ...all, ...times });
    expect((await asServer('GET', `/teams?user_id=${user.userId}`)).body.items).toEqual([created]);
    expect((await asServer('GET', `/teams?user_id=${unknownId}`)).body.items).toEqual([]);
    const alone = await newTeam();
    const listed = (await asServer('GET', '/teams')).body.items;
    expect(listed.slice(-2)).toEqual([created, alone]);
    const changed = await asServer('PATCH', `/teams/${alone.id}`, { server_metadata: null, display_name: 'New' });
    expect(changed.body).toEqual({ ...alone, display_name: 'New' });
    expect((await asServer('GET', `/teams/${alone.id}`)).body).toEqual(changed.body);
    expect((await asServer('DELETE', `/teams/${alone.id}`, {})).body).toEqual({ success: true });
    for (const method of ['GET', 'PATCH', 'DELETE']) {
      const gone = await asServer(method, `/teams/${alone.id}`, method === 'PATCH' ? {} : undefined);
      expectKnown(gone, 404, 'TEAM_NOT_FOUND', { team_id: alone.id });
      const foreign = await asServer(method, `/teams/${created.id}`, method === 'PATCH' ? {} : undefined, other);
      expectKnown(foreign, 404, 'TEAM_NOT_FOUND', { team_id: created.id });
    }
    expect((await asServer('GET', '/teams', undefined, other)).body.items).toEqual([]);
  });

  test('creates a team with a named creator, with the signed-in user, or empty', async () => {
    const user = await signUp(send, project);
    const body = { display_name: 'x' };
    expectKnown(await asServer('POST', '/teams', { ...body, creator_user_id: unknownId }), 404, 'USER_NOT_FOUND');
    const query = '/teams?add_current_user=true';
    expectPlain(await asServer('POST', query, body), 401);
    const added = await send('POST', query, { ...project, access: 'server', as: user.accessToken, body });
    expect((await as(user, 'GET', `/teams/${added.body.id}`)).status).toBe(200);
    const twice = { ...body, creator_user_id: user.userId };
    expectPlain(await send('POST', query, { ...project, access: 'server', as: user.accessToken, body: twice }), 400);
  });

  test('deleting a user deletes their memberships and the name of their personal team', async () => {
    const owned = await createProject(send, { config: { create_team_on_sign_up: true } });
    const user = await signUp(send, owned);
    const [team] = (await asServer('GET', '/teams', undefined, owned)).body.items;
    expect(team.display_name).toBe(`${user.email}'s Team`);
    const me = (await send('GET', '/users/me', { ...owned, as: user.accessToken })).body;
    expect(me.selected_team).toMatchObject({ id: team.id, display_name: team.display_name });
    const made = await asServer('POST', '/users', { display_name: 'Ann' }, owned);
    expect(made.body.selected_team).toBeNull();
    const ann = (await asServer('GET', `/users/${made.body.id}`, undefined, owned)).body;
    expect(ann.selected_team.display_name).toBe("Ann's Team");
    expect((await asServer('DELETE', `/users/${user.userId}`, {}, owned)).status).toBe(200);
    expect((await asServer('GET', `/teams/${team.id}`, undefined, owned)).body.display_name).toBe('Personal Team');
    const profiles = await asServer('GET', `/team-member-profiles?team_id=${team.id}`, undefined, owned);
    expect(profiles.body.items).toEqual([]);
  });
});

describe('members', () => {
  test('are added by a server, only once', async () => {
    const user = await signUp(send, project);
    const { id } = await newTeam();
    const added = await join(id, user);
    expect({ status: added.status, body: added.body }).toEqual({ status: 201, body: missing(id, user) });
    expectKnown(await join(id, user), 409, 'TEAM_MEMBERSHIP_ALREADY_EXISTS');
    expectKnown(await asServer('POST', `/team-memberships/${id}/${unknownId}`, {}), 404, 'USER_NOT_FOUND');
    const nowhere = await asServer('POST', `/team-memberships/${unknownId}/${user.userId}`, {});
    expectKnown(nowhere, 404, 'TEAM_NOT_FOUND', { team_id: unknownId });
    expectSchemaError(await asServer('POST', `/team-memberships/${id}/${user.userId}`), 'body is required');
    const rejected = await as(user, 'POST', `/team-memberships/${id}/me`, {});
    expectKnown(rejected, 401, 'INSUFFICIENT_ACCESS_TYPE', {
      actual_access_type: 'client',
      allowed_access_types: ['server', 'admin'],
    });
    const inTeam = (await asServer('GET', `/users?team_id=${id}&limit=1`)).body;
    expect(inTeam.items.map((one: { id: string }) => one.id)).toEqual([user.userId]);
    expect(inTeam.pagination.next_cursor).toBeNull();
  });

  test('leave, and are removed by members with the permission', async () => {
    const [owner, one, two] = [await signUp(send, project), await signUp(send, project), await signUp(send, project)];
    const { id } = (await as(owner, 'POST', '/teams', { display_name: 'Band' })).body;
    for (const user of [one, two]) await join(id, user);
    const path = (user: SignedIn) => `/team-memberships/${id}/${user.userId}`;
    expectKnown(await asNobody('DELETE', path(one), {}), 400, 'CANNOT_GET_OWN_USER_WITHOUT_USER');
    const removal = await as(one, 'DELETE', path(two), {});
    expectKnown(removal, 401, 'TEAM_PERMISSION_REQUIRED', lacks(id, one, '$remove_members'));
    expect((await as(one, 'DELETE', path(one), {})).body).toEqual({ success: true });
    expectKnown(await as(one, 'DELETE', path(two), {}), 404, 'TEAM_MEMBERSHIP_NOT_FOUND', missing(id, one));
    expectKnown(await as(owner, 'DELETE', path(one), {}), 404, 'TEAM_MEMBERSHIP_NOT_FOUND', missing(id, one));
    expectKnown(await as(owner, 'DELETE', `/team-memberships/${id}/${unknownId}`), 404, 'USER_NOT_FOUND');
    expect((await as(owner, 'DELETE', path(two), {})).status).toBe(200);
    expect((await as(owner, 'DELETE', `/team-memberships/${id}/me`, {})).status).toBe(200);
    expect((await asServer('GET', `/teams/${id}`)).status).toBe(200);
  });

  test('are shown with their team profile', async () => {
    const [owner, member] = [await signUp(send, project), await signUp(send, project)];
    const { id } = (await as(owner, 'POST', '/teams', { display_name: 'Band' })).body;
    await join(id, member);
    await as(owner, 'PATCH', '/users/me', { display_name: 'Ann' });
    const list = await as(owner, 'GET', `/team-member-profiles?team_id=${id}`);
    const plain = { display_name: null, profile_image_url: null };
    expect(list.body).toEqual({
      items: [
        { ...missing(id, owner), ...plain, display_name: 'Ann' },
        { ...missing(id, member), ...plain },
      ],
      is_paginated: false,
    });
    const changed = await as(owner, 'PATCH', `/team-member-profiles/${id}/me`, { display_name: 'Chief' });
    expect(changed.body).toEqual({ ...missing(id, owner), ...plain, display_name: 'Chief' });
    expect((await as(member, 'GET', `/team-member-profiles/${id}/${owner.userId}`)).body).toEqual(changed.body);
    const pictured = { profile_image_url: image };
    expect((await as(owner, 'PATCH', `/team-member-profiles/${id}/me`, pictured)).body).toMatchObject({
      display_name: 'Chief',
      ...pictured,
    });
    const served = await asServer('GET', `/team-member-profiles/${id}/${owner.userId}`);
    expect(served.body).toMatchObject({ display_name: 'Chief', user: { id: owner.userId, display_name: 'Ann' } });
    expect((await asServer('GET', `/team-member-profiles?user_id=${owner.userId}`)).body.items).toHaveLength(1);
  });

  test('read other profiles only with permission and change only their own', async () => {
    const [member, other_, stranger] = [
      await signUp(send, project),
      await signUp(send, project),
      await signUp(send, project),
    ];
    const { id } = await newTeam();
    for (const user of [member, other_]) await join(id, user);
    const permission = `/team-permissions/${id}/${member.userId}/team_member`;
    expect((await asServer('DELETE', permission, {})).status).toBe(200);
    const profiles = '/team-member-profiles';
    const rejected = await as(member, 'GET', `${profiles}?team_id=${id}`);
    expectKnown(rejected, 401, 'TEAM_PERMISSION_REQUIRED', lacks(id, member, '$read_members'));
    const one = await as(member, 'GET', `${profiles}/${id}/${other_.userId}`);
    expectKnown(one, 401, 'TEAM_PERMISSION_REQUIRED', lacks(id, member, '$read_members'));
    expect((await as(member, 'GET', `${profiles}?team_id=${id}&user_id=me`)).body.items).toHaveLength(1);
    expect((await as(member, 'GET', `${profiles}/${id}/me`)).status).toBe(200);
    expectKnown(await asNobody('GET', profiles), 400, 'CANNOT_GET_OWN_USER_WITHOUT_USER');
    expectPlain(await as(member, 'GET', profiles), 400);
    const outside = await as(stranger, 'GET', `${profiles}?team_id=${id}`);
    expectKnown(outside, 404, 'TEAM_MEMBERSHIP_NOT_FOUND', missing(id, stranger));
    expectPlain(await as(other_, 'PATCH', `${profiles}/${id}/${member.userId}`, { display_name: 'x' }), 403);
    expectPlain(await as(other_, 'PATCH', `${profiles}/${id}/me`, { profile_image_url: 'https://x.example/a' }), 400);
    expectSchemaError(await as(other_, 'PATCH', `${profiles}/${id}/me`, { display_name: null }), 'body.display_name');
    const gone = await as(other_, 'GET', `${profiles}/${id}/${unknownId}`);
    expectKnown(gone, 404, 'USER_NOT_FOUND');
    const absent = await as(other_, 'GET', `${profiles}/${id}/${stranger.userId}`);
    expectKnown(absent, 404, 'TEAM_MEMBERSHIP_NOT_FOUND', missing(id, stranger));
    const unknownTeam = await asServer('GET', `${profiles}?team_id=${unknownId}`);
    expectKnown(unknownTeam, 404, 'TEAM_NOT_FOUND', { team_id: unknownId });
    expectKnown(await asServer('GET', `${profiles}?user_id=${unknownId}`), 404, 'USER_NOT_FOUND');
    const patched = await asServer('PATCH', `${profiles}/${id}/${stranger.userId}`, {});
    expectKnown(patched, 404, 'TEAM_MEMBERSHIP_NOT_FOUND', missing(id, stranger));
  });
});
