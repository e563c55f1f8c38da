import { describe, expect, test } from 'vitest';
import { newPerson, projectsOf, toldError } from '../../testing/oauth.ts';
import {
  changeConfig,
  expectKnown,
  expectPlain,
  expectSchemaError,
  type OwnedProject,
  signUp,
  unknownId,
} from '../../testing/requests.ts';
import { startSuite } from '../../testing/suite.ts';

const { api, send } = await startSuite();
const projectWith = projectsOf(api);

const callsOf = (project: OwnedProject, caller: object) => {
  const call = (method: string, path: string, body?: unknown) =>
    send(method, path, { ...project, ...caller, ...(body !== undefined && { body }) });
  return {
    list: (userId = 'me') => call('GET', `/oauth-providers?user_id=${userId}`),
    get: (id: string, userId = 'me') => call('GET', `/oauth-providers/${userId}/${id}`),
    update: (id: string, body: object, userId = 'me') => call('PATCH', `/oauth-providers/${userId}/${id}`, body),
    remove: (id: string, userId = 'me') => call('DELETE', `/oauth-providers/${userId}/${id}`),
    create: (body: object) => call('POST', '/oauth-providers', body),
    token: (account: string, userId = 'me') =>
      call('POST', `/connected-accounts/${userId}/github/${account}/access-token`, {}),
    anyToken: () => call('POST', '/connected-accounts/me/github/access-token', {}),
    connected: (userId = 'me') => call('GET', `/connected-accounts/${userId}`),
  };
};

/** Somebody who signed in with GitHub, and their server. */
async function signedIn(person = newPerson(), options: { config?: object; scope?: string } = {}) {
  const world = await projectWith({ ...options.config });
  const { project, signIn } = world;
  const { access_token: as } = await signIn('github', person);
  const userId: string = (await send('GET', '/users/me', { ...project, as })).body.id;
  const own = callsOf(project, { as });
  const server = callsOf(project, { access: 'server' });
  const account = (await server.list(userId)).body.items[0];
  return { ...world, as, userId, own, server, person, account, id: account.id as string };
}

describe('accounts at OAuth providers', () => {
  test('are listed and read, with the account ID for servers', async () => {
    const { own, server, userId, person, id, project } = await signedIn();
    const view = {
      id: expect.stringMatching(/^[0-9a-f-]{36}$/),
      user_id: userId,
      email: person.email,
      provider_config_id: 'github',
      type: 'github',
      allow_sign_in: true,
      allow_connected_accounts: true,
    };
    expect((await own.list()).body).toEqual({ items: [view], is_paginated: false });
    expect((await own.get(id)).body).toEqual(view);
    const serverView = { ...view, account_id: person.accountId };
    expect((await server.list(userId)).body).toEqual({ items: [serverView], is_paginated: false });
    expect((await server.get(id, userId)).body).toEqual(serverView);
    expect((await send('GET', '/oauth-providers', { ...project, access: 'server' })).body.items).toEqual([serverView]);
  });

  test('stay after the project dropped the provider', async () => {
    const { own, server, project, id, userId } = await signedIn();
    await changeConfig(send, project, { oauth_providers: [] });
    expect((await own.list()).body.items).toHaveLength(1);
    expect((await own.get(id)).status).toBe(200);
    expect((await own.update(id, { allow_connected_accounts: false })).body.allow_connected_accounts).toBe(false);
    expect((await server.remove(id, userId)).body).toEqual({ success: true });
    expect((await own.list()).body.items).toEqual([]);
  });

  test('of others are out of reach of clients', async () => {
    const { own, project, id } = await signedIn();
    const other = await signUp(send, project);
    const stranger = callsOf(project, { as: other.accessToken });
    const { userId } = other;
    for (const answer of [await own.list(userId), await own.get(id, userId), await own.remove(id, userId)]) {
      expectPlain(answer, 403);
    }
    expectPlain(await send('GET', '/oauth-providers', { ...project, as: other.accessToken }), 403);
    expectKnown(await send('GET', '/oauth-providers', project), 400, 'CANNOT_GET_OWN_USER_WITHOUT_USER');
    for (const answer of [await stranger.get(id), await stranger.remove(id), await stranger.update(id, {})]) {
      expectPlain(answer, 404);
    }
    expectPlain(await own.get(unknownId), 404);
    expectSchemaError(await own.update(id, { account_id: 'x', email: 'x@example.com' }), 'account_id, email');
    expect((await own.create({})).body.code).toBe('INSUFFICIENT_ACCESS_TYPE');
  });
});

