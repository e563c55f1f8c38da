import { expect, test } from 'vitest';
import { type Call, createProject, expectKnown, expectSchemaError, unknownId } from '../../testing/requests.ts';
import { startSuite } from '../../testing/suite.ts';

const { api, send } = await startSuite();
const project = await createProject(send);

const path = '/internal/api-keys';
const expires_at_millis = Date.parse('2099-01-01');
const none = { has_publishable_client_key: false, has_secret_server_key: false, has_super_secret_admin_key: false };
const admin = (call: Call = {}): Call => ({ ...project, access: 'admin', ...call });
const create = (body: Record<string, unknown>) =>
  send('POST', path, admin({ body: { description: 'd', expires_at_millis, ...none, ...body } }));

test('full keys are returned once, later only their last characters', async () => {
  const made = await create({ has_publishable_client_key: true, has_super_secret_admin_key: 'true' });
  expect(made.status).toBe(200);
  expect(made.body).toEqual({
    id: expect.any(String),
    description: 'd',
    created_at_millis: expect.any(Number),
    expires_at_millis,
    publishable_client_key: expect.stringMatching(/^pck_[0-9a-hjkmnp-tv-z]{45}$/),
    super_secret_admin_key: expect.stringMatching(/^sak_[0-9a-hjkmnp-tv-z]{45}$/),
  });
  const seen = {
    ...made.body,
    publishable_client_key: { last_four: made.body.publishable_client_key.slice(-4) },
    super_secret_admin_key: { last_four: made.body.super_secret_admin_key.slice(-4) },
  };
  expect((await send('GET', `${path}/${made.body.id}`, admin())).body).toEqual(seen);
  const listed = await send('GET', path, admin());
  expect(listed.body.is_paginated).toBe(false);
  expect(listed.body.items[0]).toEqual(seen);
});

test('a key set can be empty, expired or long-lived', async () => {
  const past = await create({ expires_at_millis: 0 });
  expect(past.body).toEqual({
    id: expect.any(String),
    description: 'd',
    created_at_millis: expect.any(Number),
    expires_at_millis: 0,
  });
  expectSchemaError(await create({ expires_at_millis: 8.64e15 }), 'body.expires_at_millis');
});

test('a key set can be described and revoked; the first revocation time stays', async () => {
  const { id } = (await create({ has_secret_server_key: true })).body;
  const described = await send('PATCH', `${path}/${id}`, admin({ body: { description: 'new' } }));
  expect(described.status).toBe(200);
  expect(described.body).toMatchObject({ description: 'new' });
  expect(described.body).not.toHaveProperty('manually_revoked_at_millis');
  const revoked = await send('PATCH', `${path}/${id}`, admin({ body: { revoked: true } }));
  expect(revoked.body.manually_revoked_at_millis).toEqual(expect.any(Number));
  api.advance(1000);
  const again = await send('PATCH', `${path}/${id}`, admin({ body: { revoked: true, description: 'late' } }));
  expect(again.body).toEqual({ ...revoked.body, description: 'late' });
  const nothing = await send('PATCH', `${path}/${id}`, admin({ body: {} }));
  expect(nothing.body).toEqual(again.body);
});

test('invalid requests are rejected with known errors', async () => {
  const other = await createProject(send);
  const [foreign] = (await send('GET', path, { ...other, access: 'admin' })).body.items;
  for (const id of [unknownId, foreign.id]) {
    expectKnown(await send('GET', `${path}/${id}`, admin()), 404, 'API_KEY_NOT_FOUND');
    const answer = await send('PATCH', `${path}/${id}`, admin({ body: { revoked: true } }));
    expectKnown(answer, 404, 'API_KEY_NOT_FOUND');
  }
  expectSchemaError(await send('GET', `${path}/7`, admin()), 'params.key_id');
  expectSchemaError(await send('PATCH', `${path}/${unknownId}`, admin({ body: { revoked: false } })), 'body.revoked');
  expectSchemaError(
    await send('POST', path, admin({ body: { description: null } })),
    'body.description',
    'body.expires_at_millis is required',
    'body.has_publishable_client_key is required',
    'body.has_secret_server_key is required',
    'body.has_super_secret_admin_key is required',
  );
  for (const access of ['client', 'server'] as const) {
    expectKnown(await send('GET', path, { ...project, access }), 401, 'INSUFFICIENT_ACCESS_TYPE', {
      actual_access_type: access,
      allowed_access_types: ['admin'],
    });
  }
});

test('a key set is rotated: both work until the old one expires', async () => {
  const old = (await create({ has_secret_server_key: true })).body;
  const now = Date.parse(api.deps.now());
  const body = { expires_at_millis, old_expires_at_millis: now + 60_000 };
  const rotated = await send('POST', `${path}/${old.id}/rotate`, admin({ body }));
  expect(rotated.body).toEqual({
    id: expect.any(String),
    description: 'd',
    created_at_millis: expect.any(Number),
    expires_at_millis,
    secret_server_key: expect.stringMatching(/^ssk_/),
  });
  const use = (key: string) =>
    send('GET', '/users?limit=1', { ...project, access: 'server', keys: { ...project.keys, server: key } });
  for (const key of [old.secret_server_key, rotated.body.secret_server_key]) expect((await use(key)).status).toBe(200);
  await api.deps.activity.flush();
  expect((await send('GET', `${path}/${old.id}`, admin())).body).toMatchObject({
    expires_at_millis: body.old_expires_at_millis,
    last_used_at_millis: expect.any(Number),
  });
  api.advance(60_000);
  expectKnown(await use(old.secret_server_key), 401, 'INVALID_SECRET_SERVER_KEY', { project_id: project.projectId });
  expect((await use(rotated.body.secret_server_key)).status).toBe(200);
});
