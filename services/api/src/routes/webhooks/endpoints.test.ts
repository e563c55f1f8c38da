import { findWebhookEndpoint, listWebhookEndpoints } from '@gatebook/readmodel/webhooks/endpoints';
import { describe, expect, test } from 'vitest';
import { actionOf, actionsWith } from '../../testing/actions.ts';
import {
  type Call,
  changeSettings,
  createProject,
  expectKnown,
  expectPlain,
  expectSchemaError,
  type OwnedProject,
  signUp,
  unknownId,
} from '../../testing/requests.ts';
import { startSuite } from '../../testing/suite.ts';

const { api, send } = await startSuite();
const shop = await createProject(send);
const path = '/webhooks/endpoints';
/** An address, because its name need not be resolved. */
const url = 'https://1.1.1.1/hooks';
const admin = (call: Call = {}, project: OwnedProject = shop): Call => ({ ...project, access: 'admin', ...call });
const create = (body: object = {}, project = shop, headers: Record<string, string> = {}) =>
  send('POST', path, admin({ body: { url, ...body }, headers }, project));
const secretForm = /^whsec_[A-Za-z0-9+/]{43}=$/;
const { preview, read, undo, write } = actionsWith(send);
const auditOf = async (type: string) => {
  const { items } = await read(shop, `/internal/audit-events?type=${type}`);
  return read(shop, `/internal/audit-events/${items[0].id}`);
};

