import { createServer, type IncomingMessage } from 'node:http';
import type { AddressInfo } from 'node:net';
import { createProject, expectKnown, newEmail, unknownId } from '@gatebook/api/testing/requests';
import { startSuite } from '@gatebook/api/testing/suite';
import { createListener } from '@gatebook/runtime/listener';
import { pollDeadlineMs } from '@gatebook/runtime/testing/deadlines';
import { startWebhooks } from '@gatebook/worker/webhooks/webhooks';
import { projectPermissionCreatedWebhookEvent } from '@stackframe/stack-shared/dist/interface/crud/project-permissions';
import { webhookEvents } from '@stackframe/stack-shared/dist/interface/webhooks';
import { Webhook as StandardWebhook } from 'standardwebhooks';
import { Webhook } from 'svix';
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest';

/* Webhooks from a change over the API to a receiver, with the worker in this process. */

const { api, send } = await startSuite();
const shop = await createProject(send);
const server = { ...shop, access: 'server' as const };
const admin = { ...shop, access: 'admin' as const };
const get = async (path: string) => (await send('GET', path, admin)).body;

const schemas = new Map(webhookEvents.map(({ type, schema }) => [type as string, schema]));
const permissionSchema = projectPermissionCreatedWebhookEvent.schema;
type Message = { id: string; type: string; data: Record<string, unknown>; cursor: string };
/** An endpoint's first message can arrive before the answer that names its secret. */
type Received = Message & { readonly secretsThatFit: string[] };

const secrets = new Set<string>();
const received: Received[] = [];
let status = 200;
const receiver = createServer(async (request: IncomingMessage, response) => {
  const body = (await Array.fromAsync(request)).join('');
  const headers = request.headers as Record<string, string>;
  const ofPublished = Object.fromEntries(Object.entries(headers).filter(([name]) => name.startsWith('svix-')));
  const fits = (secret: string) => {
    try {
      new Webhook(secret).verify(body, ofPublished);
      new StandardWebhook(secret).verify(body, headers);
      return true;
    } catch {
      return false;
    }
  };
  const message: Message = JSON.parse(body);
  received.push({
    ...message,
    id: headers['svix-id'] ?? '',
    get secretsThatFit() {
      return [...secrets].filter(fits);
    },
  });
  response.writeHead(status).end(`status ${status}`);
});

let url: string;
beforeAll(async () => {
  await new Promise<void>((resolve) => receiver.listen(0, '127.0.0.1', resolve));
  url = `http://localhost:${(receiver.address() as AddressInfo).port}/hooks`;
  const { deps, pool } = api;
  const { publicUrl } = deps.config.http;
  const database = String(pool.options.connectionString);
  const listener = createListener(database, { name: 'test-webhooks', logger: deps.logger });
  const parts = { ...deps, write: deps, pool, listener, publicUrl, outgoing: { allowPrivate: true } };
  const webhooks = await startWebhooks(parts);
  const stopping = new AbortController();
  const leading = webhooks.lead(stopping.signal);
  afterAll(async () => {
    stopping.abort();
    await leading;
    await webhooks.stop();
    await listener.close();
    receiver.closeAllConnections();
    receiver.close();
  });
});

async function createEndpoint(body: object = {}): Promise<{ id: string; secret: string }> {
  const answer = await send('POST', '/webhooks/endpoints', { ...admin, body: { url, ...body } });
  expect(answer.status, answer.text).toBe(201);
  secrets.add(answer.body.secret);
  onTestFinished(async () => void (await remove(answer.body.id)));
  return answer.body;
}
const remove = (id: string) => send('DELETE', `/webhooks/endpoints/${id}`, admin);
const until = <T>(read: () => Promise<T> | T) => expect.poll(read, { timeout: pollDeadlineMs, interval: 10 });
const addUser = async () =>
  (await send('POST', '/users', { ...server, body: { primary_email: newEmail(), display_name: 'Ann' } })).body
    .id as string;

