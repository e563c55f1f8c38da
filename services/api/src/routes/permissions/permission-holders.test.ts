import { expect, test } from 'vitest';
import { createProject, signUp } from '../../testing/requests.ts';
import { startSuite } from '../../testing/suite.ts';

const { send } = await startSuite();
const project = await createProject(send, {});
const asServer = { ...project, access: 'server' as const };
const asAdmin = { ...project, access: 'admin' as const };

const define = (scope: string, id: string, contained: string[] = []) =>
  send('POST', `/${scope}-permission-definitions`, { ...asAdmin, body: { id, contained_permission_ids: contained } });
await define('team', 'read');
await define('team', 'write', ['read']);
await define('team', 'own', ['write']);
await define('project', 'billing');
const { body: team } = await send('POST', '/teams', { ...asServer, body: { display_name: 'Crew' } });
const people = [await signUp(send, project), await signUp(send, project), await signUp(send, project)].toSorted(
  (one, other) => (one.userId < other.userId ? -1 : 1),
);
const [ann, bob, eve] = people as [(typeof people)[0], (typeof people)[0], (typeof people)[0]];
const grant = (userId: string, id: string) =>
  send('POST', `/team-permissions/${team.id}/${userId}/${id}`, { ...asServer, body: {} });
for (const { userId } of people) {
  await send('POST', `/team-memberships/${team.id}/${userId}`, { ...asServer, body: {} });
}
await grant(ann.userId, 'read');
await grant(bob.userId, 'own');
await grant(bob.userId, 'read');
await send('POST', `/project-permissions/${eve.userId}/billing`, { ...asServer, body: {} });

const holders = async (id: string, query = 'scope=team') =>
  (await send('GET', `/internal/permissions/${id}/holders?${query}`, asAdmin)).body;

test('who has a permission is listed with the granted permissions that contain it', async () => {
  const found = await holders('read');
  expect(found.count).toBe(2);
  expect(found.items).toEqual([
    {
      ...{ user_id: ann.userId, user_display_name: null, team_id: team.id, team_display_name: 'Crew' },
      granted_permission_ids: ['read'],
    },
    {
      ...{ user_id: bob.userId, user_display_name: null, team_id: team.id, team_display_name: 'Crew' },
      granted_permission_ids: ['own', 'read'],
    },
  ]);
  expect((await holders('own')).items).toHaveLength(1);
});

test('the list has pages, each with the count of all', async () => {
  const first = await holders('read', 'scope=team&limit=1');
  const second = await holders('read', `scope=team&limit=1&cursor=${first.pagination.next_cursor}`);
  const ids = [...first.items, ...second.items].map(({ user_id }) => user_id);
  expect(ids).toEqual([ann.userId, bob.userId]);
  expect(second).toMatchObject({ count: 2, pagination: { next_cursor: null } });
});

test('the holders of all permissions of a scope are counted at once', async () => {
  const counts = async (scope: string) => {
    const { body } = await send('GET', `/internal/permissions/holder-counts?scope=${scope}`, asAdmin);
    return Object.fromEntries(body.items.map((one: Record<string, unknown>) => [one.permission_id, one]));
  };
  const ofTeam = await counts('team');
  expect(ofTeam).toMatchObject({
    read: { count: 2, is_complete: true },
    write: { count: 1 },
    own: { count: 1 },
    team_member: { count: (await holders('team_member')).count },
    $read_members: { count: (await holders('$read_members')).count },
  });
  expect(ofTeam.team_member.count).toBe(3);
  expect(await counts('project')).toEqual({ billing: { permission_id: 'billing', count: 1, is_complete: true } });
});

test('project permissions belong to no team', async () => {
  const found = await holders('billing', 'scope=project');
  expect(found.items).toMatchObject([{ user_id: eve.userId, team_id: null, granted_permission_ids: ['billing'] }]);
});

test('deleted users have nothing', async () => {
  await send('DELETE', `/users/${ann.userId}`, asServer);
  expect(await holders('read')).toMatchObject({ count: 1, items: [{ user_id: bob.userId }] });
});

test('a permission of the other scope is not found', async () => {
  const answer = await send('GET', '/internal/permissions/billing/holders?scope=team', asAdmin);
  expect(answer).toMatchObject({ status: 404, body: { code: 'PERMISSION_NOT_FOUND' } });
});
