import { findFreePort } from '@gatebook/runtime/free-port';
import { describe, expect, test } from 'vitest';
import { loadClient, publishedClients } from '../../testing/published-clients.ts';
import {
  type Call,
  changeConfig,
  changeSettings,
  createProject,
  expectKnown,
  expectSchemaError,
  password,
  type SignedIn,
  signUp,
  unknownId,
} from '../../testing/requests.ts';
import { startSuite } from '../../testing/suite.ts';

const port = await findFreePort();
const baseUrl = `http://localhost:${port}`;
const { api, send } = await startSuite({ publicUrl: baseUrl, port });
await api.app.listen({ port, host: 'localhost' });
const project = await createProject(send);
await changeSettings(send, project, { team_deletion_grace_days: 30 });
await changeConfig(send, project, { client_team_creation_enabled: true, allow_team_api_keys: true });

const as = (access: NonNullable<Call['access']>) => (method: string, path: string, body?: unknown) =>
  send(method, path, { ...project, access, ...(body !== undefined && { body }) });
const [server, admin] = [as('server'), as('admin')];
const remove = (teamId: string) => server('DELETE', `/teams/${teamId}`);
const restore = (teamId: string) => admin('POST', `/internal/teams/${teamId}/restore`, {});
const erase = (teamId: string) => admin('POST', `/internal/teams/${teamId}/erase`, {});
const listDeleted = async (query = '') => (await admin('GET', `/internal/deleted-teams${query}`)).body;

type Team = { teamId: string; creator: SignedIn; member: SignedIn; apiKey: string };
/** A team with two members, permissions, a profile, an invitation and an API key, selected by its creator. */
async function createTeam(): Promise<Team> {
  const [creator, member] = [await signUp(send, project), await signUp(send, project)];
  const created = await server('POST', '/teams', { display_name: 'Crew', creator_user_id: creator.userId });
  const teamId = created.body.id as string;
  await server('POST', `/team-memberships/${teamId}/${member.userId}`, {});
  await server('POST', `/team-permissions/${teamId}/${member.userId}/$update_team`, {});
  await server('PATCH', `/team-member-profiles/${teamId}/${member.userId}`, { display_name: 'Captain' });
  await server('PATCH', `/users/${creator.userId}`, { selected_team_id: teamId });
  const callback = { callback_url: 'http://localhost/join' };
  await server('POST', '/team-invitations/send-code', { team_id: teamId, email: 'friend@example.com', ...callback });
  const key = await server('POST', '/team-api-keys', { team_id: teamId, description: 'ci', expires_at_millis: null });
  expect(key.status).toBe(200);
  return { teamId, creator, member, apiKey: key.body.value };
}

