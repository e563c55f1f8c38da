import { describe, expect, test } from 'vitest';
import {
  createProject,
  expectKnown,
  expectPlain,
  expectSchemaError,
  password,
  type SignedIn,
  signUp,
  unknownId,
} from '../../testing/requests.ts';
import { startSuite } from '../../testing/suite.ts';

const { api, send } = await startSuite({
  trustedProxies: ['loopback'],
  clientHeaders: { address: null, country: 'cf-ipcountry' },
});
const project = await createProject(send);

const list = async (user: SignedIn, call = {}) =>
  (await send('GET', `/auth/sessions?user_id=${user.userId}`, { ...project, as: user.accessToken, ...call })).body
    .items;
const signInAgain = async ({ email }: SignedIn, headers = {}) =>
  (await send('POST', '/auth/password/sign-in', { ...project, headers, body: { email, password } })).body;

describe('list', () => {
  test('shows the country of an address if no proxy provides it', async () => {
    const user = await signUp(send, project);
    const placeOf = async (headers: Record<string, string>) => {
      const { access_token: as } = await signInAgain(user, headers);
      await api.deps.activity.flush();
      const [newest] = await list(user, { as });
      return newest.last_used_at_end_user_ip_info;
    };
    const browser = { 'user-agent': 'Mozilla/5.0 (test)' };
    expect(await placeOf({ ...browser, 'x-forwarded-for': '8.8.8.8' })).toEqual({ ip: '8.8.8.8', countryCode: 'US' });
    expect(await placeOf({ ...browser, 'x-forwarded-for': '10.0.0.9' })).toEqual({ ip: '10.0.0.9', countryCode: null });
  });

  test('is sorted newest first, with the current session marked and its last location', async () => {
    const user = await signUp(send, project);
    await new Promise((resolve) => setTimeout(resolve, 5));
    const second = await signInAgain(user, {
      'user-agent': 'Mozilla/5.0 (Macintosh; Intel Mac OS X 10_15_7) Chrome/141.0.0.0 Safari/537.36',
      'x-forwarded-for': '203.0.113.9',
      'cf-ipcountry': 'NZ',
    });
    await api.deps.activity.flush();
    const answer = await send('GET', '/auth/sessions?user_id=me', { ...project, as: second.access_token });
    expect(answer.status).toBe(200);
    expect(answer.body).toEqual({
      items: [
        {
          id: expect.any(String),
          user_id: user.userId,
          created_at: expect.any(Number),
          is_impersonation: false,
          last_used_at: expect.any(Number),
          is_current_session: true,
          device: { browser: 'Chrome', system: 'macOS' },
          last_used_at_end_user_ip_info: { ip: '203.0.113.9', countryCode: 'NZ' },
        },
        {
          id: expect.any(String),
          user_id: user.userId,
          created_at: expect.any(Number),
          is_impersonation: false,
          last_used_at: expect.any(Number),
          is_current_session: false,
          device: { browser: null, system: null },
        },
      ],
      is_paginated: false,
    });
  });

  test('returns only a client’s own sessions, and any user’s to a server', async () => {
    const [user, stranger] = [await signUp(send, project), await signUp(send, project)];
    expectPlain(
      await send('GET', `/auth/sessions?user_id=${stranger.userId}`, { ...project, as: user.accessToken }),
      403,
    );
    expect(await list(stranger, { access: 'server', as: undefined })).toHaveLength(1);
    const unknown = await send('GET', `/auth/sessions?user_id=${unknownId}`, { ...project, access: 'server' });
    expect(unknown.body).toEqual({ items: [], is_paginated: false });
  });

  test.each(['client', 'server', 'admin'] as const)('requires a signed-in user for `me`, as %s', async (access) => {
    const answer = await send('GET', '/auth/sessions?user_id=me', { ...project, access });
    expectKnown(answer, 400, 'CANNOT_GET_OWN_USER_WITHOUT_USER');
  });

  test('rejects a client without a user and invalid queries', async () => {
    const path = `/auth/sessions?user_id=${unknownId}`;
    expectKnown(await send('GET', path, project), 400, 'CANNOT_GET_OWN_USER_WITHOUT_USER');
    expectSchemaError(
      await send('GET', '/auth/sessions?x=1', { ...project, access: 'server' }),
      'query.user_id is required',
      'query has unknown fields: x',
    );
    expectSchemaError(
      await send('GET', '/auth/sessions?user_id=you', { ...project, access: 'server' }),
      'query.user_id',
    );
  });
});

