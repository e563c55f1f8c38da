import { beforeAll, describe, expect, test } from 'vitest';
import {
  createProject,
  expectKnown,
  expectPlain,
  expectSchemaError,
  newEmail,
  type OwnedProject,
  password,
  signUp,
  unknownId,
} from '../../testing/requests.ts';
import { startSuite } from '../../testing/suite.ts';
import { asServer, serverView, userCallsOf } from '../../testing/users.ts';

const { send } = await startSuite();
const project = await createProject(send, { config: { magic_link_enabled: true } });
const { create, configured } = userCallsOf(send, project);

describe('create', () => {
  test.each(['server', 'admin'] as const)('accepts an empty body, as %s', async (access) => {
    const answer = await create({}, { access });
    expect(answer.status).toBe(201);
    expect(answer.body).toEqual(serverView());
    expect(answer.body.last_active_at_millis).toBe(answer.body.signed_up_at_millis);
  });

  test('accepts all fields', async () => {
    const facts = {
      display_name: 'Ünïcode ☃',
      profile_image_url: 'https://example.com/me.png',
      primary_email: newEmail(),
      primary_email_verified: true,
      primary_email_auth_enabled: true,
      client_metadata: { a: [1, { b: null }] },
      client_read_only_metadata: 'text',
      server_metadata: 7,
      otp_auth_enabled: true,
      is_anonymous: true,
    };
    const answer = await create({ ...facts, password, totp_secret_base64: null, oauth_providers: [] });
    expect(answer.body).toEqual(serverView({ ...facts, has_password: true, auth_with_email: true }));
    const signIn = await send('POST', '/auth/password/sign-in', {
      ...project,
      body: { email: facts.primary_email, password },
    });
    expect(signIn.status).toBe(200);
  });

  test('treats an empty name as null and converts scalars', async () => {
    expect((await create({ display_name: '' })).body.display_name).toBeNull();
    expect((await create({ display_name: 12, is_anonymous: 'FALSE' })).body.display_name).toBe('12');
  });

  test('allows many users with the same email, but only one signs in with it', async () => {
    const primary_email = newEmail();
    expect((await create({ primary_email, primary_email_auth_enabled: true })).status).toBe(201);
    expect((await create({ primary_email })).status).toBe(201);
    const again = primary_email.toUpperCase();
    expectKnown(
      await create({ primary_email: again, primary_email_auth_enabled: true }),
      409,
      'USER_EMAIL_ALREADY_EXISTS',
      { email: again },
    );
  });

  test('requires an email if it is used for sign-in or verified', async () => {
    expectPlain(await create({ primary_email_auth_enabled: true }), 400);
    expectPlain(await create({ primary_email_verified: true }), 400);
  });

  test('rejects disabled sign-in methods', async () => {
    await configured({ credential_enabled: false, magic_link_enabled: false });
    expectPlain(await create({ password }), 400);
    expectPlain(await create({ otp_auth_enabled: true }), 400);
    await configured({ credential_enabled: true, magic_link_enabled: true });
  });

  test('limits passwords to a maximum, but no minimum for servers', async () => {
    expect((await create({ password: 'x' })).status).toBe(201);
    expectKnown(await create({ password: 'x'.repeat(71) }), 400, 'PASSWORD_TOO_LONG', { maxLength: 70 });
  });

  test('lists schema errors by path, including unknown fields at any depth', async () => {
    expectSchemaError(
      await create({
        primary_email: 'no',
        profile_image_url: '',
        is_anonymous: null,
        nickname: 'x',
        selected_team_id: null,
      }),
      'POST /api/v1/users',
      'body.primary_email',
      'body.profile_image_url',
      'body.is_anonymous',
      'body has unknown fields: nickname, selected_team_id',
    );
    expectSchemaError(await create({ oauth_providers: [{ id: 'github', more: 1 }] }), 'body.oauth_providers.0');
    expectSchemaError(await send('POST', '/users', { ...project, ...asServer }), 'body is required');
    expectSchemaError(await create({ display_name: 'a\u0000b' }), 'body.display_name');
    expectSchemaError(await create({ client_metadata: { deep: ['\ud800'] } }), 'body.client_metadata.deep.0');
  });
});

describe('get', () => {
  test.each(['server', 'admin'] as const)('returns a user by ID in any letter case, as %s', async (access) => {
    const { id } = (await create({ display_name: 'Ann' })).body;
    const answer = await send('GET', `/users/${id.toUpperCase()}`, { ...project, access });
    expect(answer).toMatchObject({ status: 200, body: { id, display_name: 'Ann' } });
  });

  test('rejects unknown IDs, IDs of other projects and malformed IDs', async () => {
    const foreign = await signUp(send);
    for (const id of [unknownId, foreign.userId]) {
      expectKnown(await send('GET', `/users/${id}`, { ...project, ...asServer }), 404, 'USER_NOT_FOUND');
    }
    expectSchemaError(await send('GET', '/users/somebody', { ...project, ...asServer }), 'params.user_id');
  });
});