describe('a webhook endpoint', () => {
  test('is created with a secret of 32 bytes, and shown without it', async () => {
    const made = await create();
    expect(made.status).toBe(201);
    const { secret, ...endpoint } = made.body;
    expect(secret).toMatch(secretForm);
    expect(Buffer.from(secret.slice('whsec_'.length), 'base64')).toHaveLength(32);
    expect(endpoint).toEqual({
      id: expect.any(String),
      url,
      description: '',
      types: null,
      ordering: 'subject',
      is_enabled: true,
      disabled_reason: null,
      rate_limit_per_second: null,
      header_names: [],
      cursor: expect.any(String),
      lag: 0,
      failing_since_millis: null,
      last_success_at_millis: null,
      last_failure_at_millis: null,
      success_rate: null,
      p95_duration_in_millis: null,
      counts: { delivered: 0, failed: 0, pending: 0 },
      created_at_millis: expect.any(Number),
    });
    const found = await send('GET', `${path}/${endpoint.id}`, admin());
    expect(found.body).toEqual({ ...endpoint, cursor: expect.any(String) });
    const listed = await send('GET', path, admin());
    expect(listed.body.items).toContainEqual({ ...endpoint, cursor: expect.any(String) });
    expect(listed.text).not.toContain(secret);
  });

  test('begins after its creation, or after a cursor of the feed', async () => {
    const project = await createProject(send);
    const server = { ...project, access: 'server' as const };
    const eventsAfter = async (cursor: string) =>
      (await send('GET', `/events?after=${encodeURIComponent(cursor)}`, server)).body.items.map(
        ({ type }: { type: string }) => type,
      );
    const { next_after: start } = (await send('GET', '/events?after=head', server)).body;
    await signUp(send, project);
    const [now, then] = [await create({}, project), await create({ start_after: start }, project)];
    await send('POST', '/teams', { ...server, body: { display_name: 'T' } });
    const created = ['user.created', 'contact_channel.created', 'session.created', 'user.signed_in'];
    expect(await eventsAfter(now.body.cursor)).toEqual(['team.created']);
    expect(await eventsAfter(then.body.cursor)).toEqual([...created, 'team.created']);
    expectKnown(await create({ start_after: start }), 400, 'EVENT_CURSOR_INVALID', { reason: 'other_project' });
  });

  test('keeps what a change does not name; values of headers are never shown', async () => {
    const { id } = (await create({ headers: { 'X-Key': 'canary-1', 'x-other': 'canary-2' }, types: ['user.*'] })).body;
    const patch = (body: object) => send('PATCH', `${path}/${id}`, admin({ body }));
    const changed = await patch({
      ...{ url: 'https://1.1.1.1/other', description: 'Billing', types: ['team.created', 'team.created'] },
      ...{ rate_limit_per_second: 5, ordering: 'strict', headers: { 'x-key': null, 'x-third': 'canary-3' } },
    });
    expect(changed.body).toMatchObject({
      ...{ url: 'https://1.1.1.1/other', description: 'Billing', types: ['team.created'], ordering: 'strict' },
      ...{ rate_limit_per_second: 5, header_names: ['x-other', 'x-third'], is_enabled: true },
    });
    expect((await patch({ types: null })).body).toMatchObject({ types: null, description: 'Billing' });
    expect((await patch({ is_enabled: false })).body).toMatchObject({ is_enabled: false, disabled_reason: 'manual' });
    expect((await patch({ is_enabled: true })).body).toMatchObject({ is_enabled: true, disabled_reason: null });
    const answers = [changed, await send('GET', path, admin())];
    for (const { text } of answers) expect(text).not.toContain('canary');
  });

  test('is gone once it is deleted', async () => {
    const { id } = (await create()).body;
    expect((await send('DELETE', `${path}/${id}`, admin())).body).toEqual({ success: true });
    for (const method of ['GET', 'DELETE']) {
      expectKnown(await send(method, `${path}/${id}`, admin()), 404, 'WEBHOOK_ENDPOINT_NOT_FOUND');
    }
    expectKnown(await send('PATCH', `${path}/${id}`, admin({ body: {} })), 404, 'WEBHOOK_ENDPOINT_NOT_FOUND');
  });

  test('is told as disabled in the feed', async () => {
    const { id } = (await create()).body;
    await send('PATCH', `${path}/${id}`, admin({ body: { is_enabled: false } }));
    const query = '/events?types=webhook_endpoint.disabled&wait_in_millis=5000';
    const { items } = (await send('GET', query, { ...shop, access: 'server' })).body;
    expect(items.at(-1)).toMatchObject({ type: 'webhook_endpoint.disabled', data: { id, reason: 'manual' } });
  });

  test('is created once per idempotency key, with the same secret', async () => {
    const headers = { 'idempotency-key': 'endpoint' };
    const first = await create({}, shop, headers);
    const again = await create({}, shop, headers);
    expect(again.headers['idempotency-replayed']).toBe('true');
    expect(again.body).toEqual(first.body);
  });

  test('counts towards a quota of the project until it is deleted', async () => {
    const project = await createProject(send);
    await changeSettings(send, project, { quotas: { webhook_endpoints: 1 } });
    const { id } = (await create({}, project)).body;
    expectPlain(await create({}, project), 400);
    await send('DELETE', `${path}/${id}`, admin({}, project));
    expect((await create({}, project)).status).toBe(201);
  });

  test('requires an admin', async () => {
    for (const access of ['client', 'server'] as const) {
      const answer = await send('GET', path, { ...shop, access });
      expectKnown(answer, 401, 'INSUFFICIENT_ACCESS_TYPE', {
        actual_access_type: access,
        allowed_access_types: ['admin'],
      });
    }
  });
});

describe('a URL of a webhook', () => {
  test.each([
    ['http://example.com/hooks', 'not_https'],
    ['ftp://1.1.1.1/hooks', 'not_https'],
    ['https://user:secret@1.1.1.1/', 'credentials'],
    ['https://1.1.1.1:25/', 'port'],
    ['https://169.254.169.254/latest', 'private_network'],
    ['https://[::ffff:169.254.169.254]/', 'private_network'],
  ])('%s is rejected at save: %s', async (target, reason) => {
    expectKnown(await create({ url: target }), 400, 'WEBHOOK_URL_NOT_ALLOWED', { reason });
    const { id } = (await create()).body;
    const changed = await send('PATCH', `${path}/${id}`, admin({ body: { url: target } }));
    expectKnown(changed, 400, 'WEBHOOK_URL_NOT_ALLOWED', { reason });
  });

  test('leads into a private network only where these are allowed, also by a name', async () => {
    const { outgoing } = api.deps.config;
    expect((await create({ url: 'https://localhost:8443/' })).status).toBe(201);
    outgoing.allowPrivate = false;
    try {
      for (const target of ['https://localhost:8443/', 'https://10.0.0.1/']) {
        expectKnown(await create({ url: target }), 400, 'WEBHOOK_URL_NOT_ALLOWED', { reason: 'private_network' });
      }
    } finally {
      outgoing.allowPrivate = true;
    }
  });
});

