import { fileURLToPath } from 'node:url';
import { beforeAll, describe, expect, test } from 'vitest';
import { callsIn } from './calls.ts';
import { fieldsIn } from './declarations.ts';
import { findInstalled } from './packages.ts';
import { reportDifference, without } from './report.ts';
import { type Surface, surfaceOf } from './surface.ts';

const modules = fileURLToPath(new URL('../../node_modules', import.meta.url));

describe('the difference between two published clients', () => {
  let older: Surface;
  let newer: Surface;
  beforeAll(async () => {
    const versions = ['stack-js-2-8-77', 'stack-js-2-8-108'].map((name) => findInstalled(name, modules));
    const surfaces = await Promise.all((await Promise.all(versions)).map(surfaceOf));
    [older, newer] = surfaces as [Surface, Surface];
  });

  test('both versions have the calls that every client sends', () => {
    const common = [
      'GET /users/me',
      'POST /auth/password/sign-in',
      'DELETE /teams/{}',
      'PATCH /team-member-profiles/{}/{}',
    ];
    for (const { paths } of [older, newer]) expect([...paths]).toEqual(expect.arrayContaining(common));
  });

  test('names new paths, fields and exports', () => {
    expect(without(newer.paths, older.paths)).toContain('POST /auth/oauth/cross-domain/authorize');
    const fields = without(newer.fields, older.fields);
    expect(fields).toEqual(expect.arrayContaining(['GET /teams ?cursor', 'POST /auth/cli .anon_refresh_token']));
    expect(fields).toContain('users: country_code');
    expect(without(newer.exports, older.exports)).toContain('defineStackConfig');
  });

  test('names what the newer version no longer has', () => {
    const report = reportDifference(newer, older);
    expect(report).toContain('Removed exports: 17');
    expect(report).toMatch(/Removed fields: \d+\n(.+\n)* {2}users: country_code\n/);
  });

  test('a version does not differ from itself', () => {
    expect(reportDifference(newer, newer).match(/: \d+/g)).toEqual(Array(6).fill(': 0'));
  });
});

describe('the calls of a module', () => {
  const callsOf = (body: string) => callsIn(`class A { async call(id, options, kind) { ${body} } }`);

  test.each([
    ["await this.sendClientRequest('/teams', {}, session)", 'GET /teams'],
    [`await this.sendServerRequest(\`/teams/\${id}\`, { method: 'DELETE' })`, 'DELETE /teams/{}'],
    [
      `await this.sendAdminRequest(urlString\`/teams/\${id}/members/\${options.userId}\`, {})`,
      'GET /teams/{}/members/{}',
    ],
    ["await this.sendClientRequest('/teams?' + new URLSearchParams({}), {})", 'GET /teams'],
    [`await this.sendClientRequestAndCatchKnownError(\`/teams\${id ? '?a' : ''}\`, { method: 'PUT' })`, 'PUT /teams'],
    [`await this.sendRequest(\`/\${kind}-api-keys/check\`, { method: 'POST' })`, 'POST /{}-api-keys/check'],
    ["return new URL(this.getBaseUrl() + '/api/v1/auth/oauth/token')", 'URL /auth/oauth/token'],
  ])('%s is %s', (code, expected) => {
    expect(callsOf(code).paths).toEqual([expected]);
  });

  test('a call has the fields of its body and of its query', () => {
    const code = `const search = new URLSearchParams({ user_id: id, ...(options.limit && { limit: options.limit }) });
      search.set('cursor', id);
      await this.sendClientRequest(\`/teams?recursive=\${kind}&\${search}\`, {
        method: 'POST', body: JSON.stringify({ display_name: id, ...(kind ? { parent_id: id } : {}) }),
      });`;
    const names = ['?recursive', '?user_id', '?limit', '?cursor', '.display_name', '.parent_id'];
    expect(callsOf(code).fields).toEqual(names.map((name) => `POST /teams ${name}`));
  });

  test('the functions of a module keep their fields apart', () => {
    const { fields } = callsIn(`
      async function one() { await sendRequest('/one', { body: JSON.stringify({ a_b: 1 }) }); }
      async function two(search) { search.set('limit', 1); await sendRequest('/two?' + search, {}); }`);
    expect(fields).toEqual(['GET /one .a_b', 'GET /two ?limit']);
  });
});

test('wire fields are the properties of declared types, nested ones too', () => {
  const code = 'export type User = { id: string; scores: { sign_up: number }; displayName: string; "%": 1 };';
  expect(fieldsIn(code)).toEqual(['id', 'scores', 'sign_up']);
});