describe('list', () => {
  let listed: OwnedProject;
  const ids: string[] = [];
  const list = (query: string) => send('GET', `/users${query}`, { ...listed, ...asServer });
  const idsOf = async (query: string) => (await list(query)).body.items.map(({ id }: { id: string }) => id);

  beforeAll(async () => {
    listed = await createProject(send);
    for (const name of ['Ann', 'Ben', 'Cem', 'Dörte', 'Eve']) {
      const body = { display_name: name, primary_email: `${name.toLowerCase().replace('ö', 'o')}@example.com` };
      ids.push((await send('POST', '/users', { ...listed, ...asServer, body })).body.id);
      await new Promise((resolve) => setTimeout(resolve, 2));
    }
  });

  test('returns all users, oldest first, without a cursor', async () => {
    const answer = await list('');
    expect(answer.status).toBe(200);
    expect(answer.body).toEqual({
      items: ids.map((id) => expect.objectContaining({ id })),
      is_paginated: true,
      pagination: { next_cursor: null },
    });
  });

  test('pages in both directions', async () => {
    for (const [desc, order] of [
      ['false', ids],
      ['true', ids.toReversed()],
    ] as const) {
      const seen: string[] = [];
      let cursor: string | null = '';
      while (cursor !== null) {
        const query: string = `?limit=2&order_by=signed_up_at&desc=${desc}${cursor === '' ? '' : `&cursor=${cursor}`}`;
        const { body } = await list(query);
        expect(body.items.length).toBeLessThanOrEqual(2);
        seen.push(...body.items.map(({ id }: { id: string }) => id));
        cursor = body.pagination.next_cursor;
      }
      expect(seen).toEqual(order);
    }
  });

  test('filters by name, address or id', async () => {
    expect(await idsOf('?query=an')).toEqual([ids[0]]);
    expect(await idsOf('?query=DORTE@EX')).toEqual([ids[3]]);
    expect(await idsOf(`?query=${ids[1]}`)).toEqual([ids[1]]);
    expect(await idsOf('?query=%25')).toEqual([]);
    expect(await idsOf('?query=')).toHaveLength(5);
    expect(await idsOf('?query=e&limit=1&desc=1')).toEqual([ids[4]]);
  });

  test('an unknown cursor gives an empty page, an unknown team an empty list', async () => {
    expect(await idsOf(`?cursor=${unknownId}`)).toEqual([]);
    expect(await idsOf(`?team_id=${unknownId}`)).toEqual([]);
  });

  test('uses the last value of repeated query parameters', async () => {
    expect(await idsOf('?limit=nonsense&limit=1')).toEqual([ids[0]]);
  });

  test('rejects invalid queries', async () => {
    expectSchemaError(
      await list('?limit=0&cursor=x&order_by=name&desc=maybe&page=2'),
      'query.limit',
      'query.cursor',
      'query.order_by',
      'query.desc',
      'query has unknown fields: page',
    );
    expectSchemaError(await list('?query=%00'), 'query.query');
    expectSchemaError(await list('?query=%ff'), 'query has unknown fields');
  });
});

describe('delete', () => {
  test('removes the user, frees the email and decreases the count', async () => {
    const owned = await createProject(send);
    const user = await signUp(send, owned);
    const count = async () =>
      (await send('GET', '/internal/projects/current', { ...owned, access: 'admin' })).body.user_count;
    expect(await count()).toBe(1);
    const answer = await send('DELETE', `/users/${user.userId}`, { ...owned, ...asServer, body: { any: ['json'] } });
    expect(answer).toMatchObject({ status: 200, body: { success: true } });
    expect(await count()).toBe(0);
    for (const method of ['GET', 'DELETE']) {
      expectKnown(await send(method, `/users/${user.userId}`, { ...owned, ...asServer }), 404, 'USER_NOT_FOUND');
    }
    expect((await signUp(send, owned, user.email)).userId).not.toBe(user.userId);
  });
});

test('client libraries newer than the protocol get the fields they require', async () => {
  const { id } = (await create({})).body;
  const read = async (version: string) =>
    (await send('GET', `/users/${id}`, { ...project, ...asServer, headers: { 'x-stack-client-version': version } }))
      .body;
  expect(await read('js @stackframe/js@2.8.108')).toMatchObject({
    is_restricted: false,
    risk_scores: { sign_up: { bot: 0, free_trial_abuse: 0 } },
  });
  for (const version of [
    'js @stackframe/js@2.8.15',
    'js @stackframe/js@2.8.3',
    'js @stackframe/js@1.9.99',
    'nonsense',
  ]) {
    expect(await read(version)).toEqual(serverView());
  }
});
