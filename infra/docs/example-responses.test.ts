import { readFile } from 'node:fs/promises';
import { mockGatebook } from '@gatebook/testing/mock';
import { Ajv2020 } from 'ajv/dist/2020.js';
import { beforeAll, expect, test } from 'vitest';
import { exampleModule, exampleResponses, successSchema } from './example-responses.ts';
import { type OpenApi, openApiDocument } from './openapi-document.ts';

let document: OpenApi;
beforeAll(async () => {
  document = await openApiDocument();
});

test('the example responses of @gatebook/testing are up to date (npm run docs)', async () => {
  const file = new URL('../../sdk/testing/src/responses.ts', import.meta.url);
  expect(await readFile(file, 'utf8')).toBe(exampleModule(document));
});

/** Why a body does not fit the schema of the response to an operation; null if it does. */
function createValidation(): (operation: string, body: unknown) => string | null {
  const ajv = new Ajv2020({ strict: false, allErrors: true, validateFormats: false });
  ajv.addSchema({ $id: 'api', ...document });
  return (name, body) => {
    const [method = '', path = ''] = name.split(' ');
    const operation = document.paths[`/api/v1${path}`]?.[method.toLowerCase()];
    if (!operation) return `${name} is not described`;
    const schema = successSchema(operation)?.schema;
    if (!schema) return null;
    const text = JSON.stringify(schema).replaceAll('"#/', '"api#/');
    return ajv.validate(JSON.parse(text), body) ? null : `${name}: ${ajv.errorsText()}`;
  };
}

test('each example response fits its schema', () => {
  const faultOf = createValidation();
  const examples = Object.entries(exampleResponses(document));
  expect(examples.map(([name, [, body]]) => faultOf(name, body)).filter((fault) => fault !== null)).toEqual([]);
  expect(examples.length).toBeGreaterThan(150);
});

test('what the mock answers fits the schemas too', async () => {
  const faultOf = createValidation();
  const mock = mockGatebook({ teams: [{ permissions: ['read'] }], permissions: ['beta'] });
  const { accessToken, refreshToken } = mock.options.tokenStore as Record<string, string>;
  const headers = { 'x-stack-access-token': accessToken ?? '', 'x-stack-refresh-token': refreshToken ?? '' };
  const call = async (operation: string, path = operation.split(' ')[1], body?: object) => {
    const response = await mock.fetch(
      new Request(`http://gate.test/api/v1${path}`, {
        ...{ method: operation.split(' ')[0] ?? '', headers },
        ...(body && { body: JSON.stringify(body) }),
      }),
    );
    return faultOf(operation, await response.json());
  };
  const codeOf = async () => {
    await call('POST /auth/otp/send-sign-in-code', '/auth/otp/send-sign-in-code', { email });
    return mock.emails.at(-1)?.code;
  };
  const [teamId] = mock.teamIds;
  const email = 'bea@example.com';
  const faults = [
    await call('GET /projects/current'),
    await call('GET /users/me'),
    await call('PATCH /users/me', '/users/me', { selected_team_id: teamId }),
    await call('GET /users'),
    await call('POST /users', '/users', { primary_email: email, password: 'a long passphrase' }),
    await call('GET /users/{user_id}', `/users/${mock.userId}`),
    await call('GET /contact-channels', '/contact-channels?user_id=me'),
    await call('GET /teams', '/teams?user_id=me'),
    await call('POST /teams', '/teams', { display_name: 'Acme', creator_user_id: 'me' }),
    await call('GET /team-member-profiles', `/team-member-profiles?team_id=${teamId}`),
    await call('GET /team-permissions', '/team-permissions?user_id=me'),
    await call('GET /project-permissions', '/project-permissions?user_id=me'),
    await call('POST /auth/password/sign-in', '/auth/password/sign-in', { email, password: 'a long passphrase' }),
    await call('POST /auth/anonymous/sign-up'),
    await call('POST /auth/sessions', '/auth/sessions', { user_id: mock.userId }),
    await call('POST /auth/oauth/token', '/auth/oauth/token', {
      ...{ grant_type: 'refresh_token', refresh_token: refreshToken },
    }),
    await call('POST /auth/oauth/token', '/auth/oauth/token', {
      grant_type: 'authorization_code',
      code: await codeOf(),
    }),
    await call('DELETE /auth/sessions/current'),
  ];
  expect(faults.filter((fault) => fault !== null)).toEqual([]);
});
