import { addressRefOf } from '@gatebook/commands/reservation/email';
import { describe, expect, test } from 'vitest';
import { changeSettings, createProject, expectPlain, newEmail, password, signUp } from '../testing/requests.ts';
import { startIdempotencySuite } from './testing/idempotency.ts';

const { api, send, project, newKey, write } = await startIdempotencySuite();

describe('a write with an idempotency key', () => {
  test('replays nothing about a deleted user, not even to the server that created them', async () => {
    const [key, body] = [newKey(), { display_name: 'Ann Gone', primary_email: newEmail() }];
    const { body: user } = await write(key, body);
    await send('DELETE', `/users/${user.id}`, { ...project, access: 'server' });
    const again = await write(key, body);
    expectPlain(again, 409);
    for (const personal of [user.id, body.display_name, body.primary_email]) expect(again.text).not.toContain(personal);
  });

  test('replays nothing about a user who awaits deletion, not even after a restore', async () => {
    const home = await createProject(send);
    await changeSettings(send, home, { user_deletion_grace_days: 30 });
    const body = { display_name: 'Ann Gone' };
    const create = () =>
      send('POST', '/users', { ...home, access: 'server', body, headers: { 'idempotency-key': 'create' } });
    const { body: user } = await create();
    expect((await create()).headers['idempotency-replayed']).toBe('true');
    await send('DELETE', `/users/${user.id}`, { ...home, access: 'server' });
    expectPlain(await create(), 409);
    await send('POST', `/internal/users/${user.id}/restore`, { ...home, access: 'admin' });
    expectPlain(await create(), 409);
  });

  test('replays nothing about a team that awaits deletion', async () => {
    const home = await createProject(send);
    await changeSettings(send, home, { team_deletion_grace_days: 30 });
    const headers = { 'idempotency-key': 'create-team' };
    const create = () => send('POST', '/teams', { ...home, access: 'server', body: { display_name: 'Crew' }, headers });
    const { body: team } = await create();
    await send('DELETE', `/teams/${team.id}`, { ...home, access: 'server' });
    expectPlain(await create(), 409);
  });

  test('replays nothing to the token of a deleted user', async () => {
    const home = await createProject(send, { config: { client_user_deletion_enabled: true } });
    const { accessToken: as } = await signUp(send, home);
    const withKey = (method: 'PATCH' | 'DELETE', key: string, body: object) =>
      send(method, '/users/me', { ...home, as, body, headers: { 'idempotency-key': key } });
    const rename = () => withKey('PATCH', 'rename', { display_name: 'Ann Gone' });
    expect((await rename()).status).toBe(200);
    expect((await rename()).headers['idempotency-replayed']).toBe('true');
    const leave = () => withKey('DELETE', 'leave', {});
    expect((await leave()).body).toEqual({ success: true });
    for (const again of [await rename(), await leave()]) {
      expectPlain(again, 409);
      expect(again.headers['idempotency-replayed']).toBeUndefined();
      expect(again.text).not.toContain('Ann Gone');
    }
  });

  test('replays no tokens of an ended session', async () => {
    const person = await signUp(send, project);
    const signIn = () =>
      send('POST', '/auth/password/sign-in', {
        ...project,
        body: { email: person.email, password },
        headers: { 'idempotency-key': 'sign-in' },
      });
    const first = await signIn();
    expect((await signIn()).body).toEqual(first.body);
    await send('DELETE', '/auth/sessions/current', { ...project, as: first.body.access_token });
    expectPlain(await signIn(), 409);
  });

  test('is replayed to a server even if it was the deletion of the user', async () => {
    const { body } = await write(newKey());
    const call = { ...project, access: 'server', headers: { 'idempotency-key': newKey() } } as const;
    const remove = () => send('DELETE', `/users/${body.id}`, call);
    expect((await remove()).status).toBe(200);
    expect((await remove()).headers['idempotency-replayed']).toBe('true');
  });

  test('is stored with the subjects it concerns: the user, the caller, addresses, the project', async () => {
    const [email, other] = [newEmail(), newEmail()];
    const { body } = await write(newKey(), { primary_email: email, primary_email_auth_enabled: true });
    const taken = { primary_email: email.toUpperCase(), primary_email_auth_enabled: true };
    expect((await write(newKey(), taken)).body.code).toBe('USER_EMAIL_ALREADY_EXISTS');
    const person = await signUp(send, project);
    const add = { user_id: 'me', type: 'email', value: other, used_for_auth: false };
    const headers = { 'idempotency-key': newKey() };
    expect(
      (await send('POST', '/contact-channels', { ...project, as: person.accessToken, body: add, headers })).status,
    ).toBe(201);
    const concerns = async (...texts: string[]) =>
      (await api.pool.query('select from requests.answers where concerns @> $1', [texts])).rowCount;
    const ref = (address: string) => addressRefOf(api.deps, project.projectId, address);
    expect(await concerns(project.projectId, body.id, ref(email))).toBe(1);
    expect(await concerns(project.projectId, ref(email))).toBe(2);
    expect(await concerns(project.projectId, person.userId, ref(other))).toBe(1);
  });
});
