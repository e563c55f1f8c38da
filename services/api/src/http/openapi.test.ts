import { validate } from '@scalar/openapi-parser';
import { expect, test } from 'vitest';
import { routes } from '../routes/all.ts';
import { startSuite } from '../testing/suite.ts';
import { nameOf } from './define-route.ts';

type Operation = {
  summary?: string;
  description?: string;
  tags?: string[];
  parameters?: { name: string; in: string; required?: boolean; schema?: unknown }[];
  requestBody?: unknown;
  responses: Record<string, unknown>;
  security?: Record<string, unknown>[];
};
type Document = {
  openapi: string;
  tags: { name: string }[];
  paths: Record<string, Record<string, Operation>>;
  components: { schemas: Record<string, { type?: string; properties?: Record<string, unknown> }> };
};

const { api } = await startSuite();
const document: Document = (await api.app.inject('/openapi.json')).json();

test('the description is a valid OpenAPI 3.1 document', async () => {
  expect(document.openapi).toBe('3.1.0');
  const { valid, errors } = await validate(document);
  expect(errors ?? []).toEqual([]);
  expect(valid).toBe(true);
});

test('the description has every route, and nothing else', () => {
  const described = Object.entries(document.paths).flatMap(([path, operations]) =>
    Object.keys(operations).map((method) => `${method.toUpperCase()} ${path.replace(/\{(\w+)\}/g, ':$1')}`),
  );
  const offered = routes.filter(({ isForOlderClients }) => !isForOlderClients).map(nameOf);
  expect(described.sort()).toEqual(offered.sort());
});

test('every operation has a summary, a description, a tag and a success response', () => {
  for (const [path, operations] of Object.entries(document.paths)) {
    for (const [method, operation] of Object.entries(operations)) {
      const name = `${method} ${path}`;
      expect(operation.summary, name).toEqual(expect.any(String));
      expect(operation.description, name).toMatch(/\S\.$/);
      expect(operation.tags, name).toHaveLength(1);
      expect(
        Object.keys(operation.responses).some((status) => /^(20[01]|30[37])$/.test(status)),
        name,
      ).toBe(true);
      if (path.startsWith('/api/')) expect(operation.responses, name).toHaveProperty('4XX');
    }
  }
});

const verbs =
  `Accept Add Approve Cancel Change Check Compare Complete Continue Count Create Delete Disconnect End Erase Exchange Explain Export Get Grant
  Identify Import Invite Leave List Merge Open Poll Preview Promote Push Rebuild Record Redirect Refresh Register Release Remove Render Replace Report Resend Reset Restore Retry
  Revoke Rotate Search Send Set Sign Start Stream Test Transfer Undo Unsubscribe Update Verify`.split(/\s+/);

test('every summary of an operation begins with a verb and has no period', () => {
  for (const operations of Object.values(document.paths)) {
    for (const { summary = '' } of Object.values(operations)) {
      expect(verbs, summary).toContain(summary.split(' ', 1)[0]);
      expect(summary).toMatch(/^[A-Z][\w’ -]+( \(.+\))?$/);
    }
  }
});

test('every tag is described', () => {
  const used = Object.values(document.paths).flatMap((operations) =>
    Object.values(operations).flatMap(({ tags }) => tags ?? []),
  );
  expect(new Set(document.tags.map(({ name }) => name))).toEqual(new Set(used));
});

test('the description lists the keys that can call an operation', () => {
  const names = (path: string, method: string) =>
    (document.paths[path]?.[method]?.security ?? []).flatMap((one) =>
      Object.keys(one).filter((name) => !['accessType', 'project'].includes(name)),
    );
  expect(names('/api/v1/users', 'get')).toEqual(['server', 'admin', 'owner']);
  expect(names('/api/v1/users/me', 'get')).toEqual(['client', 'server', 'admin', 'owner']);
  expect(names('/api/v1/internal/metrics', 'get')).toEqual(['admin', 'owner']);
  expect(names('/api/v1/auth/oauth/token', 'post')).toEqual([]);
});