describe('an account that may not sign in', () => {
  test('is rejected at the provider’s callback and signs up nobody else', async () => {
    const { begin, comeBack, server, userId, id, person, project } = await signedIn();
    await server.update(id, { allow_sign_in: false }, userId);
    const answer = await comeBack('github', await begin('github'), person);
    expect(toldError(answer)).toMatchObject({ code: 'OAUTH_CONNECTION_ALREADY_CONNECTED_TO_ANOTHER_USER' });
    const users = await send('GET', '/users', { ...project, access: 'server' });
    expect(users.body.items).toHaveLength(1);
    await server.update(id, { allow_sign_in: true }, userId);
    expect((await comeBack('github', await begin('github'), person)).status).toBe(303);
  });

  test('is rejected when the code is redeemed', async () => {
    const { codeFor, redeem, server, userId, id, person } = await signedIn();
    const code = await codeFor('github', person);
    await server.update(id, { allow_sign_in: false }, userId);
    expectKnown(await redeem(code), 409, 'OAUTH_CONNECTION_ALREADY_CONNECTED_TO_ANOTHER_USER');
  });

  test('can be the only one for a server, but not for its user', async () => {
    const { own, server, id, userId, person } = await signedIn();
    expectPlain(await own.update(id, { allow_sign_in: false }), 400);
    expectPlain(await own.remove(id), 400);
    expect((await own.get(id)).body.allow_sign_in).toBe(true);
    const second = { account_id: `${person.accountId}-2`, allow_sign_in: true, allow_connected_accounts: false };
    await server.create({ user_id: userId, provider_config_id: 'github', ...second });
    expect((await own.update(id, { allow_sign_in: false })).body.allow_sign_in).toBe(false);
    const { items } = (await own.list()).body;
    expectPlain(await own.remove(items[1].id), 400);
    expect((await server.remove(items[1].id, userId)).status).toBe(200);
    expect((await own.remove(id)).status).toBe(200);
  });
});

describe('an account that apps may not use', () => {
  test('gives no tokens and is not listed as connected, until its user connects it again', async () => {
    const { own, signIn, id, userId, person, as, server } = await signedIn();
    const connected = { user_id: userId, provider: 'github', provider_account_id: person.accountId };
    expect((await own.connected()).body).toEqual({ items: [connected], is_paginated: false });
    expect((await own.token(person.accountId)).status).toBe(201);
    await own.update(id, { allow_connected_accounts: false });
    expect((await own.connected()).body.items).toEqual([]);
    for (const answer of [await own.token(person.accountId), await own.anyToken()]) {
      expectKnown(answer, 400, 'OAUTH_CONNECTION_NOT_CONNECTED_TO_USER');
    }
    await signIn('github', person);
    expectKnown(await own.anyToken(), 400, 'OAUTH_CONNECTION_NOT_CONNECTED_TO_USER');
    await signIn('github', person, { type: 'link', token: as });
    expect((await server.connected(userId)).body.items).toEqual([connected]);
    expect((await own.token(person.accountId)).status).toBe(201);
  });
});

describe('several accounts of one provider', () => {
  test('have a token each', async () => {
    const { own, server, signIn, userId, person } = await signedIn();
    const second = newPerson();
    const body = { user_id: userId, provider_config_id: 'github', account_id: second.accountId };
    const created = await server.create({ ...body, allow_sign_in: true, allow_connected_accounts: true });
    expect([created.status, created.body.account_id]).toEqual([201, second.accountId]);
    expect(created.body).not.toHaveProperty('email');
    expectKnown(await own.token(second.accountId), 400, 'OAUTH_CONNECTION_DOES_NOT_HAVE_REQUIRED_SCOPE');
    await signIn('github', second);
    const [first, other] = [await own.token(person.accountId), await own.token(second.accountId)];
    expect([first.status, other.status]).toEqual([201, 201]);
    expect(first.body.access_token).not.toBe(other.body.access_token);
    expect((await own.connected()).body.items).toHaveLength(2);
    expectKnown(await own.token('nobody%2F%27s'), 400, 'OAUTH_CONNECTION_NOT_CONNECTED_TO_USER');
  });

  test('a rejected refresh asks to connect the account again', async () => {
    const { server, userId, person, project } = await signedIn(newPerson({ refreshToken: 'rejected' }));
    api.advance(3_600_000);
    const answer = await server.token(person.accountId, userId);
    expectKnown(answer, 400, 'OAUTH_ACCESS_TOKEN_NOT_AVAILABLE', { provider: 'github', details: expect.any(String) });
    const byProvider = (version: string) =>
      send('POST', `/connected-accounts/${userId}/github/access-token`, {
        ...project,
        access: 'server',
        body: {},
        headers: { 'x-stack-client-version': `js @stackframe/js@${version}` },
      });
    expectKnown(await byProvider('2.8.3'), 401, 'PROVIDER_REJECTED');
    expect((await byProvider('2.8.77')).body.code).toBe('OAUTH_ACCESS_TOKEN_NOT_AVAILABLE');
  });
});