test('check 12: the types of the protocol arrive, verified by svix and standardwebhooks, in the published schemas', async () => {
  // The published list lacks two types of the protocol.
  const types = [...schemas.keys(), 'project_permission.created', 'project_permission.deleted'];
  expect(types).toHaveLength(12);
  const endpoint = await createEndpoint({ types, ordering: 'strict' });
  const userId = await addUser();
  await send('PATCH', `/users/${userId}`, { ...server, body: { display_name: 'Bea' } });
  const team = (await send('POST', '/teams', { ...server, body: { display_name: 'Team' } })).body.id;
  await send('PATCH', `/teams/${team}`, { ...server, body: { display_name: 'Team 2' } });
  await send('POST', '/team-permission-definitions', { ...admin, body: { id: 'reader' } });
  await send('POST', `/team-memberships/${team}/${userId}`, { ...server, body: {} });
  await send('POST', `/team-permissions/${team}/${userId}/reader`, { ...server, body: {} });
  await send('DELETE', `/team-permissions/${team}/${userId}/reader`, server);
  await send('DELETE', `/team-memberships/${team}/${userId}`, server);
  await send('POST', '/project-permission-definitions', { ...admin, body: { id: 'visitor' } });
  await send('POST', `/project-permissions/${userId}/visitor`, { ...server, body: {} });
  await send('DELETE', `/project-permissions/${userId}/visitor`, server);
  await send('DELETE', `/teams/${team}`, server);
  await send('DELETE', `/users/${userId}`, server);
  await until(() => [...new Set(received.map(({ type }) => type))].sort()).toEqual(types.toSorted());
  for (const { type, data, secretsThatFit } of received) {
    expect(secretsThatFit, type).toEqual([endpoint.secret]);
    await (schemas.get(type) ?? permissionSchema).validate(data, { strict: true });
  }
  // The feed has the same events, and goes on after the cursor of a message.
  const [first, second] = received;
  const events = await send('GET', `/events?limit=1&after=${first?.cursor}&types=${types}`, server);
  expect(events.body.items).toMatchObject([{ id: second?.id, type: second?.type }]);
  await until(async () => (await get(`/webhooks/endpoints/${endpoint.id}`)).counts.pending).toBe(0);
  expect(await get(`/webhooks/endpoints/${endpoint.id}`)).toMatchObject({
    ...{ lag: 0, success_rate: 1, failing_since_millis: null, last_success_at_millis: expect.any(Number) },
    counts: { delivered: received.length, failed: 0, pending: 0 },
  });
});

describe('deliveries', () => {
  test('are listed with their attempts, and sent again on request', async () => {
    const endpoint = await createEndpoint({ types: ['user.created'] });
    const list = `/webhooks/endpoints/${endpoint.id}/deliveries`;
    for (let nth = 0; nth < 3; nth += 1) await addUser();
    const delivered = async () => (await get(`${list}?status=delivered`)).items.length;
    await until(delivered).toBe(3);
    const page = await get(`${list}?limit=2`);
    const rest = await get(`${list}?limit=2&before=${page.next_before}`);
    expect([page.items.length, rest.items.length, rest.next_before]).toEqual([2, 1, null]);
    const [{ id, event_id }] = page.items;
    expect((await send('POST', `/webhooks/deliveries/${id}/resend`, admin)).body).toEqual({ success: true });
    await until(() => received.filter((one) => one.id === event_id).length).toBe(2);
    await until(async () => (await get(`/webhooks/deliveries/${id}`)).attempts.length).toBe(2);
    const detail = await get(`/webhooks/deliveries/${id}`);
    expect(detail).toMatchObject({ id, event_id, endpoint_id: endpoint.id, status: 'delivered', attempt_count: 2 });
    expect(JSON.parse(detail.request.body)).toMatchObject({ type: 'user.created', id: event_id });
    expect(detail.attempts).toMatchObject([
      { trigger: 'scheduled', status_code: 200, error_code: null, response_body: 'status 200' },
      { trigger: 'manual', status_code: 200 },
    ]);
    await remove(endpoint.id);
    expectKnown(await send('GET', `/webhooks/deliveries/${id}`, admin), 404, 'WEBHOOK_DELIVERY_NOT_FOUND');
  });

  test('of other projects, and unknown ones, are not found', async () => {
    const other = await createProject(send);
    const call = { ...other, access: 'admin' as const };
    expectKnown(await send('GET', `/webhooks/deliveries/${unknownId}`, call), 404, 'WEBHOOK_DELIVERY_NOT_FOUND');
    const resent = await send('POST', `/webhooks/deliveries/${unknownId}/resend`, call);
    expectKnown(resent, 404, 'WEBHOOK_DELIVERY_NOT_FOUND');
    expectKnown(await send('GET', `/webhooks/replays/${unknownId}`, call), 404, 'WEBHOOK_REPLAY_NOT_FOUND');
    expectKnown(await send('DELETE', `/webhooks/replays/${unknownId}`, call), 404, 'WEBHOOK_REPLAY_NOT_FOUND');
  });
});

