import { explainPermission } from '@gatebook/commands/permission/explain';
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import { startTestApi, type TestApi } from '../../testing/api.ts';
import { createProject, expectKnown, type Send, senderOf, signUp } from '../../testing/requests.ts';

let api: TestApi;
let send: Send;
let project: Awaited<ReturnType<typeof createProject>>;
beforeAll(async () => {
  api = await startTestApi({ history: true });
  send = senderOf(api);
  project = await createProject(send);
});
afterAll(() => api.close());

const asAdmin = (method: string, path: string, body?: unknown, of = project) =>
  send(method, path, { ...of, access: 'admin', ...(body === undefined ? {} : { body }) });

async function createMember() {
  const { userId } = await signUp(send, project);
  const { body: team } = await asAdmin('POST', '/teams', { display_name: 'Crew' });
  await asAdmin('POST', `/team-memberships/${team.id}/${userId}`, {});
  return { userId, teamId: team.id as string };
}
const explain = (userId: string, permissionId: string, teamId?: string, of = project) =>
  asAdmin(
    'GET',
    `/internal/permission-explanations?user_id=${userId}&permission_id=${permissionId}${teamId ? `&team_id=${teamId}` : ''}`,
    undefined,
    of,
  );

const step = (kind: string, type: string | null, holds = true) =>
  expect.objectContaining({ kind, holds, since_event: type === null ? null : expect.objectContaining({ type }) });

