import { expect, test } from 'vitest';
import { createOwnerClient } from './client.ts';
import { whyInvalid } from './project-keys.ts';
import { type FakeAnswer, fakeNetwork, refusal, type SentRequest, tokenFor } from './testing.ts';
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

test('signing in keeps the tokens; signing out ends the session and forgets them', async () => {
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

test('a session that is over already counts as signed out', async () => {
  const { client, tokenStore } = owner(() => refusal('REFRESH_TOKEN_NOT_FOUND_OR_EXPIRED', 401));
  await client.auth.signOut();
  expect(tokenStore.read().refreshToken).toBeNull();
});

test('a user list asks for a page and comes back in camelCase', async () => {
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

test('the page before is found by walking the other way round', async () => {
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

test('a change sends what was named and nothing else', async () => {
  const { client, requests } = owner(() => ({ json: user('u1') }));
  await client.admin('p1').users.update('u1', { displayName: null });
  expect(requests[0]?.body).toEqual({ display_name: null });
});

test('a key is created with its kinds and read back by its last four characters', async () => {
  const facts = { id: 'k1', description: 'web', created_at_millis: 1, expires_at_millis: 5_000 };
  const { client, requests } = owner(({ method }) =>
    method === 'POST'
      ? { json: { ...facts, publishable_client_key: 'pck_whole' } }
      : {
          json: { items: [{ ...facts, publishable_client_key: { last_four: 'hole' }, manually_revoked_at_millis: 9 }] },
        },
  );
  const { keys } = client.admin('p1');
  const made = await keys.create({ description: 'web', expiresAt: new Date(5_000), kinds: ['publishableClientKey'] });
  expect(made.texts).toEqual({ publishableClientKey: 'pck_whole', secretServerKey: null, superSecretAdminKey: null });
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

test('positions of the log are exact beyond what a number can hold', async () => {
  const { client, requests } = owner(() => ({
    json: {
      head: '9007199254740993',
      followers: [
        { name: 'main', generation: '3', position: '9007199254740990', lag: '3', state: 'live', error: null },
      ],
      generations: [],
      log: {},
    },
  }));
  const operations = await client.operations.find();
  expect(operations.head).toBe(9007199254740993n);
  expect(operations.followers[0]?.lag).toBe(3n);
  expect(requests[0]?.headers['x-stack-project-id']).toBe('internal');
  expect(requests[0]?.headers['x-stack-admin-access-token']).toBe(tokenFor(600_000));
});