test('an endpoint that begins in the past gets it, and a replay sends it again', async () => {
  const before = (await send('GET', '/events?after=head', server)).body.next_after;
  await addUser();
  const endpoint = await createEndpoint({ types: ['user.created'], start_after: before });
  const replay = `/webhooks/endpoints/${endpoint.id}/replay`;
  const count = () => received.filter(({ secretsThatFit }) => secretsThatFit.includes(endpoint.secret)).length;
  await until(count).toBe(1);
  await until(async () => (await get(`/webhooks/endpoints/${endpoint.id}`)).counts.delivered).toBe(1);
  const missing = await send('POST', replay, { ...admin, body: { after: before, only: 'missing' } });
  expect(missing.body).toEqual({ replay_id: null, matched: 0, is_exact: true });
  const all = await send('POST', replay, { ...admin, body: { after: before, only: 'all' } });
  expect(all.body).toEqual({ replay_id: expect.any(String), matched: 1, is_exact: true });
  await until(() => get(`/webhooks/replays/${all.body.replay_id}`)).toMatchObject({
    status: 'completed',
    delivered: 1,
  });
  expect(count()).toBe(2);
  expect((await send('DELETE', `/webhooks/replays/${all.body.replay_id}`, admin)).body).toEqual({ success: true });
});

test('check 20: a test of an endpoint says whether it works, also as published clients ask for it', async () => {
  const endpoint = await createEndpoint({ is_enabled: false });
  const path = `/webhooks/endpoints/${endpoint.id}/test`;
  const own = (body: object) => send('POST', path, { ...admin, body });
  const published = (endpoint_id: string) =>
    send('POST', '/internal/send-test-webhook', { ...admin, body: { endpoint_id } });
  expect((await own({})).body).toEqual({ success: true, status_code: 200, duration_in_millis: expect.any(Number) });
  expect(received.at(-1)).toMatchObject({ type: 'gatebook.test', secretsThatFit: [endpoint.secret] });
  await own({ type: 'user.deleted' });
  expect(received.at(-1)).toMatchObject({ type: 'user.deleted', data: { teams: expect.any(Array) } });
  expect((await published(endpoint.id)).body).toEqual({ success: true });
  status = 500;
  const failed = { success: false, error_message: 'The endpoint answered with status 500.' };
  expect((await own({})).body).toMatchObject({ ...failed, status_code: 500 });
  expect((await published(endpoint.id)).body).toEqual(failed);
  const inGerman = await send('POST', path, { ...admin, body: {}, headers: { 'accept-language': 'de' } });
  expect(inGerman.headers['content-language']).toBe('de');
  expect(inGerman.body.error_message).toBe('Der Endpunkt hat mit Status 500 geantwortet.');
  expect((await published('ep_unknown')).body).toEqual({ success: false, error_message: expect.any(String) });
  status = 200;
});

test('a receiver that answers 410 is disabled, its owner is told, and what waits is parked until it is enabled', async () => {
  const endpoint = await createEndpoint({ types: ['user.created'] });
  const path = `/webhooks/endpoints/${endpoint.id}`;
  const verified = { primary_email_verified: true };
  await send('PATCH', `/users/${shop.owner.userId}`, { access: 'server', body: verified });
  status = 410;
  await addUser();
  await until(() => get(path)).toMatchObject({ is_enabled: false, disabled_reason: 'gone' });
  const emails = async () =>
    (await api.deps.store.readAll(0n, 100_000)).filter(
      ({ type, data }) => type === 'EmailRequested' && data.emailType === 'webhook_failing',
    );
  await until(async () => (await emails()).map(({ data }) => data)).toMatchObject([
    {
      ...{ projectId: 'internal', userId: shop.owner.userId, recipient: shop.owner.email },
      variables: { disabledAsGone: 'yes', webhookLink: expect.stringContaining(endpoint.id) },
    },
  ]);
  expect((await get(`${path}/deliveries?status=parked`)).items).toMatchObject([{ status: 'parked', attempt_count: 1 }]);
  expect((await get(`${path}/deliveries?status=pending`)).items).toEqual([]);
  status = 200;
  await send('PATCH', path, { ...admin, body: { is_enabled: true } });
  await until(async () => (await get(`${path}/deliveries`)).items).toMatchObject([
    { status: 'delivered', attempt_count: 2 },
  ]);
});
