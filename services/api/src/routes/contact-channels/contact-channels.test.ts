import { describe, expect, test } from 'vitest';
import {
  createProject,
  expectKnown,
  expectPlain,
  expectSchemaError,
  newEmail,
  password,
  type SignedIn,
  signUp,
  unknownId,
} from '../../testing/requests.ts';
import { startSuite } from '../../testing/suite.ts';

const { send } = await startSuite();
const [project, other] = await Promise.all([createProject(send), createProject(send)]);

const asServer = (method: string, path: string, body?: unknown) =>
  send(method, path, { ...project, access: 'server', ...(body === undefined ? {} : { body }) });
const as = (user: SignedIn, method: string, path: string, body?: unknown) =>
  send(method, path, { ...project, as: user.accessToken, ...(body === undefined ? {} : { body }) });
const list = async (user: SignedIn) => (await as(user, 'GET', '/contact-channels?user_id=me')).body.items;
const add = (user: SignedIn, body: object = {}) =>
  as(user, 'POST', '/contact-channels', {
    user_id: 'me',
    type: 'email',
    value: newEmail(),
    used_for_auth: false,
    ...body,
  });
const primaryOf = async (user: SignedIn) => (await as(user, 'GET', '/users/me')).body;

describe('a user', () => {
  test('lists, adds, changes and removes their channels', async () => {
    const user = await signUp(send, project);
    const [first] = await list(user);
    expect(first).toEqual({
      id: expect.any(String),
      user_id: user.userId,
      type: 'email',
      value: user.email,
      is_primary: true,
      is_verified: false,
      used_for_auth: true,
    });
    const value = newEmail();
    const added = await add(user, { value });
    expect(added.status).toBe(201);
    expect(added.body).toEqual({
      id: expect.any(String),
      user_id: user.userId,
      type: 'email',
      value,
      is_primary: false,
      is_verified: false,
      used_for_auth: false,
    });
    expect(await list(user)).toEqual([first, added.body]);
    const path = `/contact-channels/me/${added.body.id}`;
    expect((await as(user, 'GET', path)).body).toEqual(added.body);
    const changed = await as(user, 'PATCH', path, { is_primary: true, used_for_auth: true, type: 'email' });
    expect(changed.body).toEqual({ ...added.body, is_primary: true, used_for_auth: true });
    expect(await primaryOf(user)).toMatchObject({ primary_email: value, primary_email_verified: false });
    const body = { email: value, password };
    expect((await send('POST', '/auth/password/sign-in', { ...project, body })).body.user_id).toBe(user.userId);
    const removed = await as(user, 'DELETE', path, {});
    expect({ status: removed.status, body: removed.body }).toEqual({ status: 200, body: { success: true } });
    expect(await primaryOf(user)).toMatchObject({ primary_email: null });
    expect((await send('POST', '/auth/password/sign-in', { ...project, body })).body.code).toBe(
      'EMAIL_PASSWORD_MISMATCH',
    );
  });

  test('can add an address once and can’t mark it as verified', async () => {
    const user = await signUp(send, project);
    expectPlain(await add(user, { value: user.email.toUpperCase() }), 400);
    expectSchemaError(await add(user, { is_verified: true }), 'unknown fields: is_verified');
    const { id } = (await add(user)).body;
    expectPlain(await as(user, 'PATCH', `/contact-channels/me/${id}`, { value: user.email }), 400);
    const vouched = await as(user, 'PATCH', `/contact-channels/me/${id}`, { is_verified: true });
    expectSchemaError(vouched, 'unknown fields: is_verified');
    for (const value of ['', 'nobody', 'a b@example.com']) {
      expectSchemaError(await as(user, 'PATCH', `/contact-channels/me/${id}`, { value }), 'body.value');
    }
  });

  test('can’t access the channels of other users', async () => {
    const [user, stranger] = [await signUp(send, project), await signUp(send, project)];
    const [{ id }] = await list(stranger);
    const path = `/contact-channels/${stranger.userId}/${id}`;
    for (const method of ['GET', 'PATCH', 'DELETE']) {
      expectPlain(await as(user, method, path, method === 'GET' ? undefined : {}), 403);
    }
    expectPlain(await add(user, { user_id: stranger.userId }), 403);
    expectPlain(await as(user, 'GET', `/contact-channels?user_id=${stranger.userId}`), 403);
    expectPlain(await as(user, 'GET', '/contact-channels'), 403);
    expectPlain(await as(user, 'GET', `/contact-channels/me/${id}`), 404);
    expectPlain(await as(user, 'PATCH', `/contact-channels/me/${id}`, {}), 400);
    expectPlain(await as(user, 'DELETE', `/contact-channels/me/${id}`, {}), 400);
    const nobody = (method: string, of: string, body?: object) =>
      send(method, of, { ...project, ...(body ? { body } : {}) });
    for (const answer of [
      await nobody('GET', '/contact-channels?user_id=me'),
      await nobody('GET', '/contact-channels'),
      await nobody('GET', path),
      await nobody('PATCH', path, {}),
      await nobody('DELETE', path, {}),
      await nobody('POST', '/contact-channels', { user_id: 'me', type: 'email', value: 'a@b.c', used_for_auth: false }),
    ]) {
      expectKnown(answer, 400, 'CANNOT_GET_OWN_USER_WITHOUT_USER');
    }
  });
});

