import { pbkdf2Sync, scryptSync } from 'node:crypto';
import { hashRawSync } from '@node-rs/argon2';
import bcrypt from 'bcryptjs';
import { describe, expect, test } from 'vitest';
import {
  createProject,
  expectKnown,
  expectPlain,
  expectSchemaError,
  newEmail,
  password,
  signUp,
  unknownId,
} from '../../testing/requests.ts';
import { startSuite } from '../../testing/suite.ts';
import { userCallsOf } from '../../testing/users.ts';

const { api, send } = await startSuite();
const project = await createProject(send, { config: { magic_link_enabled: true } });
const { create, patch, configured } = userCallsOf(send, project);

describe('update', () => {
  test('changes only the given fields', async () => {
    const { body: before } = await create({
      display_name: 'Ann',
      client_metadata: { a: 1 },
      server_metadata: { b: 2 },
    });
    const answer = await patch(before.id, { display_name: null, server_metadata: null });
    expect(answer.status).toBe(200);
    expect(answer.body).toEqual({ ...before, display_name: null, server_metadata: null });
    expect((await patch(before.id, {})).body).toEqual(answer.body);
  });

  test('sets, replaces and removes the primary email', async () => {
    const { id } = (await create({})).body;
    const [first, second] = [newEmail(), newEmail()];
    expect((await patch(id, { primary_email: first, primary_email_verified: true })).body).toMatchObject({
      primary_email: first,
      primary_email_verified: true,
      primary_email_auth_enabled: false,
    });
    expect((await patch(id, { primary_email: second, primary_email_auth_enabled: true })).body).toMatchObject({
      primary_email: second,
      primary_email_verified: true,
      primary_email_auth_enabled: true,
    });
    const { id: other } = (await create({})).body;
    expectKnown(
      await patch(other, { primary_email: second, primary_email_auth_enabled: true }),
      409,
      'USER_EMAIL_ALREADY_EXISTS',
      { email: second },
    );
    expect((await patch(id, { primary_email: null })).body).toMatchObject({
      primary_email: null,
      primary_email_verified: false,
      primary_email_auth_enabled: false,
    });
    expect((await patch(other, { primary_email: second, primary_email_auth_enabled: true })).status).toBe(200);
    expectPlain(await patch(id, { primary_email_verified: true }), 400);
    expectPlain(await patch(other, { primary_email: null, primary_email_auth_enabled: true }), 400);
  });

  test('ends all sessions when a server sets a password', async () => {
    const user = await signUp(send, project);
    expect((await patch(user.userId, { password: 'short' })).body.has_password).toBe(true);
    expect((await send('GET', '/users/me', { ...project, as: user.accessToken })).body.code).toBe(
      'ACCESS_TOKEN_EXPIRED',
    );
    const signIn = (secret: string) =>
      send('POST', '/auth/password/sign-in', { ...project, body: { email: user.email, password: secret } });
    expect((await signIn('short')).status).toBe(200);
    expect((await patch(user.userId, { password: null })).body.has_password).toBe(false);
    expect((await signIn('short')).body.code).toBe('EMAIL_PASSWORD_MISMATCH');
    expectKnown(await patch(user.userId, { password: 'x'.repeat(71) }), 400, 'PASSWORD_TOO_LONG', { maxLength: 70 });
  });

  test('requires the method and an email for a first password', async () => {
    const { id } = (await create({})).body;
    expectPlain(await patch(id, { password }), 400);
    await configured({ credential_enabled: false, magic_link_enabled: false });
    expectPlain(await patch(id, { primary_email: newEmail(), password }), 400);
    expectPlain(await patch(id, { otp_auth_enabled: true }), 400);
    await configured({ credential_enabled: true, magic_link_enabled: true });
    expect((await patch(id, { primary_email: newEmail(), password, otp_auth_enabled: true })).body).toMatchObject({
      has_password: true,
      otp_auth_enabled: true,
    });
  });

  test('rejects unsupported fields instead of ignoring them', async () => {
    const { id } = (await create({})).body;
    expectKnown(await patch(id, { selected_team_id: unknownId }), 404, 'TEAM_MEMBERSHIP_NOT_FOUND', {
      team_id: unknownId,
      user_id: id,
    });
    expectPlain(await patch(id, { passkey_auth_enabled: true }), 400);
    expect((await patch(id, { selected_team_id: null, passkey_auth_enabled: false })).status).toBe(200);
  });

  test('rejects unknown users', async () => {
    const foreign = await signUp(send);
    expectKnown(await patch(unknownId, {}), 404, 'USER_NOT_FOUND');
    expectKnown(await patch(foreign.userId, { display_name: 'x' }), 404, 'USER_NOT_FOUND');
  });
});

