import { expect, test } from 'vitest';
import { whyKeyInvalid } from './api-keys.ts';
import { createOwnerClient } from './client.ts';
import { containedThrough } from './permissions.ts';
import { whyInvalid } from './project-keys.ts';
import { type FakeAnswer, fakeNetwork, rejection, type SentRequest, tokenFor } from './testing.ts';
import { createMemoryTokenStore } from './token-store/memory.ts';

function owner(answer: (request: SentRequest) => FakeAnswer, isSignedIn = true) {
  const { network, requests } = fakeNetwork(answer);
  const tokenStore = createMemoryTokenStore({
    accessToken: isSignedIn ? tokenFor(600_000) : null,
    refreshToken: isSignedIn ? 'r1' : null,
  });
  const options = { baseUrl: 'http://gate.test', projectId: 'internal', publishableClientKey: 'pck_1' };
  return { client: createOwnerClient({ ...options, tokenStore, network }), requests, tokenStore };
}

const user = (id: string) => ({
  id,
  display_name: 'Ann',
  primary_email: 'ann@example.com',
  primary_email_verified: true,
  primary_email_auth_enabled: true,
  profile_image_url: null,
  signed_up_at_millis: 1_000,
  last_active_at_millis: 2_000,
  has_password: true,
  otp_auth_enabled: false,
  passkey_auth_enabled: false,
  auth_with_email: true,
  requires_totp_mfa: false,
  is_anonymous: false,
  client_metadata: null,
  client_read_only_metadata: null,
  server_metadata: { plan: 'pro' },
  oauth_providers: [],
  selected_team_id: null,
  selected_team: null,
});

test('sign-in stores the tokens, and sign-out ends the session and removes them', async () => {
  const { client, requests, tokenStore } = owner(
    () => ({ json: { access_token: tokenFor(600_000), refresh_token: 'r9', user_id: 'u' } }),
    false,
  );
  await client.auth.signInWithPassword({ email: 'ann@example.com', password: 'right horse' });
  expect(tokenStore.read().refreshToken).toBe('r9');
  await client.auth.signOut();
  expect(tokenStore.read()).toEqual({ accessToken: null, refreshToken: null });
  expect(requests.map(({ method, url }) => `${method} ${new URL(url).pathname}`)).toEqual([
    'POST /api/v1/auth/password/sign-in',
    'DELETE /api/v1/auth/sessions/current',
  ]);
});

test('sign-out succeeds if the session has already ended', async () => {
  const { client, tokenStore } = owner(() => rejection('REFRESH_TOKEN_NOT_FOUND_OR_EXPIRED', 401));
  await client.auth.signOut();
  expect(tokenStore.read().refreshToken).toBeNull();
});

test('users are listed by page, in camelCase', async () => {
  const { client, requests } = owner(() => ({
    json: { items: [user('u1')], is_paginated: true, pagination: { next_cursor: 'u2' } },
  }));
  const page = await client.admin('p1').users.list({ cursor: 'u1', limit: 25, desc: true, query: 'ann & co' });
  expect(new URL(requests[0]?.url ?? '').search).toBe(
    '?order_by=signed_up_at&cursor=u1&limit=25&desc=true&query=ann+%26+co',
  );
  expect(requests[0]?.headers).toMatchObject({ 'x-stack-project-id': 'p1', 'x-stack-access-type': 'admin' });
  expect(page.nextCursor).toBe('u2');
  expect(page.items[0]).toMatchObject({
    displayName: 'Ann',
    signedUpAt: new Date(1_000),
    lastActiveAt: new Date(2_000),
    serverMetadata: { plan: 'pro' },
  });
});

test('an incomplete page of users is filled up from its cursor', async () => {
  const pages = [['u1'], [], ['u2', 'u3']];
  const { client, requests } = owner(() => {
    const items = (pages[requests.length - 1] ?? []).map(user);
    const next_cursor = requests.length < 3 ? `c${requests.length}` : null;
    return { json: { items, is_paginated: true, pagination: { next_cursor } } };
  });
  const { items, nextCursor } = await client.admin('p1').users.list({ query: 'xq', limit: 3 });
  expect(items.map(({ id }) => id)).toEqual(['u1', 'u2', 'u3']);
  expect(nextCursor).toBeNull();
  const asked = requests.map(({ url }) => new URL(url).searchParams);
  expect(asked.map((search) => [search.get('cursor'), search.get('limit')])).toEqual([
    [null, '3'],
    ['c1', '2'],
    ['c2', '2'],
  ]);
});