describe('create', () => {
  const create = (body: unknown, call = {}) =>
    send('POST', '/auth/sessions', { ...project, access: 'server', body, ...call });

  test.each(['server', 'admin'] as const)('signs a user in, as %s', async (access) => {
    const user = await signUp(send, project);
    const answer = await create({ user_id: user.userId }, { access });
    expect(answer.status).toBe(200);
    expect(answer.body).toEqual({ refresh_token: expect.any(String), access_token: expect.any(String) });
    const me = await send('GET', '/users/me', { ...project, as: answer.body.access_token });
    expect(me.body.id).toBe(user.userId);
  });

  test('uses the user of the access token for `me`', async () => {
    const user = await signUp(send, project);
    expect((await create({ user_id: 'me' }, { as: user.accessToken })).status).toBe(200);
    expectKnown(await create({ user_id: 'me' }), 400, 'CANNOT_GET_OWN_USER_WITHOUT_USER');
  });

  test('creates impersonation sessions that only administrators see', async () => {
    const user = await signUp(send, project);
    await create({ user_id: user.userId, is_impersonation: true });
    expect(await list(user)).toHaveLength(1);
    expect(await list(user, { access: 'server' })).toHaveLength(1);
    const seen = await list(user, { access: 'admin' });
    expect(seen.map((session: { is_impersonation: boolean }) => session.is_impersonation).sort()).toEqual([
      false,
      true,
    ]);
  });

  test('creates a session that lives exactly as long as requested', async () => {
    const user = await signUp(send, project);
    const { refresh_token } = (await create({ user_id: user.userId, expires_in_millis: 20 })).body;
    await new Promise((resolve) => setTimeout(resolve, 60));
    const refreshed = await send('POST', '/auth/sessions/current/refresh', {
      ...project,
      headers: { 'x-stack-refresh-token': refresh_token },
    });
    expectKnown(refreshed, 401, 'REFRESH_TOKEN_NOT_FOUND_OR_EXPIRED');
    expect(await list(user)).toHaveLength(1);
  });

  test('rejects invalid requests with known errors', async () => {
    const user = await signUp(send, project);
    expectKnown(await create({ user_id: unknownId }), 400, 'USER_ID_DOES_NOT_EXIST', { user_id: unknownId });
    const foreign = await signUp(send);
    expectKnown(await create({ user_id: foreign.userId }), 400, 'USER_ID_DOES_NOT_EXIST', { user_id: foreign.userId });
    for (const expires_in_millis of [31_708_800_001, 0, -1, 'soon']) {
      expectSchemaError(await create({ user_id: user.userId, expires_in_millis }), 'body.expires_in_millis');
    }
    expect((await create({ user_id: user.userId, expires_in_millis: 31_708_800_000 })).status).toBe(200);
    expectKnown(await create({ user_id: user.userId }, { access: 'client' }), 401, 'INSUFFICIENT_ACCESS_TYPE', {
      actual_access_type: 'client',
      allowed_access_types: ['server', 'admin'],
    });
  });
});

