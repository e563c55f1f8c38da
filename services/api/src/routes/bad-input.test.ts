import { beforeAll, describe, expect, test } from 'vitest';
import { accessTypes } from '../access-type.ts';
import { nameOf, urlOf } from '../http/define-route.ts';
import { createProject, type OwnedProject, type Send, senderOf, signUp } from '../testing/requests.ts';
import { startSuite } from '../testing/suite.ts';
import { routes as declared } from './all.ts';

/*
 * Sends invalid input to every route. The response is always a known or plain error, never a 500, and nothing is
 * appended to the log.
 */

const { api, send } = await startSuite();
const project = await createProject(send, { config: { magic_link_enabled: true, passkey_enabled: true } });
const user = await signUp(send, project);
/** Property names of each route's body, from the API description. */
const bodyFields = fieldsOf((await api.app.inject('/openapi.json')).json());

type Schema = { $ref?: string; properties?: Record<string, unknown>; anyOf?: Schema[]; allOf?: Schema[] };
type Document = {
  paths: Record<string, Record<string, { requestBody?: { content: Record<string, { schema: Schema }> } }>>;
  components: { schemas: Record<string, Schema> };
};

function fieldsOf({ paths, components }: Document): Map<string, string[]> {
  const named = (schema: Schema): string[] => {
    const of = schema.$ref ? (components.schemas[schema.$ref.split('/').at(-1) ?? ''] ?? {}) : schema;
    return [...Object.keys(of.properties ?? {}), ...[...(of.anyOf ?? []), ...(of.allOf ?? [])].flatMap(named)];
  };
  const found = new Map<string, string[]>();
  for (const [path, operations] of Object.entries(paths)) {
    for (const [method, { requestBody }] of Object.entries(operations)) {
      const schemas = Object.values(requestBody?.content ?? {}).map(({ schema }) => schema);
      found.set(`${method.toUpperCase()} ${path.replace(/\{(\w+)\}/g, ':$1')}`, schemas.flatMap(named));
    }
  }
  return found;
}

const routes = declared
  .filter(({ isRoot }) => !isRoot)
  .map((route) => ({ route: nameOf(route), method: route.method, url: urlOf(route), isWrite: route.method !== 'GET' }));
const writes = routes.filter(({ isWrite }) => isWrite);
const withIds = routes.filter(({ url }) => url.includes(':'));
const anyId = '5d9c4f0e-7b1a-4c7e-8a61-2f6a5d9c4f0e';

type Payload = { body?: string | Buffer; type?: string; query?: string };

async function call(method: string, url: string, { body, type = 'application/json', query = '' }: Payload) {
  const before = await api.deps.store.head();
  const answer = await api.app.inject({
    method: method as 'GET',
    url: `${url}${query}`,
    headers: {
      'x-stack-access-type': 'admin',
      'x-stack-project-id': project.projectId,
      'x-stack-super-secret-admin-key': project.keys.admin,
      'x-stack-access-token': user.accessToken,
      ...(body === undefined ? {} : { 'content-type': type }),
    },
    ...(body === undefined ? {} : { payload: body }),
  });
  return { status: answer.statusCode, text: answer.body, appended: (await api.deps.store.head()) - before };
}

/** A rejection that changed nothing. */
function expectRejected({ status, text, appended }: Awaited<ReturnType<typeof call>>, what: string): void {
  expect.soft(status, `${what}: ${text.slice(0, 200)}`).toBeGreaterThanOrEqual(400);
  expect.soft(status, `${what}: ${text.slice(0, 200)}`).toBeLessThan(500);
  expect.soft(appended, what).toBe(0n);
}

const deep = (levels: number) => `${'{"a":'.repeat(levels)}1${'}'.repeat(levels)}`;
const malformed: [string, Payload][] = [
  ['half a text', { body: '{"a":' }],
  ['two texts', { body: '{} {}' }],
  ['no UTF-8', { body: Buffer.from([0x7b, 0x22, 0xff, 0xfe, 0x22, 0x3a, 0x31, 0x7d]) }],
  ['a deep text', { body: deep(10_000) }],
  ['keys of prototypes', { body: '{"__proto__":{"x":1},"constructor":{"prototype":{"y":1}}}' }],
  ['the same key twice', { body: '{"email":"a@example.com","email":"b@example.com"}' }],
  ['another type', { body: 'email=a', type: 'text/plain' }],
  ['a file', { body: 'x', type: 'multipart/form-data; boundary=x' }],
  ['too much', { body: JSON.stringify({ a: 'x'.repeat(12_000_000) }) }],
];

