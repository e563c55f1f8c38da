import { describe, expect, test } from 'vitest';
import {
  createProject,
  expectKnown,
  expectPlain,
  expectSchemaError,
  signUp,
  unknownId,
} from '../../testing/requests.ts';
import { startSuite } from '../../testing/suite.ts';

const { send } = await startSuite();
const newest = { 'x-stack-client-version': 'js @stackframe/js@2.8.108' };
const asServer = { access: 'server' } as const;

/** A team of `internal` with these members. */
async function newTeam(...members: { userId: string }[]): Promise<string> {
  const { body } = await send('POST', '/teams', { ...asServer, body: { display_name: 'Crew' } });
  for (const { userId } of members) await join(body.id, userId);
  return body.id;
}
const join = (teamId: string, userId: string) =>
  send('POST', `/team-memberships/${teamId}/${userId}`, { ...asServer, body: {} });
const leave = (teamId: string, userId: string) =>
  send('DELETE', `/team-memberships/${teamId}/${userId}`, { ...asServer, body: {} });

/** Of `internal`. */
const changeSettings = (body: object) =>
  send('PATCH', '/internal/projects/current/settings', { access: 'admin', body });

type Person = { accessToken: string; userId: string };
const create = (owner: Person, owner_team_id: string | null) =>
  send('POST', '/internal/projects', {
    as: owner.accessToken,
    headers: newest,
    body: { display_name: 'Shop', owner_team_id },
  });
const transfer = (owner: Person, project_id: string, new_team_id: string) =>
  send('POST', '/internal/projects/transfer', { as: owner.accessToken, body: { project_id, new_team_id } });
const owned = async (owner: Person) =>
  (await send('GET', '/internal/projects', { as: owner.accessToken })).body.items.map(({ id }: { id: string }) => id);
const mirrored = async ({ userId }: Person) =>
  (await send('GET', `/users/${userId}`, asServer)).body.server_metadata.managedProjectIds;
const readAsAdmin = (owner: Person, projectId: string) =>
  send('GET', '/internal/projects/current', {
    projectId,
    access: 'admin',
    headers: { ...newest, 'x-stack-super-secret-admin-key': '', 'x-stack-admin-access-token': owner.accessToken },
  });

async function expectOwner(owner: Person, projectId: string): Promise<void> {
  expect((await readAsAdmin(owner, projectId)).body.id).toBe(projectId);
  expect(await owned(owner)).toContain(projectId);
  expect(await mirrored(owner)).toContain(projectId);
}
async function expectStranger(owner: Person, projectId: string): Promise<void> {
  expectKnown(await readAsAdmin(owner, projectId), 401, 'ADMIN_ACCESS_TOKEN_IS_NOT_ADMIN');
  expect(await owned(owner)).not.toContain(projectId);
  expect(await mirrored(owner)).not.toContain(projectId);
}

describe('a project of a team', () => {
  test('is owned by everyone who is a member, as long as they are', async () => {
    const [ann, bob] = [await signUp(send), await signUp(send)];
    const teamId = await newTeam(ann);
    const created = await create(ann, teamId);
    expect({ status: created.status, team: created.body.owner_team_id }).toEqual({ status: 201, team: teamId });
    const { id } = created.body;
    expect((await readAsAdmin(ann, id)).body.owner_team_id).toBe(teamId);
    await expectOwner(ann, id);
    await expectStranger(bob, id);
    await join(teamId, bob.userId);
    await expectOwner(bob, id);
    await leave(teamId, ann.userId);
    await expectStranger(ann, id);
    await expectOwner(bob, id);
  });

  test('has no owners after the team is deleted', async () => {
    const ann = await signUp(send);
    const teamId = await newTeam(ann);
    const { id } = (await create(ann, teamId)).body;
    await send('DELETE', `/teams/${teamId}`, { ...asServer, body: {} });
    await expectStranger(ann, id);
  });

  test('has no owners while the team awaits deletion', async () => {
    const ann = await signUp(send);
    const teamId = await newTeam(ann);
    const { id } = (await create(ann, teamId)).body;
    await changeSettings({ team_deletion_grace_days: 1 });
    await send('DELETE', `/teams/${teamId}`, { ...asServer, body: {} });
    await changeSettings({ team_deletion_grace_days: 0 });
    await expectStranger(ann, id);
    await send('POST', `/internal/teams/${teamId}/restore`, { access: 'admin', body: {} });
    await expectOwner(ann, id);
  });

  test('is not listed as deleted while the team awaits deletion too', async () => {
    const ann = await signUp(send);
    const teamId = await newTeam(ann);
    const { id: projectId } = (await create(ann, teamId)).body;
    const headers = { 'x-stack-super-secret-admin-key': '', 'x-stack-admin-access-token': ann.accessToken };
    const asOwner = { projectId, access: 'admin', headers } as const;
    const body = { project_deletion_grace_days: 1 };
    await send('PATCH', '/internal/projects/current/settings', { ...asOwner, body });
    await send('DELETE', '/internal/projects/current', asOwner);
    const listDeleted = async () =>
      (await send('GET', '/internal/deleted-projects', { as: ann.accessToken })).body.items;
    expect(await listDeleted()).toMatchObject([{ id: projectId }]);
    await changeSettings({ team_deletion_grace_days: 1 });
    await send('DELETE', `/teams/${teamId}`, { ...asServer, body: {} });
    await changeSettings({ team_deletion_grace_days: 0 });
    expect(await listDeleted()).toEqual([]);
    await send('POST', `/internal/teams/${teamId}/restore`, { access: 'admin', body: {} });
    expect(await listDeleted()).toMatchObject([{ id: projectId }]);
  });

  test('is not owned by an anonymous member', async () => {
    const ann = await signUp(send);
    const teamId = await newTeam(ann);
    const { id } = (await create(ann, teamId)).body;
    const { body } = await send('POST', '/users', { ...asServer, body: { is_anonymous: true } });
    await join(teamId, body.id);
    const session = await send('POST', '/auth/sessions', { ...asServer, body: { user_id: body.id } });
    const anonymous = { userId: body.id, accessToken: session.body.access_token };
    expectKnown(await readAsAdmin(anonymous, id), 401, 'ADMIN_ACCESS_TOKEN_IS_NOT_ADMIN');
    expect(await mirrored(anonymous)).toEqual([]);
  });

  test('is created by members of the team only', async () => {
    const [ann, bob] = [await signUp(send), await signUp(send)];
    const teamId = await newTeam(bob);
    for (const team_id of [teamId, unknownId]) {
      expectKnown(await create(ann, team_id), 404, 'TEAM_MEMBERSHIP_NOT_FOUND', { team_id, user_id: ann.userId });
    }
    const shop = await createProject(send);
    const shopTeam = await send('POST', '/teams', { ...shop, ...asServer, body: { display_name: 'Shop' } });
    expectKnown(await create(ann, shopTeam.body.id), 404, 'TEAM_MEMBERSHIP_NOT_FOUND', {
      team_id: shopTeam.body.id,
      user_id: ann.userId,
    });
    expectSchemaError(await create(ann, 'x'), 'body.owner_team_id');
  });

  test('without a team is owned by its creator', async () => {
    const ann = await signUp(send);
    const created = await create(ann, null);
    expect(created.body.owner_team_id).toBeNull();
    await expectOwner(ann, created.body.id);
  });

  test('is shown with its team to newer clients only', async () => {
    const ann = await signUp(send);
    const teamId = await newTeam(ann);
    await create(ann, teamId);
    const listed = async (headers: Record<string, string>) =>
      (await send('GET', '/internal/projects', { as: ann.accessToken, headers })).body.items[0];
    expect(await listed(newest)).toHaveProperty('owner_team_id', teamId);
    expect(await listed({ 'x-stack-client-version': 'js @gatebook/js@0.1.0' })).toHaveProperty('owner_team_id', teamId);
    expect(await listed({ 'x-stack-client-version': 'js @stackframe/js@2.8.3' })).not.toHaveProperty('owner_team_id');
    expect(await listed({})).not.toHaveProperty('owner_team_id');
  });
});

