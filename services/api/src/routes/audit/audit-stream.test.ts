import type { AddressInfo } from 'node:net';
import { windowMs } from '@gatebook/readmodel/activity/rejection-counts';
import { afterEach, expect, onTestFinished, test, vi } from 'vitest';
import { createProject, expectSchemaError, type OwnedProject, signUp } from '../../testing/requests.ts';
import { startSuite } from '../../testing/suite.ts';

const { api, send } = await startSuite();
await api.app.listen({ port: 0, host: '127.0.0.1' });
const { port } = api.app.server.address() as AddressInfo;
const open = new Set<AbortController>();
afterEach(() => {
  for (const controller of open) controller.abort();
});

type Item = { id: string; text: string; outcome: string; count: number };
type Credential = Record<string, string>;
const keyOf = ({ keys }: OwnedProject): Credential => ({ 'x-stack-super-secret-admin-key': keys.admin });
const ownerOf = ({ owner }: OwnedProject): Credential => ({ 'x-stack-admin-access-token': owner.accessToken });

/** Reads a stream until it ends. */
async function follow(project: OwnedProject, query = '', headers: Credential = keyOf(project)) {
  const controller = new AbortController();
  open.add(controller);
  const response = await fetch(`http://127.0.0.1:${port}/api/v1/internal/audit-events/stream?${query}`, {
    headers: { 'x-stack-access-type': 'admin', 'x-stack-project-id': project.projectId, ...headers },
    signal: controller.signal,
  });
  const stream = { response, text: '', isOver: false, close: () => controller.abort() };
  const read = async () => {
    for await (const part of response.body ?? []) stream.text += Buffer.from(part).toString();
  };
  read()
    .catch(() => undefined)
    .finally(() => Object.assign(stream, { isOver: true }));
  await until(() => stream.isOver || stream.text.includes('id: '));
  return stream;
}
const itemsIn = (text: string): Item[] =>
  [...text.matchAll(/^data: (.*)$/gm)].map(([, data]) => JSON.parse(String(data)));
const cursorIn = (text: string) => [...text.matchAll(/^id: (.*)$/gm)].at(-1)?.[1] ?? '';
const until = (condition: () => boolean, timeout = 10_000) =>
  expect.poll(condition, { timeout, interval: 10 }).toBe(true);

const rename = (project: OwnedProject, userId: string, name: string) =>
  send('PATCH', `/users/${userId}`, { ...project, access: 'server', body: { display_name: name } });
const list = async (project: OwnedProject, query: string): Promise<Item[]> =>
  (await send('GET', `/internal/audit-events?${query}`, { ...project, access: 'admin' })).body.items;

test('has new events as the list shows them, of one project and with its filters', async () => {
  const [shop, forum] = [await createProject(send), await createProject(send)];
  // The list names people as they are called now, so each is renamed once.
  const [ann, anne, bob] = [await signUp(send, shop), await signUp(send, shop), await signUp(send, forum)];
  const [all, renamed] = [await follow(shop), await follow(shop, 'type=UserRenamed&after=head')];
  await rename(forum, bob.userId, 'Bob');
  await rename(shop, ann.userId, 'Ann');
  await send('POST', '/teams', { ...shop, access: 'server', body: { display_name: 'Crew' } });
  await rename(shop, anne.userId, 'Anne');
  await until(() => itemsIn(all.text).length === 3 && itemsIn(renamed.text).length === 2);
  expect(itemsIn(all.text)).toEqual((await list(shop, 'limit=3')).toReversed());
  expect(itemsIn(renamed.text).map(({ text }) => text)).toEqual([
    'Changed the display name to Ann',
    'Changed the display name to Anne',
  ]);
});

test('names people as after an event, also if the audit log has it before the tables with the names', async () => {
  const shop = await createProject(send);
  const ann = await signUp(send, shop);
  const stream = await follow(shop, 'type=UserRenamed&after=head');
  const { store, readModels } = api.deps;
  const before = await store.head();
  const release = await holdMainGroup();
  const renamed = rename(shop, ann.userId, 'Ann');
  await expect.poll(() => store.head()).toBeGreaterThan(before);
  const head = await store.head();
  expect(await readModels.reached(head, 10_000, [shop.projectId], { group: 'audit' })).toBe('reached');
  expect(await readModels.reached(head, 300, [shop.projectId])).toBe('behind');
  expect(itemsIn(stream.text)).toEqual([]);
  await release();
  await renamed;
  await until(() => itemsIn(stream.text).length === 1);
  expect(itemsIn(stream.text)).toEqual(await list(shop, 'type=UserRenamed'));
});

/** Holds the checkpoint of the live main group. */
async function holdMainGroup() {
  const client = await api.pool.connect();
  await client.query('begin');
  await client.query(
    `select from readmodel.projection_shards s join readmodel.projection_versions v on v.id = s.version_id
     where v.group_name = 'main' and v.status = 'live' for update of s`,
  );
  const release = () => client.query('rollback');
  onTestFinished(() =>
    release()
      .finally(() => client.release())
      .then(() => undefined),
  );
  return release;
}

test('is in the language of each reader, also where several read the same', async () => {
  const shop = await createProject(send);
  const { userId } = await signUp(send, shop);
  const readers = ['de', 'en', 'de', 'fr'].map((language) =>
    follow(shop, 'type=UserRenamed&after=head', { ...keyOf(shop), 'accept-language': language }),
  );
  const streams = await Promise.all(readers);
  await rename(shop, userId, 'Ann');
  await until(() => streams.every(({ text }) => itemsIn(text).length === 1));
  const [german, english] = ['Anzeigename in „Ann“ geändert', 'Changed the display name to Ann'];
  expect(streams.map(({ text }) => itemsIn(text)[0]?.text)).toEqual([german, english, german, english]);
  const named = streams.map(({ response }) => response.headers.get('content-language'));
  expect(named).toEqual(['de', 'en', 'de', 'en']);
});