/** What servers read of a team and its members, and what its creator reads. */
async function readAll({ teamId, creator, member, apiKey }: Team) {
  const paths = [
    `/teams/${teamId}`,
    '/teams?query=Crew',
    `/teams?user_id=${creator.userId}`,
    `/users?team_id=${teamId}`,
    `/users?team_id=${teamId}&order_by=last_active_at`,
    `/users/${creator.userId}`,
    `/team-member-profiles?team_id=${teamId}`,
    `/team-member-profiles?user_id=${member.userId}`,
    `/team-member-profiles/${teamId}/${member.userId}`,
    `/team-permissions?team_id=${teamId}`,
    `/team-permissions?user_id=${member.userId}&recursive=true`,
    `/team-invitations?team_id=${teamId}`,
    `/team-api-keys?team_id=${teamId}`,
  ];
  const read = async (path: string, call: Call) => {
    const { status, body } = await send('GET', path, { ...project, ...call });
    const own = Array.isArray(body.items) && path === '/teams?query=Crew' ? body.items.filter(isTeam) : body;
    return [path, { status, body: own }] as const;
  };
  const isTeam = ({ id }: { id: string }) => id === teamId;
  const ofServer = await Promise.all(paths.map((path) => read(path, { access: 'server' })));
  const ofCreator = ['/teams?user_id=me', '/users/me', `/teams/${teamId}`].map(async (path) => {
    const [, answer] = await read(path, { as: creator.accessToken });
    return [`${path} as creator`, answer] as const;
  });
  const checked = await server('POST', '/team-api-keys/check', { api_key: apiKey });
  const check = { status: checked.status, body: checked.body };
  return Object.fromEntries([...ofServer, ...(await Promise.all(ofCreator)), ['check', check]]) as Record<
    string,
    { status: number; body: unknown }
  >;
}
const withoutIds = (answers: object, { teamId, creator, member }: Team) =>
  JSON.stringify(answers)
    .replaceAll(teamId, 'TEAM')
    .replaceAll(creator.userId, 'CREATOR')
    .replaceAll(member.userId, 'MEMBER')
    .replaceAll(creator.email, 'CREATOR')
    .replaceAll(member.email, 'MEMBER')
    .replace(/[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}/g, 'ID')
    .replace(/_millis":\d+/g, '_millis":0');

describe('a team deleted with a grace period', () => {
  test('is read and listed like a team that is deleted at once', async () => {
    const [waiting, gone] = [await createTeam(), await createTeam()];
    expect((await remove(waiting.teamId)).body).toEqual({ success: true });
    expect((await erase(gone.teamId)).status).toBe(200);
    const [answers, expected] = [await readAll(waiting), await readAll(gone)];
    for (const [path, answer] of Object.entries(answers)) {
      const other = expected[pathOf(path, waiting, gone)] ?? {};
      expect(withoutIds(answer, waiting), path).toBe(withoutIds(other, gone));
    }
    expect(answers[`/teams/${waiting.teamId}`]).toMatchObject({ status: 404, body: { code: 'TEAM_NOT_FOUND' } });
    expectKnown(await remove(waiting.teamId), 404, 'TEAM_NOT_FOUND', { team_id: waiting.teamId });
    expectKnown(await server('PATCH', `/teams/${waiting.teamId}`, { display_name: 'x' }), 404, 'TEAM_NOT_FOUND', {
      team_id: waiting.teamId,
    });
  });

  test('comes back as it was', async () => {
    const team = await createTeam();
    const before = await readAll(team);
    for (const [path, answer] of Object.entries(before)) expect(answer, path).toMatchObject({ status: 200 });
    await remove(team.teamId);
    const [found] = (await listDeleted()).items.filter(({ id }: { id: string }) => id === team.teamId);
    expect(found).toMatchObject({ display_name: 'Crew', erased_at_millis: found.deleted_at_millis + 30 * 86_400_000 });
    expect((await restore(team.teamId)).body).toEqual({ success: true });
    expect(steady(await readAll(team))).toEqual(steady(before));
    expect((await restore(team.teamId)).status).toBe(200);
    expect((await listDeleted()).items.map(({ id }: { id: string }) => id)).not.toContain(team.teamId);
  });

  test('is deleted by a member too', async () => {
    const { teamId, creator } = await createTeam();
    expect((await send('DELETE', `/teams/${teamId}`, { ...project, as: creator.accessToken })).status).toBe(200);
    expect((await listDeleted()).items.map(({ id }: { id: string }) => id)).toContain(teamId);
  });

  test('can’t be restored or erased once it is erased, nor from another project', async () => {
    const { teamId } = await createTeam();
    await remove(teamId);
    const other = await createProject(send);
    for (const path of ['restore', 'erase']) {
      const call = { ...other, access: 'admin' as const, body: {} };
      expectKnown(await send('POST', `/internal/teams/${teamId}/${path}`, call), 404, 'TEAM_NOT_FOUND', {
        team_id: teamId,
      });
      expectKnown(await admin('POST', `/internal/teams/${unknownId}/${path}`, {}), 404, 'TEAM_NOT_FOUND', {
        team_id: unknownId,
      });
    }
    await erase(teamId);
    expectKnown(await restore(teamId), 404, 'TEAM_NOT_FOUND', { team_id: teamId });
    expectKnown(await erase(teamId), 404, 'TEAM_NOT_FOUND', { team_id: teamId });
  });
});

/** The same path of another team. */
const pathOf = (path: string, from: Team, to: Team) =>
  path
    .replaceAll(from.teamId, to.teamId)
    .replaceAll(from.creator.userId, to.creator.userId)
    .replaceAll(from.member.userId, to.member.userId);

/** Without what reading changes. */
const steady = (answers: object) =>
  JSON.parse(JSON.stringify(answers, (key, value) => (/^last_\w+_at(_millis)?$/.test(key) ? undefined : value)));

test('deleted teams are listed in pages, those first that are erased first', async () => {
  const own = await createProject(send);
  const call = { ...own, access: 'admin' as const };
  const ids: string[] = [];
  for (let n = 0; n < 3; n += 1) {
    const { body } = await send('POST', '/teams', { ...own, access: 'server', body: { display_name: `Crew ${n}` } });
    await changeSettings(send, own, { team_deletion_grace_days: 3 - n });
    await send('DELETE', `/teams/${body.id}`, call);
    ids.push(body.id);
  }
  const first = (await send('GET', '/internal/deleted-teams?limit=2', call)).body;
  const cursor = first.pagination.next_cursor;
  const second = (await send('GET', `/internal/deleted-teams?limit=2&cursor=${cursor}`, call)).body;
  const listed = [...first.items, ...second.items].map(({ id }: { id: string }) => id);
  expect(listed).toEqual(ids.reverse());
});

test('the grace period is a number of days from 0 to 90, 0 by default', async () => {
  const own = await createProject(send);
  const call = { ...own, access: 'admin' as const };
  expect((await send('GET', '/internal/projects/current/settings', call)).body.team_deletion_grace_days).toBe(0);
  expectSchemaError(await changeSettings(send, own, { team_deletion_grace_days: 91 }), 'team_deletion_grace_days');
  const { body } = await send('POST', '/teams', { ...own, access: 'server', body: { display_name: 'Crew' } });
  await send('DELETE', `/teams/${body.id}`, call);
  expect((await send('GET', '/internal/deleted-teams', call)).body.items).toEqual([]);
});

const versions = await Promise.all(
  publishedClients.map(async (published) => ({ version: published.version, library: await loadClient(published) })),
);
describe.each(versions)('@stackframe/js $version', ({ library }) => {
  const facts = {
    baseUrl,
    tokenStore: 'memory',
    redirectMethod: 'none',
    projectId: project.projectId,
    publishableClientKey: project.keys.client,
  } as const;

  test('sees a team deleted with a grace period as deleted', async () => {
    const { teamId, creator } = await createTeam();
    const app = new library.StackClientApp(facts);
    await app.signInWithCredential({ email: creator.email, password, noRedirect: true });
    const user = await app.getUser({ or: 'throw' });
    const team = await user.getTeam(teamId);
    await team?.delete();
    const servers = new library.StackServerApp({ ...facts, secretServerKey: project.keys.server });
    expect(await servers.getTeam(teamId)).toBeNull();
    expect((await servers.getUser(creator.userId))?.selectedTeam).toBeNull();
    await restore(teamId);
    const again = new library.StackServerApp({ ...facts, secretServerKey: project.keys.server });
    expect((await again.getTeam(teamId))?.displayName).toBe('Crew');
    expect((await again.getUser(creator.userId))?.selectedTeam?.id).toBe(teamId);
  });
});