test('the previous page of users is found in reverse order', async () => {
  const ids = ['u5', 'u4', 'u3', 'u2', 'u1'];
  const { client } = owner(({ url }) => {
    const search = new URL(url).searchParams;
    const ordered = search.get('desc') === 'true' ? ids : ids.toReversed();
    const from = ordered.indexOf(search.get('cursor') ?? '');
    const limit = Number(search.get('limit'));
    return {
      json: {
        items: ordered.slice(from, from + limit).map(user),
        pagination: { next_cursor: ordered[from + limit] ?? null },
      },
    };
  });
  const { users } = client.admin('p1');
  expect(await users.findPreviousPage({ cursor: 'u1', limit: 2, desc: true })).toEqual({ cursor: 'u3' });
  expect(await users.findPreviousPage({ cursor: 'u3', limit: 2, desc: true })).toEqual({ cursor: null });
  expect(await users.findPreviousPage({ cursor: 'u4', limit: 2, desc: true })).toEqual({ cursor: null });
});

test('an update sends only the given fields', async () => {
  const { client, requests } = owner(() => ({ json: user('u1') }));
  await client.admin('p1').users.update('u1', { displayName: null });
  expect(requests[0]?.body).toEqual({ display_name: null });
});

test('a project key is created with its kinds and listed with its last four characters', async () => {
  const facts = { id: 'k1', description: 'web', created_at_millis: 1, expires_at_millis: 5_000 };
  const { client, requests } = owner(({ method }) =>
    method === 'POST'
      ? { json: { ...facts, publishable_client_key: 'pck_whole' } }
      : {
          json: { items: [{ ...facts, publishable_client_key: { last_four: 'hole' }, manually_revoked_at_millis: 9 }] },
        },
  );
  const { keys } = client.admin('p1');
  const created = await keys.create({
    description: 'web',
    expiresAt: new Date(5_000),
    kinds: ['publishableClientKey'],
  });
  expect(created.texts).toEqual({
    publishableClientKey: 'pck_whole',
    secretServerKey: null,
    superSecretAdminKey: null,
  });
  expect(requests[0]?.body).toEqual({
    description: 'web',
    expires_at_millis: 5_000,
    has_publishable_client_key: true,
    has_secret_server_key: false,
    has_super_secret_admin_key: false,
  });
  const [read] = await keys.list();
  expect(read?.lastFour.publishableClientKey).toBe('hole');
  expect(read && whyInvalid(read, new Date(4_999))).toBe('manually-revoked');
  expect(read && whyInvalid(read, new Date(5_000))).toBe('expired');
});

test('log positions are exact beyond the safe integers', async () => {
  const { client, requests } = owner(() => ({
    json: {
      head: '9007199254740993',
      subscriptions: [
        { name: 'main', projection_version: '3', position: '9007199254740990', lag: '3', state: 'live', error: null },
      ],
      problems: [],
      quarantines: [],
      projection_versions: [],
      checks: [
        {
          group: 'main',
          projection_version: 'main_g3',
          position: '9007199254740991',
          kind: 'sample',
          took_millis: 40,
          checked_at_millis: 1_000,
          rows_checked: 240,
          checksums_off: ['users'],
          differing: 0,
          differences: [],
        },
      ],
      log: { adapter: 'postgres', fell_back_at_millis: 2_000 },
      last_backup: { finished_at_millis: 3_000, verified_at_millis: null },
    },
  }));
  const operations = await client.operations.find();
  expect(operations.head).toBe(9007199254740993n);
  expect(operations.log).toEqual({ adapter: 'postgres', fellBackAt: new Date(2_000) });
  expect(operations.lastBackup).toEqual({ finishedAt: new Date(3_000), verifiedAt: null });
  expect(operations.checks).toEqual([
    {
      group: 'main',
      projectionVersion: 'main_g3',
      position: 9007199254740991n,
      kind: 'sample',
      tookMs: 40,
      checkedAt: new Date(1_000),
      rowsChecked: 240,
      checksumsOff: ['users'],
      differing: 0,
      differences: [],
    },
  ]);
  expect(operations.subscriptions[0]?.lag).toBe(3n);
  expect(requests[0]?.headers['x-stack-project-id']).toBe('internal');
  expect(requests[0]?.headers['x-stack-admin-access-token']).toBe(tokenFor(600_000));
});