test('the description lists errors, body and query of an operation', () => {
  const change = document.paths['/api/v1/users/me']?.patch;
  expect(change?.responses[404]).toMatchObject({ description: '- `TEAM_MEMBERSHIP_NOT_FOUND`' });
  expect(change?.responses[409]).toMatchObject({ description: '- `USER_EMAIL_ALREADY_EXISTS`' });
  expect(change?.requestBody).toMatchObject({
    content: { 'application/json': { schema: { anyOf: [{}, { $ref: '#/components/schemas/OwnUserPatchInput' }] } } },
  });
  const named = (path: string, method: string) => document.paths[path]?.[method]?.parameters?.map(({ name }) => name);
  expect(named('/api/v1/users/me', 'patch')).toEqual(['idempotency-key']);
  expect(named('/api/v1/users', 'get')).toContain('cursor');
  expect(named('/api/v1/auth/sessions/current/refresh', 'post')).toContain('x-stack-refresh-token');
  expect(document.paths['/api/v1/auth/password/set']?.post?.responses).toHaveProperty('429');
});

test('the description names schemas with the validated types', () => {
  const { schemas } = document.components;
  for (const name of ['User', 'CurrentUser', 'Session', 'Project', 'ProjectKey', 'Tokens', 'Error', 'History']) {
    expect(schemas[name], name).toMatchObject({ type: 'object' });
  }
  const ofSignIn = schemas.PasswordSignIn ?? schemas.PasswordSignInInput;
  expect(Object.keys(ofSignIn?.properties ?? {})).toEqual(['email', 'password']);
});

test('the description lists every option of a union', () => {
  const { schemas } = document.components;
  const themeOf = (name: string) => schemas[name]?.properties?.theme_id;
  for (const name of ['SendEmailInput', 'NewEmailDesignInput', 'EmailDesignPatchInput', 'RenderEmailInput']) {
    expect(themeOf(name), name).toMatchObject({ anyOf: [{ type: 'null' }, { type: 'boolean' }, { type: 'string' }] });
  }
  const { parameters = [] } = document.paths['/api/v1/team-memberships/{team_id}/{user_id}']?.post ?? {};
  expect(parameters.find(({ name }) => name === 'user_id')?.schema).toMatchObject({
    anyOf: [{ enum: ['me'] }, { type: 'string' }],
  });
});

test('the reference page has every operation and loads nothing', async () => {
  const page = await api.app.inject('/docs');
  expect(page.statusCode).toBe(200);
  const policy = String(page.headers['content-security-policy']);
  expect(policy).toContain("default-src 'none'");
  expect(policy).toContain("frame-ancestors 'none'");
  expect(policy).toMatch(/script-src( 'sha256-[A-Za-z0-9+/]{43}=')+;/);
  for (const [path, operations] of Object.entries(document.paths)) {
    for (const method of Object.keys(operations)) {
      expect(page.body, `${method} ${path}`).toContain(`<b>${method.toUpperCase()}</b> ${path}</code>`);
    }
  }
  expect([...page.body.matchAll(/\ssrc="([^"]+)"/g)]).toEqual([]);
  const anchors = new Set([...page.body.matchAll(/\sid="([^"]+)"/g)].map(([, id]) => id));
  const targets = [...page.body.matchAll(/href="#([^"]+)"/g)].map(([, id]) => id);
  expect(targets.filter((id) => !anchors.has(id))).toEqual([]);
});

test('writes accept an idempotency key in addition to their other headers', () => {
  const headersOf = (path: string, method: string) =>
    document.paths[`/api/v1${path}`]?.[method]?.parameters?.filter(({ in: place }) => place === 'header') ?? [];
  expect(headersOf('/users', 'post').map(({ name }) => name)).toEqual(['idempotency-key']);
  expect(headersOf('/users', 'get')).toEqual([]);
  const refresh = headersOf('/auth/sessions/current/refresh', 'post');
  expect(Object.fromEntries(refresh.map(({ name, required = false }) => [name, required]))).toEqual({
    'x-stack-refresh-token': true,
    'idempotency-key': false,
  });
});