describe('a sign-in address', () => {
  const conflict = 'CONTACT_CHANNEL_ALREADY_USED_FOR_AUTH_BY_SOMEONE_ELSE';

  test('belongs to one user of the project', async () => {
    const [user, stranger] = [await signUp(send, project), await signUp(send, project)];
    const value = stranger.email.toUpperCase();
    const details = { type: 'email', contact_channel_value: value };
    expectKnown(await add(user, { value, used_for_auth: true }), 409, conflict, details);
    const plain = await add(user, { value });
    expect(plain.status).toBe(201);
    const path = `/contact-channels/me/${plain.body.id}`;
    const nameless = { type: 'email', contact_channel_value: null };
    expectKnown(await as(user, 'PATCH', path, { used_for_auth: true }), 409, conflict, nameless);
    const [first] = await list(user);
    const own = `/contact-channels/me/${first.id}`;
    await as(user, 'DELETE', path, {});
    expectKnown(await as(user, 'PATCH', own, { value }), 409, conflict, nameless);
    expect((await as(user, 'PATCH', own, { used_for_auth: true })).status).toBe(200);
    await as(stranger, 'DELETE', `/contact-channels/me/${(await list(stranger))[0].id}`, {});
    expect((await as(user, 'PATCH', own, { value })).body).toMatchObject({ value, used_for_auth: true });
    const elsewhere = await signUp(send, other, user.email);
    expect(elsewhere.userId).not.toBe(user.userId);
  });

  test('is given to one of twenty concurrent requests', async () => {
    const users = await Promise.all(Array.from({ length: 20 }, () => signUp(send, project)));
    const value = newEmail();
    const answers = await Promise.all(users.map((user) => add(user, { value, used_for_auth: true })));
    expect(answers.filter(({ status }) => status === 201)).toHaveLength(1);
    expect(answers.filter(({ status }) => status === 409)).toHaveLength(19);
  });
});

describe('a server', () => {
  test('marks addresses as verified and lists all of them', async () => {
    const user = await signUp(send, project);
    const value = newEmail();
    const body = {
      user_id: user.userId,
      type: 'email',
      value,
      used_for_auth: true,
      is_primary: true,
      is_verified: true,
    };
    const added = await asServer('POST', '/contact-channels', body);
    expect(added.body).toMatchObject({
      user_id: user.userId,
      is_primary: true,
      is_verified: true,
      used_for_auth: true,
    });
    const path = `/contact-channels/${user.userId}/${added.body.id}`;
    const moved = newEmail();
    expect((await asServer('PATCH', path, { value: moved })).body).toMatchObject({ value: moved, is_verified: false });
    const vouched = { value: moved, is_verified: true };
    expect((await asServer('PATCH', path, vouched)).body.is_verified).toBe(true);
    const all = (await asServer('GET', '/contact-channels')).body;
    expect(all.is_paginated).toBe(false);
    expect(all.items.map(({ id }: { id: string }) => id)).toContain(added.body.id);
    const one = await asServer('GET', `/contact-channels?contact_channel_id=${added.body.id}`);
    expect(one.body.items.map(({ id }: { id: string }) => id)).toEqual([added.body.id]);
    const ofOther = await send('GET', '/contact-channels', { ...other, access: 'server' });
    expect(ofOther.body.items.map(({ user_id }: { user_id: string }) => user_id)).not.toContain(user.userId);
    expect((await asServer('DELETE', path, {})).body).toEqual({ success: true });
    expectPlain(await asServer('GET', path), 404);
    expectPlain(await asServer('PATCH', path, {}), 400);
    expectPlain(await asServer('DELETE', path, {}), 400);
  });

  test('reports unknown users', async () => {
    const body = { user_id: unknownId, type: 'email', value: newEmail(), used_for_auth: true };
    expectKnown(await asServer('POST', '/contact-channels', body), 404, 'USER_NOT_FOUND');
    expect((await asServer('GET', `/contact-channels?user_id=${unknownId}`)).body.items).toEqual([]);
    expectPlain(await asServer('GET', `/contact-channels/${unknownId}/${unknownId}`), 404);
    expectPlain(await asServer('PATCH', `/contact-channels/${unknownId}/${unknownId}`, {}), 400);
    expectPlain(await asServer('DELETE', `/contact-channels/${unknownId}/${unknownId}`, {}), 400);
    expectSchemaError(await asServer('POST', '/contact-channels', { ...body, type: 'phone' }), 'body.type');
    expectSchemaError(await asServer('GET', '/contact-channels?x=1'), 'unknown fields: x');
  });
});