describe('an imported password hash', () => {
  const hash = bcrypt.hashSync(password, 6);
  const argon2Options = { memoryCost: 1_024, timeCost: 1, parallelism: 1, salt: Buffer.from('somesalt') };
  const argon2id = hashRawSync(password, argon2Options);
  const signIn = (email: string) => send('POST', '/auth/password/sign-in', { ...project, body: { email, password } });

  test('lets the user sign in and is then replaced', async () => {
    const email = newEmail();
    const created = await create({ primary_email: email, primary_email_auth_enabled: true, password_hash: hash });
    expect(created.body).toMatchObject({ has_password: true });
    expect((await signIn(email)).body.user_id).toBe(created.body.id);
    const { events } = await api.deps.store.readStream(`user-${created.body.id}`);
    const hashes = events.filter(({ type }) => type === 'UserPasswordSet').map(({ data }) => String(data.passwordHash));
    expect(hashes.map((text) => text.slice(0, 9))).toEqual([hash.slice(0, 9), '$argon2id']);
    expect((await signIn(email)).status).toBe(200);
  });

  test.each([
    ['Argon2id', '$argon2id$v=19$m=1024,t=1,p=1$c29tZXNhbHQ$', () => argon2id],
    ['scrypt', '$scrypt$ln=10,r=8,p=1$c29tZXNhbHQ$', () => scryptSync(password, 'somesalt', 32, { N: 1_024 })],
    ['PBKDF2', '$pbkdf2-sha256$i=1000$c29tZXNhbHQ$', () => pbkdf2Sync(password, 'somesalt', 1_000, 32, 'sha256')],
  ])('of %s is replaced at the next sign-in too', async (_, prefix, derive) => {
    const email = newEmail();
    const imported = `${prefix}${derive().toString('base64').replace(/=+$/, '')}`;
    const flags = { primary_email_auth_enabled: true };
    const { id } = (await create({ primary_email: email, ...flags, password_hash: imported })).body;
    expect((await signIn(email)).body.user_id).toBe(id);
    const { events } = await api.deps.store.readStream(`user-${id}`);
    const hashes = events.filter(({ type }) => type === 'UserPasswordSet').map(({ data }) => String(data.passwordHash));
    expect(hashes).toEqual([imported, expect.stringMatching(/^\$argon2id\$v=19\$m=64,/)]);
    expect((await signIn(email)).status).toBe(200);
    const wrong = { ...project, body: { email, password: 'wrong password' } };
    expect((await send('POST', '/auth/password/sign-in', wrong)).body.code).toBe('EMAIL_PASSWORD_MISMATCH');
  });

  test('replaces a password and ends the sessions', async () => {
    const user = await signUp(send, project);
    expect((await patch(user.userId, { password_hash: bcrypt.hashSync('another one', 6) })).status).toBe(200);
    expect((await signIn(user.email)).body.code).toBe('EMAIL_PASSWORD_MISMATCH');
    const me = await send('GET', '/users/me', { ...project, as: user.accessToken });
    expect(me.body.code).toBe('ACCESS_TOKEN_EXPIRED');
  });

  test('is rejected together with a password or if it is malformed', async () => {
    const { id } = (await create({})).body;
    for (const value of ['a password', null]) {
      expectPlain(await create({ password: value, password_hash: hash }), 400);
      expectPlain(await patch(id, { password: value, password_hash: hash }), 400);
    }
    for (const bad of ['x', '$2b$10$short', hash.replace('$06$', '$17$'), hash.replace('$2b$', '$2x$'), `${hash}a`]) {
      expectPlain(await create({ password_hash: bad }), 400);
    }
    expectSchemaError(await create({ password_hash: '' }), 'body.password_hash');
    expectSchemaError(await create({ password_hash: null }), 'body.password_hash');
  });
});

test('servers of internal get the owned projects in the server metadata', async () => {
  const { owner, projectId } = await createProject(send);
  const answer = await send('PATCH', `/users/${owner.userId}`, {
    access: 'server',
    body: { server_metadata: { a: 1 } },
  });
  expect(answer.body.server_metadata).toEqual({ a: 1, managedProjectIds: [projectId] });
});