describe('delete', () => {
  const end = (id: string, call = {}, query = '?user_id=me') =>
    send('DELETE', `/auth/sessions/${id}${query}`, { ...project, ...call });

  test('ends other sessions of the signed-in user', async () => {
    const user = await signUp(send, project);
    const other = await signInAgain(user);
    const [ended] = (await list(user)).filter(
      ({ is_current_session }: { is_current_session: boolean }) => !is_current_session,
    );
    const answer = await end(ended.id, { as: user.accessToken, body: {} });
    expect(answer).toMatchObject({ status: 200, body: { success: true } });
    const after = await send('GET', '/users/me', { ...project, as: other.access_token });
    expect(after.body.code).toBe('ACCESS_TOKEN_EXPIRED');
    expectPlain(await end(ended.id, { as: user.accessToken }), 404);
  });

  test('rejects the current session at every access level', async () => {
    const user = await signUp(send, project);
    const [current] = await list(user);
    for (const access of ['client', 'server', 'admin']) {
      expectKnown(await end(current.id, { as: user.accessToken, access }), 400, 'CANNOT_DELETE_CURRENT_SESSION');
    }
  });

  test('does not find unknown sessions or those of other users; a server ends any session', async () => {
    const [user, stranger] = [await signUp(send, project), await signUp(send, project)];
    const [theirs] = await list(stranger);
    expectPlain(await end(theirs.id, { as: user.accessToken }), 404);
    expectPlain(await end(unknownId, { as: user.accessToken }), 404);
    expect((await end(theirs.id, { access: 'server' }, '')).status).toBe(200);
    const foreign = await signUp(send);
    const [ofForeign] = (await send('GET', '/auth/sessions?user_id=me', { as: foreign.accessToken })).body.items;
    expectPlain(await end(ofForeign.id, { access: 'server' }, ''), 404);
  });

  test('requires a user ID and a signed-in user from a client', async () => {
    const user = await signUp(send, project);
    expectSchemaError(await end(unknownId, { as: user.accessToken }, ''), 'query.user_id is required');
    expectKnown(await end(unknownId), 400, 'CANNOT_GET_OWN_USER_WITHOUT_USER');
    expectSchemaError(await end('1', { access: 'server' }, ''), 'params.session_id');
  });
});

describe('sign out', () => {
  const signOut = (call = {}) => send('DELETE', '/auth/sessions/current', { ...project, body: {}, ...call });

  test.each(['client', 'server', 'admin'] as const)('ends the session of the access token, as %s', async (access) => {
    const user = await signUp(send, project);
    expect(await signOut({ access, as: user.accessToken })).toMatchObject({ status: 200, body: { success: true } });
    expectKnown(await signOut({ access, as: user.accessToken }), 401, 'REFRESH_TOKEN_NOT_FOUND_OR_EXPIRED');
  });

  test('requires an access token', async () => {
    const answer = await signOut();
    expectKnown(answer, 401, 'ACCESS_TOKEN_EXPIRED', { expired_at_millis: expect.any(Number) });
    expect(Math.abs(answer.body.details.expired_at_millis - Date.now())).toBeLessThan(60_000);
  });

  test('does not find the session of a deleted user', async () => {
    const user = await signUp(send, project);
    await send('DELETE', `/users/${user.userId}`, { ...project, access: 'server' });
    expectKnown(await signOut({ as: user.accessToken }), 401, 'REFRESH_TOKEN_NOT_FOUND_OR_EXPIRED');
  });
});

describe('refresh', () => {
  const refresh = (token: string, call = {}) =>
    send('POST', '/auth/sessions/current/refresh', {
      ...project,
      headers: { 'x-stack-refresh-token': token },
      ...call,
    });

  test.each(['client', 'server', 'admin'] as const)('returns a new access token, as %s', async (access) => {
    const user = await signUp(send, project);
    const answer = await refresh(user.refreshToken, { access });
    expect(answer).toMatchObject({ status: 200, body: { access_token: expect.any(String) } });
    expect(Object.keys(answer.body)).toEqual(['access_token']);
    expect((await send('GET', '/users/me', { ...project, as: answer.body.access_token })).body.id).toBe(user.userId);
  });

  test('requires the header and an active session of this project', async () => {
    expectSchemaError(await refresh(''), 'headers.x-stack-refresh-token is required');
    const foreign = await signUp(send);
    expectKnown(await refresh(foreign.refreshToken), 401, 'REFRESH_TOKEN_NOT_FOUND_OR_EXPIRED');
    const user = await signUp(send, project);
    await send('DELETE', '/auth/sessions/current', { ...project, as: user.accessToken });
    // The ended session's access token does not get in the way of the answer.
    expectKnown(await refresh(user.refreshToken, { as: user.accessToken }), 401, 'REFRESH_TOKEN_NOT_FOUND_OR_EXPIRED');
  });
});