const adminOf = (client: ReturnType<typeof owner>['client']) => client.admin('p1');
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
  const { client, requests } = owner(({ url, method }) => {
    const json = (items: unknown[]) => ({ json: { items, is_paginated: false } });
    if (url.includes('/team-member-profiles')) {
      return json([{ team_id: 't1', user_id: 'u1', display_name: 'Chief', profile_image_url: null, user: user('u1') }]);
    }
    if (url.includes('/team-invitations')) {
      return json([{ id: 'i1', team_id: 't1', recipient_email: 'a@b.example', expires_at_millis: 5_000 }]);
    }
    return method === 'GET' && url.includes('/teams?') ? json([team]) : { json: team };
  });
  const { teams } = adminOf(client);
  const seen = { id: 't1', displayName: 'Band', createdAt: new Date(1_000), serverMetadata: { plan: 'pro' } };
  expect(await teams.listOf('u1')).toMatchObject([seen]);
  expect(await teams.find('t1')).toMatchObject(seen);
  expect(await teams.create({ displayName: 'Band' })).toMatchObject(seen);
  await teams.update('t1', { displayName: 'Choir' });
  expect(await teams.listMembers('t1')).toMatchObject([
    { displayName: 'Chief', user: { id: 'u1', displayName: 'Ann' } },
  ]);
  expect(await teams.listInvitations('t1')).toEqual([
    { id: 'i1', recipientEmail: 'a@b.example', expiresAt: new Date(5_000) },
  ]);
  await teams.invite('t1', { email: 'a@b.example', callbackUrl: 'https://x.example' });
  await teams.addMember('t1', 'u2');
  await teams.removeMember('t1', 'u2');
  await teams.revokeInvitation('t1', 'i1');
  await teams.delete('t1');
  expect(requests.slice(2).map(({ method, url, body }) => [method, url.split('/api/v1')[1], body])).toEqual([
    ['POST', '/teams', { display_name: 'Band' }],
    ['PATCH', '/teams/t1', { display_name: 'Choir' }],
    ['GET', '/team-member-profiles?team_id=t1', undefined],
    ['GET', '/team-invitations?team_id=t1', undefined],
    ['POST', '/team-invitations/send-code', { team_id: 't1', email: 'a@b.example', callback_url: 'https://x.example' }],
    ['POST', '/team-memberships/t1/u2', {}],
    ['DELETE', '/team-memberships/t1/u2', {}],
    ['DELETE', '/team-invitations/i1?team_id=t1', {}],
    ['DELETE', '/teams/t1', {}],
  ]);
});

test('permissions are defined and granted in a team or a project', async () => {
  const definition = { id: 'edit', contained_permission_ids: ['read'] };
  const { client, requests } = owner(({ method }) =>
    method === 'GET' ? { json: { items: [definition], is_paginated: false } } : { json: definition },
  );
  const { permissions } = adminOf(client);
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

test('contact channels and API keys send only the given fields', async () => {
  const channel = {
    id: 'c1',
    user_id: 'u1',
    type: 'email',
    value: 'a@b.example',
    is_primary: true,
    is_verified: false,
    used_for_auth: true,
  };
  const key = { id: 'k1', description: 'x', is_public: false, created_at_millis: 1, type: 'team', team_id: 't1' };
  const { client, requests } = owner(({ url, method }) => {
    const one = url.includes('api-keys')
      ? { ...key, value: method === 'POST' ? 'sk_1' : { last_four: 'ab12' } }
      : channel;
    return { json: method === 'GET' ? { items: [one], is_paginated: false } : one };
  });
  const { contactChannels, apiKeys } = adminOf(client);
  const [found] = await contactChannels.list('u1');
  if (!found) return expect.fail('there is a channel');
  expect(found).toMatchObject({ value: 'a@b.example', isPrimary: true, isVerified: false, usedForAuth: true });
  await contactChannels.create('u1', { value: 'a@b.example', usedForAuth: false });
  await contactChannels.update(found, { isVerified: true });
  await contactChannels.delete(found);
  const inTeam = { type: 'team', id: 't1' } as const;
  expect(await apiKeys.list(inTeam)).toMatchObject([{ lastFour: 'ab12', expiresAt: null, manuallyRevokedAt: null }]);
  expect(await apiKeys.create(inTeam, { description: 'x', expiresAt: null })).toBe('sk_1');
  await apiKeys.revoke(inTeam, 'k1');
  expect(requests.map(({ method, url, body }) => [method, url.split('/api/v1')[1], body])).toEqual([
    ['GET', '/contact-channels?user_id=u1', undefined],
    ['POST', '/contact-channels', { user_id: 'u1', type: 'email', value: 'a@b.example', used_for_auth: false }],
    ['PATCH', '/contact-channels/u1/c1', { is_verified: true }],
    ['DELETE', '/contact-channels/u1/c1', {}],
    ['GET', '/team-api-keys?team_id=t1', undefined],
    ['POST', '/team-api-keys', { team_id: 't1', description: 'x', expires_at_millis: null }],
    ['PATCH', '/team-api-keys/k1?team_id=t1', { revoked: true }],
  ]);
  const past = { expiresAt: new Date(1), manuallyRevokedAt: new Date(1) };
  expect(whyKeyInvalid(past, new Date(2))).toBe('manually-revoked');
  expect(whyKeyInvalid({ ...past, manuallyRevokedAt: null }, new Date(2))).toBe('expired');
});