test('invalid fields are named', async () => {
  expectSchemaError(await create({ url: 'nonsense' }), 'body.url');
  expectSchemaError(await create({ types: [] }), 'body.types');
  expectSchemaError(await create({ types: ['user.nonsense'] }), 'body.types.0');
  expectSchemaError(await create({ rate_limit_per_second: 0 }), 'body.rate_limit_per_second');
  for (const headers of [{ Host: 'x' }, { 'webhook-id': 'x' }, { 'a b': 'x' }, { 'x-key': 'a\nb' }]) {
    expectSchemaError(await create({ headers }), 'body.headers');
  }
  expectSchemaError(await send('GET', `${path}/7`, admin()), 'params.endpoint_id');
});

test('endpoints of a project that awaits its deletion get nothing until it is restored', async () => {
  const project = await createProject(send);
  await changeSettings(send, project, { project_deletion_grace_days: 30 });
  const { id } = (await create({}, project)).body;
  const { projectId } = project;
  const { db } = api.deps;
  const find = async () => [
    (await findWebhookEndpoint(db, projectId, id))?.id,
    (await listWebhookEndpoints(db, { projectId })).length,
  ];
  expect(await find()).toEqual([id, 1]);
  await send('DELETE', '/internal/projects/current', admin({ body: {} }, project));
  await expect.poll(find).toEqual([undefined, 0]);
  const owner = {
    access: 'admin' as const,
    projectId,
    headers: { 'x-stack-admin-access-token': project.owner.accessToken },
  };
  await send('POST', '/internal/projects/current/restore', { ...owner, body: {} });
  await expect.poll(find).toEqual([id, 1]);
});