describe('a server', () => {
  const uses = { allow_sign_in: true, allow_connected_accounts: false };

  test('adds an account that signs in as the user', async () => {
    const { server, signIn, project } = await signedIn();
    const { userId } = await signUp(send, project);
    const person = newPerson();
    const { accountId: account_id, email } = person;
    const body = { user_id: userId, provider_config_id: 'GitHub', account_id, email, ...uses };
    const { id, ...created } = (await server.create(body)).body;
    expect(created).toEqual({ ...body, provider_config_id: 'github', type: 'github' });
    const { access_token: as, is_new_user } = await signIn('github', person);
    expect(is_new_user).toBe(false);
    expect((await send('GET', '/users/me', { ...project, as })).body.id).toBe(userId);
  });

  test('can’t add an account of another user, one twice, or one of an unknown provider', async () => {
    const { server, userId, person, project } = await signedIn();
    const other = await signUp(send, project);
    const taken = 'OAUTH_PROVIDER_ACCOUNT_ID_ALREADY_USED_FOR_SIGN_IN';
    const body = { provider_config_id: 'github', account_id: person.accountId, ...uses };
    for (const user_id of [userId, other.userId]) expectKnown(await server.create({ user_id, ...body }), 400, taken);
    const known = { ...body, user_id: userId, account_id: 'x' };
    const unknown = { ...known, provider_config_id: 'discord' };
    expectKnown(await server.create(unknown), 400, 'OAUTH_PROVIDER_NOT_FOUND_OR_NOT_ENABLED');
    expectKnown(await server.create({ ...unknown, user_id: unknownId }), 404, 'USER_NOT_FOUND');
    const created = await server.create(known);
    const update = (body: object) => server.update(created.body.id, body, userId);
    expectKnown(await update({ account_id: person.accountId }), 400, taken);
    expect((await update({ account_id: 'x', email: 'x@example.com' })).body.email).toBe('x@example.com');
  });

  test('gives an account another ID: the old one is free, and its tokens are gone', async () => {
    const { server, own, signIn, userId, person, id, project } = await signedIn();
    expect((await own.anyToken()).status).toBe(201);
    const renamed = newPerson();
    const { body } = await server.update(id, { account_id: renamed.accountId }, userId);
    expect(body).toMatchObject({ id, account_id: renamed.accountId, email: person.email });
    expectKnown(await own.anyToken(), 400, 'OAUTH_CONNECTION_DOES_NOT_HAVE_REQUIRED_SCOPE');
    const { access_token: as } = await signIn('github', renamed);
    expect((await send('GET', '/users/me', { ...project, as })).body.id).toBe(userId);
    const { is_new_user } = await signIn('github', { ...person, email: newPerson().email });
    expect(is_new_user).toBe(true);
  });

  test('disconnects an account: its tokens don’t come back with it', async () => {
    const { server, own, signIn, userId, person, id, as } = await signedIn();
    await server.remove(id, userId);
    expectKnown(await own.anyToken(), 400, 'OAUTH_CONNECTION_NOT_CONNECTED_TO_USER');
    const body = { user_id: userId, provider_config_id: 'github', account_id: person.accountId };
    await server.create({ ...body, allow_sign_in: true, allow_connected_accounts: true });
    expectKnown(await own.anyToken(), 400, 'OAUTH_CONNECTION_DOES_NOT_HAVE_REQUIRED_SCOPE');
    await signIn('github', person, { type: 'link', token: as });
    expect((await own.anyToken()).status).toBe(201);
    expectPlain(await server.remove(id, userId), 404);
  });
});