describe('an explanation of a permission', () => {
  test('shows the path from the membership to a contained permission', async () => {
    const { userId, teamId } = await createMember();
    const { status, body } = await explain(userId, '$read_members', teamId);
    expect(status).toBe(200);
    expect(body).toMatchObject({
      is_granted: true,
      scope: 'team',
      team_id: teamId,
      nearest_miss: null,
      would_grant: [],
    });
    expect(body.paths).toHaveLength(1);
    expect(body.paths[0].steps).toEqual([
      step('membership', 'TeamMemberAdded'),
      step('default_grant', 'TeamMemberAdded'),
      step('containment', 'ProjectCreated'),
      step('definition', null),
    ]);
    expect(body.paths[0].steps[2]).toMatchObject({
      permission_id: 'team_member',
      contained_permission_id: '$read_members',
      relevance: 'high',
    });
  });

  test('names who revoked the permission, and what would grant it, under current IDs', async () => {
    const { userId, teamId } = await createMember();
    await asAdmin('POST', '/team-permission-definitions', { id: 'reports:read' });
    await asAdmin('POST', '/team-permission-definitions', {
      id: 'analyst',
      contained_permission_ids: ['reports:read'],
    });
    const grant = `/team-permissions/${teamId}/${userId}/analyst`;
    await asAdmin('POST', grant, {});
    expect((await explain(userId, 'reports:read', teamId)).body.is_granted).toBe(true);
    const owner = {
      'x-stack-super-secret-admin-key': '',
      'x-stack-admin-access-token': project.owner.accessToken,
    };
    const revoked = await send('DELETE', grant, { ...project, access: 'admin', headers: owner });
    await asAdmin('PATCH', '/team-permission-definitions/analyst', { id: 'data_analyst' });
    const { body } = await explain(userId, 'reports:read', teamId);
    expect(body).toMatchObject({ is_granted: false, paths: [], would_grant: ['data_analyst', 'reports:read'] });
    const [, missed] = body.nearest_miss.steps;
    expect(missed).toMatchObject({
      kind: 'grant',
      permission_id: 'data_analyst',
      holds: false,
      relevance: 'high',
      until_event: {
        type: 'TeamPermissionRevoked',
        actor: { kind: 'owner', id: project.owner.userId, display_name: expect.any(String) },
      },
    });
    expect(revoked.status).toBe(200);
    await asAdmin('POST', `/team-permissions/${teamId}/${userId}/${body.would_grant[0]}`, {});
    expect((await explain(userId, 'reports:read', teamId)).body.is_granted).toBe(true);
  });

  test('covers permissions of the project', async () => {
    const { userId } = await signUp(send, project);
    await asAdmin('POST', '/project-permission-definitions', { id: 'billing' });
    expect((await explain(userId, 'billing')).body).toMatchObject({ is_granted: false, would_grant: ['billing'] });
    await asAdmin('POST', `/project-permissions/${userId}/billing`, {});
    expect((await explain(userId, 'billing')).body.paths[0].steps).toEqual([
      step('grant', 'ProjectPermissionGranted'),
      step('definition', 'PermissionDefinitionCreated'),
    ]);
    const { teamId } = await createMember();
    expectKnown(await explain(userId, 'billing', teamId), 404, 'WRONG_PERMISSION_SCOPE', expect.anything());
    expectKnown(await explain(userId, 'unknown'), 404, 'PERMISSION_NOT_FOUND', { permission_id: 'unknown' });
  });

  test('shows nobody a step of another project (check 22)', async () => {
    const other = await createProject(send);
    const { userId, teamId } = await createMember();
    expectKnown(await explain(userId, '$read_members', teamId, other), 404, 'USER_NOT_FOUND');
    const { userId: stranger } = await signUp(send, other);
    const { body: team } = await asAdmin('POST', '/teams', { display_name: 'Others' }, other);
    expectKnown(await explain(userId, '$read_members', team.id), 404, 'TEAM_NOT_FOUND', { team_id: team.id });
    expectKnown(await explain(stranger, '$read_members', teamId, other), 404, 'TEAM_NOT_FOUND', { team_id: teamId });
    const server = { ...project, access: 'server' as const };
    const path = `/internal/permission-explanations?user_id=${userId}&permission_id=$read_members`;
    expect((await send('GET', path, server)).body.code).toBe('INSUFFICIENT_ACCESS_TYPE');
  });

  test('at an earlier position gives the answer and the steps of then (check 22)', async () => {
    const { userId, teamId } = await createMember();
    const before = await api.deps.store.head();
    await asAdmin('DELETE', `/team-permissions/${teamId}/${userId}/team_member`);
    const question = { projectId: project.projectId, userId, permissionId: '$read_members', teamId };
    const then = await explainPermission(api.deps.store, { ...question, moment: before });
    expect(then.isGranted).toBe(true);
    expect(then.paths[0]?.[1]?.fact.until).toBe(null);
    expect((await explainPermission(api.deps.store, { ...question, moment: 'now' })).isGranted).toBe(false);
    const first = { ...question, moment: 1n };
    await expect(explainPermission(api.deps.store, first)).rejects.toMatchObject({ code: 'USER_NOT_FOUND' });
  });

  test('as of an event gives the answer of then, and names the event (check 22)', async () => {
    const { userId, teamId } = await createMember();
    const { body: now } = await explain(userId, '$read_members', teamId);
    const joined = now.paths[0].steps[0].since_event.id;
    await asAdmin('DELETE', `/team-permissions/${teamId}/${userId}/team_member`);
    expect((await explain(userId, '$read_members', teamId)).body).toMatchObject({
      is_granted: false,
      as_of_event_id: null,
    });
    const then = await vi.waitUntil(async () => {
      const answer = await explain(userId, '$read_members', `${teamId}&as_of=${joined}`);
      return answer.status !== 503 && answer;
    });
    expect(then.body).toMatchObject({ is_granted: true, as_of_event_id: then.headers['x-as-of-event-id'] });
    expect(then.body.paths[0].steps[1].until_event).toBe(null);
  });

  test('folds a bounded number of events for causes, and still answers right', async () => {
    const { userId } = await signUp(send, project);
    await asAdmin('POST', '/project-permission-definitions', { id: 'late' });
    await asAdmin('POST', `/project-permissions/${userId}/late`, {});
    const question = { projectId: project.projectId, userId, permissionId: 'late', teamId: null };
    for (const moment of ['now', await api.deps.store.head()] as const) {
      const explained = await explainPermission(api.deps.store, { ...question, moment }, 1);
      expect(explained).toMatchObject({ isGranted: true, isComplete: false });
      expect(explained.paths[0]?.map(({ fact }) => fact)).toMatchObject([
        { holds: true, since: null, until: null },
        { holds: true, since: null, until: null },
      ]);
    }
    expect(await explainPermission(api.deps.store, { ...question, moment: 'now' })).toMatchObject({ isComplete: true });
  });
});

// Not beside the other tests of rejections, which move the clock of the API but not that of the log.
test('a request that was rejected for lack of a permission explains the permission as it was then', async () => {
  const user = await signUp(send, project);
  const { body: team } = await asAdmin('POST', '/teams', { display_name: 'Crew' });
  await asAdmin('POST', `/team-memberships/${team.id}/${user.userId}`, {});
  const update = () =>
    send('PATCH', `/teams/${team.id}`, { ...project, as: user.accessToken, body: { display_name: 'Gang' } });
  const rejected = await update();
  expect(rejected.body.code).toBe('TEAM_PERMISSION_REQUIRED');
  await asAdmin('POST', `/team-permissions/${team.id}/${user.userId}/$update_team`, {});
  expect((await update()).status).toBe(200);
  const { body } = await asAdmin('GET', `/internal/rejections/${rejected.headers['x-stack-request-id']}`);
  expect(body).toMatchObject({
    caller: { actor: { kind: 'user', id: user.userId, display_name: user.email } },
    permission_explanation: {
      is_granted: false,
      permission_id: '$update_team',
      team_id: team.id,
      would_grant: ['$update_team', 'team_admin'],
    },
  });
  const failed = body.checks.find(({ passed }: { passed: boolean | null }) => passed === false);
  expect(failed).toMatchObject({ name: 'endpoint', detail: rejected.body.error });
});