describe.each(writes)('$route', ({ route, method, url }) => {
  const path = url.replace(/:\w+/g, (name) => (name === ':type' ? 'magic_link' : anyId));

  test.each(malformed)('with %s is rejected', async (what, payload) => {
    // Where any body is taken and ignored, so is its type.
    const ignoresBodies = (bodyFields.get(route) ?? []).length === 0;
    if (ignoresBodies && what === 'another type') return;
    expectRejected(await call(method, path, payload), what);
  });

  test('with wrong field values never fails internally and appends nothing on rejection', async () => {
    const wrong = [
      'null',
      '[]',
      '{}',
      '-1',
      '1e308',
      '1e400',
      '-1e999',
      '9007199254740993',
      '{"a":[1e400]}',
      '""',
      JSON.stringify('x'.repeat(20_000)),
      '"\\u0000"',
      '"\\ud800"',
      '{"$gt":""}',
      '[[[]]]',
    ];
    for (const field of bodyFields.get(route) ?? []) {
      for (const value of wrong) {
        const answer = await call(method, path, { body: `{${JSON.stringify(field)}:${value}}` });
        const what = `${field}: ${value.slice(0, 40)}`;
        expect.soft(answer.status, `${what}: ${answer.text.slice(0, 200)}`).toBeLessThan(500);
        if (answer.status >= 400) expect.soft(answer.appended, what).toBe(0n);
      }
    }
  });
});

describe.each(withIds)('$route', ({ method, url }) => {
  test('with malformed IDs is rejected', async () => {
    for (const id of ['x', '%00', '..%2f..', "'%20or%201=1", '%F0%9F%92%A9', `${anyId}0`, 'null', 'x'.repeat(190)]) {
      const path = url.replace(/:\w+/g, id);
      const body = method === 'GET' ? {} : { body: '{}' };
      const answer = await call(method, path, body);
      expectRejected(answer, path);
    }
  });
});

test('malformed queries are rejected or ignored, never an internal error', async () => {
  for (const { method, url } of routes.filter(({ isWrite }) => !isWrite)) {
    const path = url.replace(/:\w+/g, anyId);
    for (const query of [
      '?cursor=%00',
      '?limit=-1',
      '?limit=1e9',
      '?cursor=x',
      '?user_id=x',
      '?user_id=%ff',
      '?a[b]=1',
      '?x=1&x=2',
      '?%',
    ]) {
      const answer = await call(method, path, { query });
      expect.soft(answer.status, `${path}${query}: ${answer.text.slice(0, 200)}`).toBeLessThan(500);
    }
  }
});

test.each(accessTypes)('malformed headers are rejected for %s access', async (access) => {
  for (const value of ['', ' ', 'x', 'null', 'undefined', '\u00ff', 'a'.repeat(5_000), 'eyJhbGciOiJub25lIn0.e30.']) {
    for (const name of ['x-stack-access-token', 'x-stack-project-id', 'x-stack-branch-id', 'x-stack-client-version']) {
      const answer = await api.app.inject({
        url: '/api/v1/projects/current',
        headers: {
          'x-stack-access-type': access,
          'x-stack-project-id': project.projectId,
          'x-stack-publishable-client-key': project.keys.client,
          'x-stack-secret-server-key': project.keys.server,
          'x-stack-super-secret-admin-key': project.keys.admin,
          [name]: value,
        },
      });
      expect.soft(answer.statusCode, `${name}: ${value.slice(0, 20)}`).toBeLessThan(500);
    }
  }
});

describe('maximum lengths', () => {
  let send: Send;
  let asServer: { projectId: string; keys: OwnedProject['keys']; access: 'server' };
  let userId: string;
  beforeAll(async () => {
    send = senderOf(api);
    asServer = { ...(await createProject(send)), access: 'server' };
    userId = (await send('POST', '/users', { ...asServer, body: {} })).body.id;
  });
  const update = (body: unknown) => send('PATCH', `/users/${userId}`, { ...asServer, body });
  const rejection = (field: string) => ({
    status: 400,
    body: { code: 'SCHEMA_ERROR', details: { message: expect.stringContaining(field) } },
  });

  test('of names are 256 characters', async () => {
    expect((await update({ display_name: 'x'.repeat(256) })).status).toBe(200);
    expect(await update({ display_name: 'x'.repeat(257) })).toMatchObject(rejection('body.display_name'));
  });

  test('of metadata are 65,536 bytes as JSON, in any spelling', async () => {
    expect((await update({ client_metadata: 'x'.repeat(65_534) })).status).toBe(200);
    for (const value of ['x'.repeat(65_535), '\u00e4'.repeat(32_768), Array(32_768).fill(1)]) {
      expect(await update({ client_metadata: value })).toMatchObject(rejection('body.client_metadata'));
    }
  });
});