test('continues after any cursor of the stream or of an export, but no other one', async () => {
  const shop = await createProject(send);
  const ann = await signUp(send, shop);
  const exported = await send('GET', '/internal/audit-events/export', { ...shop, access: 'admin' });
  const { next_cursor: cursor } = JSON.parse(exported.text.trim().split('\n').at(-1) ?? '');
  for (const name of ['A', 'B', 'C']) await rename(shop, ann.userId, name);
  const names = (text: string) => itemsIn(text).map((item) => item.text.at(-1));
  const whole = await follow(shop, `after=${encodeURIComponent(cursor)}`);
  await until(() => itemsIn(whole.text).length === 3);
  expect(names(whole.text)).toEqual(['A', 'B', 'C']);
  const [first = ''] = [...whole.text.matchAll(/^id: (.*)\ndata/gm)].map(([, id]) => id);
  const rest = await follow(shop, 'after=head', { ...keyOf(shop), 'last-event-id': first });
  await until(() => itemsIn(rest.text).length === 2);
  expect(names(rest.text)).toEqual(['B', 'C']);
  const other = { ...shop, access: 'admin' } as const;
  const path = '/internal/audit-events/stream?after=';
  expectSchemaError(await send('GET', `${path}nonsense`, other), 'cursor');
  expectSchemaError(await send('GET', `${path}${encodeURIComponent(first)}&type=UserRenamed`, other), 'cursor');
});

test('has rejections once, when their window is complete', async () => {
  const shop = await createProject(send);
  const reject = (at: number) =>
    api.deps.rejections.record({
      ...{ projectId: shop.projectId, userId: null, code: 'EMAIL_PASSWORD_MISMATCH', route: 'POST /x', status: 400 },
      ...{ accessType: 'client', network: null, requestId: `request-${at}`, actor: null, permission: null },
      ...{ isAccess: true, at: new Date(at).toISOString() },
    });
  const stream = await follow(shop, 'outcome=rejected');
  const now = Date.parse(api.deps.now());
  reject(now);
  reject(now);
  await rename(shop, (await signUp(send, shop)).userId, 'Ann');
  await api.deps.rejections.flush();
  expect(itemsIn(stream.text)).toEqual([]);
  api.advance(windowMs + 6_000);
  await until(() => itemsIn(stream.text).length > 0);
  expect(itemsIn(stream.text)).toMatchObject([{ outcome: 'rejected', count: 2 }]);
  const rest = await follow(shop, `outcome=rejected&after=${encodeURIComponent(cursorIn(stream.text))}`);
  expect(itemsIn(rest.text)).toEqual([]);
});

test('has rejections soon after the clock of the database has caught up', async () => {
  const shop = await createProject(send);
  const now = Date.parse(api.deps.now());
  api.deps.rejections.record({
    ...{ projectId: shop.projectId, userId: null, code: 'EMAIL_PASSWORD_MISMATCH', route: 'POST /x', status: 400 },
    ...{ accessType: 'client', network: null, requestId: 'request', actor: null, permission: null },
    ...{ isAccess: true, at: new Date(now).toISOString() },
  });
  await api.deps.rejections.flush();
  const stream = await follow(shop, 'outcome=rejected');
  const settle = vi.spyOn(api.deps.rejections, 'settle').mockImplementation(async () => now);
  api.advance(windowMs + 6_000);
  await until(() => settle.mock.calls.length > 1);
  expect(itemsIn(stream.text)).toEqual([]);
  settle.mockRestore();
  await until(() => itemsIn(stream.text).length > 0);
});

test('ends within a second when its key is revoked, and not with another one', async () => {
  const shop = await createProject(send);
  const { body } = await send('POST', '/internal/api-keys', {
    ...shop,
    access: 'admin',
    body: { description: 'k', expires_at_millis: Date.now() + 10 ** 9, ...keyKinds },
  });
  const [own, other] = [
    await follow(shop, '', { 'x-stack-super-secret-admin-key': body.super_secret_admin_key }),
    await follow(shop),
  ];
  const revoked = send('PATCH', `/internal/api-keys/${body.id}`, { ...shop, access: 'admin', body: { revoked: true } });
  expect((await revoked).status).toBe(200);
  await until(() => own.isOver, 1_000);
  expect(other.isOver).toBe(false);
});
const keyKinds = { has_publishable_client_key: false, has_secret_server_key: false, has_super_secret_admin_key: true };

test('ends within a second when the owner signs out, or the project is deleted', async () => {
  const shop = await createProject(send);
  const [byOwner, byKey] = [await follow(shop, '', ownerOf(shop)), await follow(shop)];
  expect(byOwner.response.status).toBe(200);
  await send('DELETE', '/auth/sessions/current', { keys: api.keys, projectId: 'internal', as: shop.owner.accessToken });
  await until(() => byOwner.isOver, 1_000);
  expect(byKey.isOver).toBe(false);
  const deleted = await send('DELETE', '/internal/projects/current', { ...shop, access: 'admin' });
  expect(deleted.status).toBe(200);
  await until(() => byKey.isOver, 1_000);
});

test('needs admin access', async () => {
  const shop = await createProject(send);
  const answer = await send('GET', '/internal/audit-events/stream', { ...shop, access: 'server' });
  expect(answer.status).toBe(401);
  expect(api.responseFaults).toEqual([]);
});
