import { expect, test } from 'vitest';
import { containedThrough } from './permissions.ts';
import { fakeOwner, sampleUser } from './testing.ts';

const team = {
  id: 't1',
  display_name: 'Band',
  profile_image_url: null,
  created_at_millis: 1_000,
  client_metadata: null,
  client_read_only_metadata: null,
  server_metadata: { plan: 'pro' },
};

test('teams, members and invitations are returned in camelCase', async () => {
  const { client, requests } = fakeOwner(({ url, method }) => {
    const json = (items: unknown[]) => ({ json: { items, is_paginated: false } });
    if (url.includes('/team-member-profiles')) {
      return json([
        { team_id: 't1', user_id: 'u1', display_name: 'Chief', profile_image_url: null, user: sampleUser('u1') },
      ]);
    }
    if (url.includes('/team-invitations')) {
      return json([{ id: 'i1', team_id: 't1', recipient_email: 'a@b.example', expires_at_millis: 5_000 }]);
    }
    return method === 'GET' && url.includes('/teams?') ? json([team]) : { json: team };
  });
  const { teams } = client.admin('p1');
  const seen = { id: 't1', displayName: 'Band', createdAt: new Date(1_000), serverMetadata: { plan: 'pro' } };
  expect(await teams.listOf('u1', {})).toMatchObject({ items: [seen], nextCursor: null });
  expect(await teams.find('t1')).toMatchObject(seen);
  expect(await teams.create({ displayName: 'Band' })).toMatchObject(seen);
  await teams.update('t1', { displayName: 'Choir' });
  expect(await teams.listMembers('t1', { cursor: 'c1', limit: 5 })).toMatchObject({
    items: [{ displayName: 'Chief', user: { id: 'u1', displayName: 'Ann' } }],
    nextCursor: null,
  });
  expect(await teams.listInvitations('t1', {})).toEqual({
    items: [{ id: 'i1', recipientEmail: 'a@b.example', expiresAt: new Date(5_000) }],
    nextCursor: null,
  });
  await teams.invite('t1', { email: 'a@b.example', callbackUrl: 'https://x.example' });
  await teams.addMember('t1', 'u2');
  await teams.removeMember('t1', 'u2');
  await teams.revokeInvitation('t1', 'i1');
  await teams.delete('t1');
  expect(requests.slice(2).map(({ method, url, body }) => [method, url.split('/api/v1')[1], body])).toEqual([
    ['POST', '/teams', { display_name: 'Band' }],
    ['PATCH', '/teams/t1', { display_name: 'Choir' }],
    ['GET', '/team-member-profiles?team_id=t1&cursor=c1&limit=5', undefined],
    ['GET', '/team-invitations?team_id=t1', undefined],
    ['POST', '/team-invitations/send-code', { team_id: 't1', email: 'a@b.example', callback_url: 'https://x.example' }],
    ['POST', '/team-memberships/t1/u2', {}],
    ['DELETE', '/team-memberships/t1/u2', {}],
    ['DELETE', '/team-invitations/i1?team_id=t1', {}],
    ['DELETE', '/teams/t1', {}],
  ]);
});

test('teams are searched page by page, with their numbers of members', async () => {
  const { client, requests } = fakeOwner(() => ({
    json: {
      items: [{ id: 't1', display_name: 'Band', created_at_millis: 1_000, member_count: 4 }],
      is_paginated: true,
      pagination: { next_cursor: 'c2' },
    },
  }));
  const found = await client
    .admin('p1')
    .teams.search({ query: 'ba', orderBy: 'memberCount', desc: true, cursor: 'c1', limit: 1 });
  expect(found).toEqual({
    items: [{ id: 't1', displayName: 'Band', createdAt: new Date(1_000), memberCount: 4 }],
    nextCursor: 'c2',
  });
  expect(requests.at(-1)?.url.split('/api/v1')[1]).toBe(
    '/internal/teams?cursor=c1&limit=1&query=ba&order_by=member_count&desc=true',
  );
});

test('permissions are defined and granted in a team or a project', async () => {
  const definition = { id: 'edit', contained_permission_ids: ['read'] };
  const { client, requests } = fakeOwner(({ method }) =>
    method === 'GET' ? { json: { items: [definition], is_paginated: false } } : { json: definition },
  );
  const { permissions } = client.admin('p1');
  const seen = { id: 'edit', description: '', containedPermissionIds: ['read'] };
  expect(await permissions.list('team')).toEqual([seen]);
  expect(await permissions.create('project', seen)).toEqual(seen);
  expect(await permissions.update('team', 'edit', { id: 'write' })).toEqual(seen);
  await permissions.delete('team', 'edit');
  const inTeam = { userId: 'u1', teamId: 't1' };
  expect(await permissions.listGrants(inTeam)).toEqual(['edit']);
  await permissions.grant(inTeam, '$read_members');
  await permissions.revoke({ userId: 'u1', teamId: null }, 'edit');
  expect(requests.map(({ method, url, body }) => [method, url.split('/api/v1')[1], body])).toEqual([
    ['GET', '/team-permission-definitions', undefined],
    ['POST', '/project-permission-definitions', { id: 'edit', description: '', contained_permission_ids: ['read'] }],
    ['PATCH', '/team-permission-definitions/edit', { id: 'write' }],
    ['DELETE', '/team-permission-definitions/edit', {}],
    ['GET', '/team-permissions?user_id=u1&team_id=t1', undefined],
    ['POST', '/team-permissions/t1/u1/%24read_members', {}],
    ['DELETE', '/project-permissions/u1/edit', {}],
  ]);
});

test('contained permissions are found transitively, each once', () => {
  const define = (id: string, ...containedPermissionIds: string[]) => ({ id, description: '', containedPermissionIds });
  const definitions = [define('a', 'b', 'c'), define('b', 'd'), define('c', 'd', 'a'), define('d')];
  expect([...containedThrough(definitions, 'a')]).toEqual([
    ['b', 'a'],
    ['c', 'a'],
    ['d', 'b'],
  ]);
});
