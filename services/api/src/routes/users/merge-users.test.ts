import { createAuthenticator } from '@gatebook/commands/testing/authenticator';
import { pause } from '@gatebook/runtime/pause';
import { describe, expect, test } from 'vitest';
import { actionsWith } from '../../testing/actions.ts';
import { browserOf, newPerson } from '../../testing/oauth.ts';
import {
  changeConfig,
  createProject,
  expectKnown,
  expectPlain,
  newEmail,
  type OwnedProject,
  password,
  signUp,
  unknownId,
} from '../../testing/requests.ts';
import { startSuite } from '../../testing/suite.ts';

const { api, send } = await startSuite({ history: true });
const { write, read, undo, preview } = actionsWith(send);
const config = { allow_user_api_keys: true, magic_link_enabled: true, passkey_enabled: true };
const [shop, bar] = await Promise.all([createProject(send, { config }), createProject(send, { config })]);
await changeConfig(send, shop, {
  oauth_providers: [{ id: 'github', type: 'standard', client_id: 'i', client_secret: 's' }],
});
for (const id of ['read', 'edit']) {
  await write(shop, { method: 'POST', path: '/project-permission-definitions', body: { id } });
  await write(shop, { method: 'POST', path: '/team-permission-definitions', body: { id: `team_${id}` } });
}

const mergeOf = (userId: string, duplicateId: string) => ({
  ...{ method: 'POST', path: `/internal/users/${userId}/merge`, body: { duplicate_user_id: duplicateId } },
});
const merge = (project: OwnedProject, userId: string, duplicateId: string, headers = {}) =>
  write(project, mergeOf(userId, duplicateId), headers);
const server = (method: string, path: string, body?: unknown) =>
  send(method, path, { ...shop, access: 'server', ...(body !== undefined && { body }) });
const createTeam = async (name: string, creator: string): Promise<string> =>
  (await server('POST', '/teams', { display_name: name, creator_user_id: creator })).body.id;
const signIn = (email: string) => send('POST', '/auth/password/sign-in', { ...shop, body: { email, password } });
const post = (path: string, body: unknown, as?: string) =>
  send('POST', `/auth/${path}`, { ...shop, body, ...(as !== undefined && { as }) });

/** Registers a passkey. @returns how to sign in with it */
async function registerPasskey({ accessToken }: { accessToken: string }) {
  const authenticator = createAuthenticator();
  const started = (await post('passkey/initiate-passkey-registration', {}, accessToken)).body;
  const credential = authenticator.register(started.options_json);
  const registered = await post('passkey/register', { credential, code: started.code }, accessToken);
  expect(registered.status).toBe(200);
  return async () => {
    const { options_json, code } = (await post('passkey/initiate-passkey-authentication', {})).body;
    const authentication_response = authenticator.authenticate(options_json);
    return post('passkey/sign-in', { authentication_response, code });
  };
}

/** Two users of one person; the duplicate has one of each thing. */
async function createTwo() {
  const [kept, duplicate] = [await signUp(send, shop), await signUp(send, shop)];
  const { userId: id } = duplicate;
  const teamId = await createTeam('Crew', id);
  const sharedId = await createTeam('Both', kept.userId);
  await server('POST', `/team-memberships/${sharedId}/${id}`, {});
  await server('POST', `/team-permissions/${sharedId}/${id}/team_edit`, {});
  await server('POST', `/project-permissions/${id}/edit`, {});
  await server('PATCH', `/users/${kept.userId}`, { server_metadata: { plan: 'free' } });
  await server('PATCH', `/users/${id}`, { display_name: 'Ann', server_metadata: { plan: 'pro', seats: 2 } });
  const account = { user_id: id, provider_config_id: 'github', account_id: id, email: 'ann@github.example' };
  const uses = { allow_sign_in: true, allow_connected_accounts: true };
  expect((await server('POST', '/oauth-providers', { ...account, ...uses })).status).toBe(201);
  const newKey = { user_id: id, description: 'CI', expires_at_millis: null };
  const { body: key } = await server('POST', '/user-api-keys', newKey);
  return { kept, duplicate, teamId, sharedId, apiKey: String(key.value), keyId: String(key.id) };
}

