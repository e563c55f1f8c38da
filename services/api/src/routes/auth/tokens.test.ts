import { describe, expect, test } from 'vitest';
import { changeSettings, createProject, expectKnown, expectSchemaError, signUp } from '../../testing/requests.ts';
import { startSuite } from '../../testing/suite.ts';

const { api, send } = await startSuite();
const project = await createProject(send);
await changeSettings(send, project, { keyless_clients_allowed: false });

describe('token endpoint', () => {
  const url = '/api/v1/auth/oauth/token';

  async function request(fields: Record<string, string>, headers: Record<string, string> = {}) {
    const answer = await api.app.inject({
      method: 'POST',
      url,
      headers: { 'content-type': 'application/x-www-form-urlencoded', ...headers },
      payload: new URLSearchParams(fields).toString(),
    });
    return { status: answer.statusCode, body: answer.json(), text: answer.body, headers: answer.headers };
  }
  const client = () => ({ client_id: project.projectId, client_secret: project.keys.client });
  const refresh = (refresh_token: string) => ({ grant_type: 'refresh_token', refresh_token, ...client() });

  test('refreshes, as a form and as JSON, without any other header', async () => {
    const user = await signUp(send, project);
    const form = await request(refresh(user.refreshToken));
    expect(form).toMatchObject({ status: 200, headers: { 'cache-control': 'no-store', pragma: 'no-cache' } });
    expect(form.body).toEqual({
      access_token: expect.any(String),
      token_type: 'Bearer',
      expires_in: 600,
      scope: 'legacy',
    });
    const me = await send('GET', '/users/me', { ...project, as: form.body.access_token });
    expect(me.body.id).toBe(user.userId);
    const json = await api.app.inject({
      method: 'POST',
      url,
      payload: { ...refresh(user.refreshToken), scope: 'legacy', more: ['is', 'free'] },
    });
    expect(json.statusCode).toBe(200);
  });

  test('accepts the branch in the client ID and prefers HTTP Basic to the body', async () => {
    const { refreshToken } = await signUp(send, project);
    const branch = { ...refresh(refreshToken), client_id: `${project.projectId}#main` };
    expect((await request(branch)).status).toBe(200);
    const basic = Buffer.from(`${project.projectId}:${project.keys.client}`).toString('base64');
    const fields = {
      grant_type: 'refresh_token',
      refresh_token: refreshToken,
      client_id: 'other',
      client_secret: 'no',
    };
    expect((await request(fields, { authorization: `Basic ${basic}` })).status).toBe(200);
  });

  test('rejects a client that is missing, wrong or of another branch', async () => {
    const { refreshToken } = await signUp(send, project);
    const good = refresh(refreshToken);
    for (const change of [
      { client_id: '' },
      { client_secret: '' },
      { client_id: 'nowhere' },
      { client_id: `${project.projectId}#dev` },
      { client_id: 'internal' },
      { client_secret: project.keys.server },
    ]) {
      expectKnown(await request({ ...good, ...change }), 400, 'INVALID_OAUTH_CLIENT_ID_OR_SECRET', { client_id: null });
    }
    const basic = Buffer.from(`${project.projectId}:wrong`).toString('base64');
    expectKnown(await request(good, { authorization: `Basic ${basic}` }), 400, 'INVALID_OAUTH_CLIENT_ID_OR_SECRET', {
      client_id: null,
    });
  });

  test('reports a missing refresh token as an OAuth error', async () => {
    const answer = await request({ grant_type: 'refresh_token', ...client() });
    expect(answer.status).toBe(400);
    expect(answer.body).toEqual({ error: 'invalid_request', error_description: expect.any(String) });
    expect(answer.headers['x-stack-known-error']).toBeUndefined();
  });

  test('rejects a refresh token that is unknown, ended or of another project', async () => {
    const foreign = await signUp(send);
    const ended = await signUp(send, project);
    await send('DELETE', '/auth/sessions/current', { ...project, as: ended.accessToken });
    for (const token of ['x'.repeat(45), foreign.refreshToken, ended.refreshToken]) {
      expectKnown(await request(refresh(token)), 401, 'REFRESH_TOKEN_NOT_FOUND_OR_EXPIRED');
    }
  });

  test('supports two grant types and one scope', async () => {
    const { refreshToken } = await signUp(send, project);
    expectSchemaError(await request({ grant_type: 'password', ...client() }), 'body.grant_type');
    expectKnown(await request({ ...refresh(refreshToken), scope: 'email' }), 400, 'INVALID_SCOPE');
  });

  test('reports any authorization code as unknown', async () => {
    const fields = { grant_type: 'authorization_code', redirect_uri: 'http://localhost', code_verifier: 'v' };
    expectKnown(await request({ ...fields, ...client(), code: 'x' }), 400, 'INVALID_AUTHORIZATION_CODE');
    expectKnown(
      await request({ ...fields, client_id: project.projectId, code: 'x' }),
      400,
      'INVALID_AUTHORIZATION_CODE',
    );
    expect((await request({ ...fields, ...client() })).body.error).toBe('invalid_request');
    expectKnown(
      await request({ ...fields, client_id: 'nowhere', code: 'x' }),
      400,
      'INVALID_OAUTH_CLIENT_ID_OR_SECRET',
      {
        client_id: null,
      },
    );
  });

  test('checks the given headers but ignores a token of an ended session', async () => {
    const { refreshToken } = await signUp(send, project);
    const wrong = await request(refresh(refreshToken), {
      'x-stack-access-type': 'client',
      'x-stack-project-id': project.projectId,
      'x-stack-publishable-client-key': 'pck_wrong',
    });
    expectKnown(wrong, 401, 'INVALID_PUBLISHABLE_CLIENT_KEY', { project_id: project.projectId });
    const ended = await signUp(send, project);
    await send('DELETE', '/auth/sessions/current', { ...project, as: ended.accessToken });
    const answer = await request(refresh(ended.refreshToken), {
      'x-stack-access-type': 'client',
      'x-stack-project-id': project.projectId,
      'x-stack-publishable-client-key': project.keys.client,
      'x-stack-access-token': ended.accessToken,
    });
    expectKnown(answer, 401, 'REFRESH_TOKEN_NOT_FOUND_OR_EXPIRED');
  });
});

describe('JWKS', () => {
  test('publishes the keys that sign the project’s tokens', async () => {
    const user = await signUp(send, project);
    const answer = await api.app.inject(`/api/v1/projects/${project.projectId}/.well-known/jwks.json`);
    expect(answer.statusCode).toBe(200);
    const header = JSON.parse(Buffer.from(user.accessToken.split('.')[0] ?? '', 'base64url').toString());
    expect(header).toEqual({ alg: 'ES256', kid: expect.stringMatching(/^[\w-]{12}$/) });
    const text = expect.any(String);
    expect(answer.json()).toEqual({
      keys: [{ kty: 'EC', crv: 'P-256', alg: 'ES256', kid: header.kid, x: text, y: text }],
    });
  });

  test('has no keys for an unknown project', async () => {
    const answer = await api.app.inject('/api/v1/projects/nowhere/.well-known/jwks.json');
    expect(answer.statusCode).toBe(404);
    expect(answer.headers['content-type']).toBe('text/plain; charset=utf-8');
  });
});