describe('a transfer', () => {
  test('makes the team the only owner', async () => {
    const [ann, bob] = [await signUp(send), await signUp(send)];
    const { id } = (await create(ann, null)).body;
    const teamId = await newTeam(ann, bob);
    const answer = await transfer(ann, id, teamId);
    expect({ status: answer.status, body: answer.body }).toEqual({ status: 200, body: { success: true } });
    await expectOwner(bob, id);
    await leave(teamId, ann.userId);
    await expectStranger(ann, id);
  });

  test('out of a team requires the permission to update that team', async () => {
    const [ann, bob] = [await signUp(send), await signUp(send)];
    const [first, second] = [await newTeam(ann, bob), await newTeam(ann)];
    const { id } = (await create(ann, first)).body;
    expectKnown(await transfer(ann, id, second), 401, 'TEAM_PERMISSION_REQUIRED', {
      team_id: first,
      user_id: ann.userId,
      permission_id: '$update_team',
    });
    await send('POST', `/team-permissions/${first}/${ann.userId}/team_admin`, { ...asServer, body: {} });
    expect((await transfer(ann, id, second)).status).toBe(200);
    await expectOwner(ann, id);
    await expectStranger(bob, id);
  });

  test('is rejected for projects of others and into teams of others', async () => {
    const [ann, bob] = [await signUp(send), await signUp(send)];
    const { id } = (await create(ann, null)).body;
    const [annsTeam, bobsTeam] = [await newTeam(ann), await newTeam(bob)];
    for (const project_id of [id, unknownId, 'internal']) {
      expectKnown(await transfer(bob, project_id, bobsTeam), 404, 'PROJECT_NOT_FOUND', { project_id });
    }
    expectKnown(await transfer(ann, id, bobsTeam), 404, 'TEAM_MEMBERSHIP_NOT_FOUND', {
      team_id: bobsTeam,
      user_id: ann.userId,
    });
    expectSchemaError(await transfer(ann, id, 'x'), 'body.new_team_id');
    expectKnown(
      await send('POST', '/internal/projects/transfer', { body: { project_id: id, new_team_id: annsTeam } }),
      401,
      'USER_AUTHENTICATION_REQUIRED',
    );
  });
});

test('projects of a team count toward the quota of their creator while the creator is a member', async () => {
  const setLimit = (limit: number | null) =>
    send('PATCH', '/internal/projects/current/settings', {
      access: 'admin',
      body: { quotas: { projects_per_owner: limit } },
    });
  const ann = await signUp(send);
  const teamId = await newTeam(ann);
  await setLimit(1);
  expect((await create(ann, teamId)).status).toBe(201);
  expectPlain(await create(ann, null), 400);
  await leave(teamId, ann.userId);
  expect((await create(ann, null)).status).toBe(201);
  await setLimit(null);
});

test('an owner whose last project was deleted has an empty list of projects', async () => {
  const ann = await signUp(send);
  const { id } = (await create(ann, null)).body;
  await send('DELETE', '/internal/projects/current', {
    projectId: id,
    access: 'admin',
    headers: { 'x-stack-super-secret-admin-key': '', 'x-stack-admin-access-token': ann.accessToken },
    body: {},
  });
  expect(await mirrored(ann)).toEqual([]);
});