describe('a merge', () => {
  test('shows one user who has everything', async () => {
    const { kept, duplicate, teamId, sharedId, apiKey } = await createTwo();
    const { status, body } = await merge(shop, kept.userId, duplicate.userId);
    expect(status).toBe(200);
    const namesOf = (items: readonly { kind: string; name: string | null; team_name: string | null }[]) =>
      items.map(({ kind, name, team_name }) => [kind, name, team_name].filter(Boolean).join(' '));
    expect(namesOf(body.moved)).toEqual(
      expect.arrayContaining([
        ...['display_name', 'server_metadata seats', `email ${duplicate.email}`, 'connected_account github'],
        ...['project_permission edit', 'team Crew', 'team_permission team_edit Both', 'api_key CI'],
      ]),
    );
    expect(namesOf(body.dropped)).toEqual(
      expect.arrayContaining(['server_metadata plan', `primary_email ${duplicate.email}`, 'password', 'sessions']),
    );

    const { userId } = kept;
    expect((await server('GET', `/users/${userId}`)).body).toMatchObject({
      ...{ display_name: 'Ann', primary_email: kept.email, server_metadata: { plan: 'free', seats: 2 } },
      oauth_providers: [{ id: 'github', account_id: duplicate.userId }],
    });
    expectKnown(await server('GET', `/users/${duplicate.userId}`), 404, 'USER_NOT_FOUND');
    const channels = (await server('GET', `/contact-channels?user_id=${userId}`)).body.items;
    expect(channels.map(({ value }: { value: string }) => value)).toEqual([kept.email, duplicate.email]);
    const teams = (await server('GET', `/teams?user_id=${userId}`)).body.items;
    expect(teams.map(({ id }: { id: string }) => id)).toEqual([teamId, sharedId]);
    const inTeam = (await server('GET', `/team-permissions?team_id=${sharedId}&recursive=false`)).body.items;
    expect(inTeam).toContainEqual({ id: 'team_edit', team_id: sharedId, user_id: userId });
    const inProject = (await server('GET', `/project-permissions?user_id=${userId}&recursive=false`)).body.items;
    expect(inProject).toEqual([{ id: 'edit', user_id: userId }]);
    const checked = await server('POST', '/user-api-keys/check', { api_key: apiKey });
    expect(checked.body).toMatchObject({ user_id: userId, description: 'CI' });
    const users = (await server('GET', `/users?query=${encodeURIComponent(duplicate.email)}`)).body.items;
    expect(users.map(({ id }: { id: string }) => id)).toEqual([userId]);
  });

  test('signs in the user who stays with moved methods, and ends the sessions of the duplicate', async () => {
    const { kept, duplicate } = await createTwo();
    await merge(shop, kept.userId, duplicate.userId);
    for (const email of [kept.email, duplicate.email]) {
      expect((await signIn(email)).body).toMatchObject({ user_id: kept.userId });
    }
    const refresh = (refreshToken: string) =>
      send('POST', '/auth/sessions/current/refresh', {
        ...shop,
        headers: { 'x-stack-refresh-token': refreshToken },
        body: {},
      });
    expectKnown(await refresh(duplicate.refreshToken), 401, 'REFRESH_TOKEN_NOT_FOUND_OR_EXPIRED');
    expect((await refresh(kept.refreshToken)).status).toBe(200);
    expect((await send('GET', '/users/me', { ...shop, as: duplicate.accessToken })).status).toBeGreaterThanOrEqual(400);
    expectKnown(await server('POST', '/auth/sessions', { user_id: duplicate.userId }), 400, 'USER_ID_DOES_NOT_EXIST', {
      user_id: duplicate.userId,
    });
  });

  test('signs in the user who stays with the passkey and the OAuth account of the duplicate', async () => {
    const kept = await signUp(send, shop);
    const person = newPerson();
    const browser = browserOf(api, shop);
    // With another address each time, so that only the account leads to the user.
    const signInAtGitHub = async () => {
      const answer = { ...person, email: newEmail() };
      const { access_token: as, is_new_user: isNew } = await browser.signIn('github', answer);
      return { as, isNew, userId: String((await send('GET', '/users/me', { ...shop, as })).body.id) };
    };
    const duplicate = await signInAtGitHub();
    expect(duplicate).toMatchObject({ isNew: true });
    const signInWithPasskey = await registerPasskey({ accessToken: duplicate.as });
    expect((await signInWithPasskey()).body).toMatchObject({ user_id: duplicate.userId });

    await merge(shop, kept.userId, duplicate.userId);
    expect((await signInWithPasskey()).body).toMatchObject({ user_id: kept.userId, is_new_user: false });
    expect(await signInAtGitHub()).toMatchObject({ userId: kept.userId, isNew: false });
    const { body } = await server('GET', `/users/${kept.userId}`);
    expect(body).toMatchObject({ passkey_auth_enabled: true, oauth_providers: [{ account_id: person.accountId }] });
  });

  test('keeps the passkey of the user who stays, and frees that of the duplicate', async () => {
    const [kept, duplicate] = [await signUp(send, shop), await signUp(send, shop)];
    const [own, other] = [await registerPasskey(kept), await registerPasskey(duplicate)];
    const { body } = await merge(shop, kept.userId, duplicate.userId);
    expect(body.dropped).toContainEqual(expect.objectContaining({ kind: 'passkey', reason: 'kept_one_stays' }));
    expect((await own()).body).toMatchObject({ user_id: kept.userId });
    expectKnown(await other(), 400, 'PASSKEY_AUTHENTICATION_FAILED', { message: expect.any(String) });
  });

  test('is previewed without a change, and the preview holds until something changes', async () => {
    const { kept, duplicate } = await createTwo();
    const seen = await preview(shop, mergeOf(kept.userId, duplicate.userId));
    expect(seen).toMatchObject({ status: 200, is_reversible: false });
    expect(seen.body.moved).toContainEqual({ kind: 'api_key', name: 'CI', team_id: null, team_name: null });
    const effects = seen.effects.map(({ kind, count }: { kind: string; count: number }) => `${kind} ${count}`);
    expect(effects).toEqual(expect.arrayContaining(['sessions_ended 1', 'erasure 1']));
    expect(effects).not.toContainEqual(expect.stringContaining('api_keys_revoked'));
    expect((await server('GET', `/users/${duplicate.userId}`)).status).toBe(200);
    await server('PATCH', `/users/${duplicate.userId}`, { display_name: 'Annie' });
    const headers = { 'if-match': seen.etag };
    expectKnown(await merge(shop, kept.userId, duplicate.userId, headers), 412, 'PREVIEW_OUTDATED', expect.anything());
    const fresh = await preview(shop, mergeOf(kept.userId, duplicate.userId));
    const done = await merge(shop, kept.userId, duplicate.userId, { 'if-match': fresh.etag });
    expect(done.body).toEqual(fresh.body);
  });

  test('tells public events of the API key as those of the user who stays, from then on', async () => {
    const { kept, duplicate, keyId } = await createTwo();
    await merge(shop, kept.userId, duplicate.userId);
    await server('PATCH', `/user-api-keys/${keyId}`, { description: 'Deploy' });
    await server('PATCH', `/user-api-keys/${keyId}`, { revoked: true });
    const told = async (userId: string) => {
      const { items } = (await server('GET', `/events?user_id=${userId}&types=api_key.*`)).body;
      return items.map((one: { type: string; data: { id: string; user_id: string; description?: string } }) => {
        expect(one.data).toMatchObject({ id: keyId, user_id: userId });
        return [one.type, one.data.description];
      });
    };
    expect(await told(kept.userId)).toEqual([
      ['api_key.updated', 'CI'],
      ['api_key.updated', 'Deploy'],
      ['api_key.revoked', undefined],
    ]);
    expect((await told(duplicate.userId)).map(([type]: string[]) => type)).toEqual(['api_key.created']);
  });

  test('stays in the history of both, and can’t be undone', async () => {
    const { kept, duplicate } = await createTwo();
    const done = await merge(shop, kept.userId, duplicate.userId);
    const [entry] = (await read(shop, `/internal/users/${kept.userId}/history`)).items.filter(
      ({ type }: { type: string }) => type === 'UserMerged',
    );
    expect(entry).toMatchObject({ text: 'Got everything of another user, who was deleted' });
    const audit = await read(shop, `/internal/audit-events?target_type=user&target_id=${duplicate.userId}&limit=5`);
    expect(audit.items.map(({ type, text }: { type: string; text: string }) => [type, text])).toContainEqual([
      'UserDeleted',
      'Merged into another user and deleted, and personal data was erased',
    ]);
    expectKnown(await undo(shop, String(done.headers['x-stack-request-id'])), 409, 'ACTION_NOT_REVERSIBLE', {
      reasons: expect.arrayContaining(['Merged users can’t be separated: what belonged to whom is erased.']),
    });
  });

  test('leaves both users as of a moment before it', async () => {
    const { kept, duplicate } = await createTwo();
    await pause(2);
    const at = Date.parse(api.deps.now());
    await pause(2);
    await merge(shop, kept.userId, duplicate.userId);
    for (const { userId } of [kept, duplicate]) {
      const then = await server('GET', `/users/${userId}?as_of=${at}`);
      expect(then.body).toMatchObject({ id: userId });
    }
  });

  test('is rejected for one user, unknown users and those of another project', async () => {
    const { kept, duplicate } = await createTwo();
    expectPlain(await merge(shop, kept.userId, kept.userId), 400);
    expectKnown(await merge(shop, kept.userId, unknownId), 404, 'USER_NOT_FOUND');
    expectKnown(await merge(shop, unknownId, duplicate.userId), 404, 'USER_NOT_FOUND');
    expectKnown(await merge(bar, kept.userId, duplicate.userId), 404, 'USER_NOT_FOUND');
    const { userId: foreign } = await signUp(send, bar);
    expectKnown(await merge(shop, kept.userId, foreign), 404, 'USER_NOT_FOUND');
    expectKnown(await merge(shop, foreign, duplicate.userId), 404, 'USER_NOT_FOUND');
    expect((await server('GET', `/users/${duplicate.userId}`)).status).toBe(200);
  });

  test('is rejected for the owner of a project', async () => {
    const [owner, other] = [shop.owner.userId, (await signUp(send, {}, newEmail())).userId];
    const internal = { projectId: 'internal', access: 'admin' } as const;
    const answer = await send('POST', mergeOf(other, owner).path, { ...internal, body: mergeOf(other, owner).body });
    expectPlain(answer, 409);
  });
});