describe('a secret of a webhook endpoint', () => {
  const secretOf = async (id: string) => (await send('GET', `${path}/${id}/secret`, admin())).body;
  const rotate = async (id: string, body: object = {}) =>
    (await send('POST', `${path}/${id}/rotate-secret`, admin({ body }))).body;

  const rotatedAt = async (id: string) => {
    const { events } = await api.deps.store.readStream(`webhook-${id}`);
    return Date.parse(String(events.findLast(({ type }) => type === 'WebhookSecretRotated')?.data.at));
  };

  test('check 13: is rotated with an overlap of a day unless told otherwise', async () => {
    const made = (await create()).body;
    expect(await secretOf(made.id)).toEqual({ secret: made.secret, previous_expires_at_millis: null });
    const rotated = await rotate(made.id);
    expect(rotated).toEqual({
      secret: expect.stringMatching(secretForm),
      previous_expires_at_millis: (await rotatedAt(made.id)) + 86_400_000,
    });
    expect(rotated.secret).not.toBe(made.secret);
    expect(await secretOf(made.id)).toEqual(rotated);
    const { previous_expires_at_millis: end } = await rotate(made.id, { overlap_in_millis: 0 });
    expect(end).toBe(await rotatedAt(made.id));
    expect(await secretOf(made.id)).toMatchObject({ previous_expires_at_millis: null });
    const tooLong = await send('POST', `${path}/${made.id}/rotate-secret`, admin({ body: { overlap_in_millis: 1e9 } }));
    expectSchemaError(tooLong, 'body.overlap_in_millis');
    expectKnown(await send('GET', `${path}/${unknownId}/secret`, admin()), 404, 'WEBHOOK_ENDPOINT_NOT_FOUND');
  });

  test('is in no audit log, preview, export or action, nor are URLs and headers; looking at it is recorded', async () => {
    const made = await create({ url: `${url}/hidden-path?token=hidden`, headers: { 'x-key': 'canary-header' } });
    const { id, secret } = made.body;
    const rotated = await rotate(id);
    const patched = await write(shop, {
      ...{ method: 'PATCH', path: `${path}/${id}` },
      body: { url: `${url}/hidden-change`, headers: { 'x-key': 'canary-changed' } },
    });
    await secretOf(id);
    const details = await Promise.all(
      ['WebhookEndpointCreated', 'WebhookEndpointUpdated', 'WebhookSecretRotated', 'WebhookSecretRead'].map(auditOf),
    );
    const [created, changed, , shown] = details;
    expect(created).toMatchObject({
      text: 'Created a webhook endpoint at https://1.1.1.1',
      targets: [{ type: 'webhook_endpoint', id, display_name: 'https://1.1.1.1' }],
    });
    const redacted = { before: 'redacted', after: 'redacted', is_redacted: true };
    expect(changed.changes).toEqual(['url', 'headers.x-key'].map((field) => ({ field, ...redacted })));
    expect(shown.text).toBe('Looked at the secret of a webhook endpoint');
    const exported = await send('GET', '/internal/audit-events/export?format=jsonl', admin());
    expect(exported.text).toContain(`"display_name":"https://1.1.1.1"`);
    const previews = await Promise.all([
      preview(shop, { method: 'POST', path, body: { url, headers: { 'x-key': 'canary-previewed' } } }),
      preview(shop, { method: 'POST', path: `${path}/${id}/rotate-secret`, body: {} }),
      preview(shop, { method: 'PATCH', path: `${path}/${id}`, body: { headers: { 'x-key': 'canary-previewed' } } }),
    ]);
    const actions = await Promise.all([made, patched].map((one) => read(shop, `/internal/actions/${actionOf(one)}`)));
    const text = JSON.stringify([details, exported.text, previews, actions]);
    for (const hidden of [secret, rotated.secret, 'canary', 'whsec_']) expect(text).not.toContain(hidden);
    // The answers that previews predict contain the URL.
    const changes = previews.map((previewed) => [previewed.changes, previewed.events]);
    expect(JSON.stringify([details, exported.text, changes, actions])).not.toContain('hidden');
  });
});

test('changes of an endpoint can be previewed and undone, with values of headers; a rotation stays', async () => {
  const { id } = (await create({ headers: { 'x-key': 'one' } })).body;
  const endpoint = () => api.deps.store.readStream(`webhook-${id}`);
  const patch = { method: 'PATCH', path: `${path}/${id}` };
  const body = { url: 'https://1.1.1.1/new', headers: { 'x-key': 'two', 'x-new': 'n' }, is_enabled: false };
  const previewed = await preview(shop, { ...patch, body });
  expect(previewed).toMatchObject({ status: 200, is_reversible: true });
  expect(previewed.changes.map(({ field }: { field: string }) => field).sort()).toEqual(
    ['url', 'headers.x-key', 'headers.x-new', 'is_enabled', 'disabled_reason'].sort(),
  );
  const changed = await write(shop, { ...patch, body });
  expect((await undo(shop, actionOf(changed))).status).toBe(200);
  expect((await send('GET', `${path}/${id}`, admin())).body).toMatchObject({ url, is_enabled: true });
  const { events } = await endpoint();
  expect(events.findLast(({ type }) => type === 'WebhookEndpointUpdated')?.data.headers).toEqual({ 'x-key': 'one' });
  const rotated = await write(shop, { method: 'POST', path: `${path}/${id}/rotate-secret`, body: {} });
  expect((await undo(shop, actionOf(rotated))).body.code).toBe('ACTION_NOT_REVERSIBLE');
});
