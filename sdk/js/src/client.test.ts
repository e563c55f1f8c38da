import { expect, test } from 'vitest';
import { whyInvalid } from './project-keys.ts';
import { fakeOwner, rejection, tokenFor } from './testing.ts';

test('sign-in stores the tokens, and sign-out ends the session and removes them', async () => {
  const { client, requests, tokenStore } = fakeOwner(
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
  const { client, tokenStore } = fakeOwner(() => rejection('REFRESH_TOKEN_NOT_FOUND_OR_EXPIRED', 401));
  await client.auth.signOut();
  expect(tokenStore.read().refreshToken).toBeNull();
});

test('a project key is created with its kinds and listed with its last four characters', async () => {
  const facts = { id: 'k1', description: 'web', created_at_millis: 1, expires_at_millis: 5_000 };
  const { client, requests } = fakeOwner(({ method }) =>
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
  const { client, requests } = fakeOwner(() => ({
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
      rejections_expired_at_millis: null,
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
