import { publicEventDefinitions } from '@gatebook/contract/events/public-event-types';
import type { GatebookEvent } from '@gatebook/domain/catalog';
import { type PublicEventType, publicEventTypes } from '@gatebook/domain/public-events/types';
import { webhookEvents } from '@stackframe/stack-shared/dist/interface/webhooks';
import { Ajv2020 } from 'ajv/dist/2020.js';
import { expect, test } from 'vitest';
import { z } from 'zod';
import { createProject, password, signUp } from '../../testing/requests.ts';
import { startSuite } from '../../testing/suite.ts';

/* Data of events: what published receivers expect of it, and what it must never contain. */

const { api, send } = await startSuite();
const shop = await createProject(send, { config: { allow_user_api_keys: true, allow_team_api_keys: true } });
const server = { ...shop, access: 'server' as const };
const admin = { ...shop, access: 'admin' as const };

type Item = { id: string; type: PublicEventType; cursor: string; data: Record<string, unknown> };
async function readAll(): Promise<Item[]> {
  const { status, body } = await send('GET', '/events?limit=1000', server);
  expect(status).toBe(200);
  return body.items;
}

/** Does something of every kind that servers and owners can do. */
async function happen(): Promise<{ userId: string; secrets: string[] }> {
  const ann = await signUp(send, shop);
  const { userId } = ann;
  const own = { ...shop, as: ann.accessToken };
  const totp = 'MTIzNDU2Nzg5MDEyMzQ1Njc4OTA=';
  const body = { display_name: 'Ann', client_metadata: { likes: 'canaries' }, totp_secret_base64: totp };
  await send('PATCH', `/users/${userId}`, { ...server, body });
  await send('PATCH', `/users/${userId}`, {
    ...server,
    body: { totp_secret_base64: null, password: 'canary password 7' },
  });
  const team = (await send('POST', '/teams', { ...server, body: { display_name: 'Team' } })).body.id;
  await send('PATCH', `/teams/${team}`, { ...server, body: { display_name: 'Team 2' } });
  await send('POST', '/team-permission-definitions', { ...admin, body: { id: 'reader' } });
  await send('POST', '/project-permission-definitions', { ...admin, body: { id: 'visitor' } });
  await send('POST', `/team-memberships/${team}/${userId}`, { ...server, body: {} });
  await send('POST', `/team-permissions/${team}/${userId}/reader`, { ...server, body: {} });
  await send('DELETE', `/team-permissions/${team}/${userId}/reader`, server);
  await send('POST', `/project-permissions/${userId}/visitor`, { ...server, body: {} });
  await send('DELETE', `/project-permissions/${userId}/visitor`, server);
  const useKey = async (path: string, owner: Record<string, string>) => {
    const body = { ...owner, description: 'key', is_public: false, expires_at_millis: null };
    const key = await send('POST', path, { ...server, body });
    expect(key.status).toBe(200);
    const one = `${path}/${key.body.id}?${new URLSearchParams(owner)}`;
    for (const change of [{ description: 'other key' }, { revoked: true }])
      expect((await send('PATCH', one, { ...server, body: change })).status).toBe(200);
    return key.body.value as string;
  };
  const keys = [await useKey('/user-api-keys', { user_id: userId }), await useKey('/team-api-keys', { team_id: team })];
  await send('DELETE', `/team-memberships/${team}/${userId}`, server);
  await send('DELETE', `/teams/${team}`, server);
  await send('POST', '/auth/sessions', { ...server, body: { user_id: userId } });
  await send('DELETE', '/auth/sessions/current', { ...own, headers: { 'x-stack-refresh-token': ann.refreshToken } });
  const secrets = [totp, 'canary password 7', password, ann.accessToken, ann.refreshToken, ...keys];
  return { userId, secrets };
}
const { userId, secrets } = await happen();

/** Appends what the requests above do not cause. */
async function append(stream: string, ...events: GatebookEvent[]): Promise<void> {
  const { store, newId } = api.deps;
  const { revision } = await store.readStream(stream);
  const requestId = newId();
  await store.append([{ stream, expected: revision, events }], {
    ...{ projectId: shop.projectId, actor: { kind: 'system', id: null }, requestId },
    ...{ correlationId: requestId, causationId: null },
  });
}

async function happenToo(): Promise<void> {
  const { projectId } = shop;
  const [user, other] = [await signUp(send, shop), await signUp(send, shop)];
  const at = api.deps.now();
  const { newId } = api.deps;
  const [channelId, id, keyId, sessionId, codeId] = [newId(), newId(), newId(), newId(), newId()];
  const ofUser = { userId: user.userId, at };
  const account = { provider: 'github', accountRef: 'ref', accountId: '1', email: null };
  const uses = { allowSignIn: true, allowConnectedAccounts: true };
  const channel = { channelId, channelType: 'email' as const, value: 'second@example.com' };
  await append(
    `user-${user.userId}`,
    { type: 'TotpRejected', data: ofUser },
    { type: 'UserApiKeysRevoked', data: ofUser },
    {
      type: 'ContactChannelAdded',
      data: { ...ofUser, ...channel, isPrimary: false, isVerified: false, usedForAuth: false },
    },
    { type: 'ContactChannelProven', data: { ...ofUser, channelId, by: 'verification', removed: [] } },
    { type: 'ContactChannelRemoved', data: { ...ofUser, channelId } },
    { type: 'PasskeyRegistered', data: { ...ofUser, passkey: null } },
    { type: 'PasskeyRemoved', data: ofUser },
    { type: 'OAuthAccountLinked', data: { ...ofUser, id, ...account, ...uses } },
    { type: 'OAuthAccountChanged', data: { ...ofUser, id, ...account, ...uses } },
    { type: 'OAuthAccountUnlinked', data: { ...ofUser, provider: 'github', accountRef: 'ref' } },
  );
  await append(`user-${other.userId}`, {
    type: 'UserDeletionScheduled',
    data: { userId: other.userId, projectId, deleteAt: at, isByUser: true, at },
  });
  await append(`user-${other.userId}`, { type: 'UserErased', data: { userId: other.userId, projectId, at } });
  await append(`session-${sessionId}`, { type: 'SessionEnded', data: { ...ofUser, sessionId, reason: 'sign_out' } });
  await append(`session-${sessionId}`, { type: 'SessionEnded', data: { ...ofUser, sessionId, reason: 'revoked' } });
  await append(`projectkey-${keyId}`, {
    type: 'ProjectKeyDescribed',
    data: { keyId, projectId, description: 'key', at },
  });
  await append(`projectkey-${keyId}`, { type: 'ProjectKeyRevoked', data: { keyId, projectId, at } });
  await append(`webhook-${id}`, {
    type: 'WebhookEndpointDisabled',
    data: { endpointId: id, projectId, reason: 'gone', at },
  });
  await append(`code-${codeId}`, {
    type: 'CodeIssued',
    data: {
      ...{ codeId, subjectId: id, projectId, purpose: 'team_invitation', codeHash: 'hash', recipient: 'b@example.com' },
      ...{ addressRef: null, callbackUrl: null, payload: { teamId: keyId }, encryptedPayload: null, expiresAt: at, at },
    },
  });
  await send('PATCH', '/internal/projects/current', { ...admin, body: { display_name: 'Renamed' } });
  await send('PATCH', '/team-permission-definitions/reader', { ...admin, body: { description: 'Reads' } });
  await send('PATCH', '/team-permission-definitions/reader', { ...admin, body: { id: 'viewer' } });
  await send('DELETE', '/team-permission-definitions/viewer', admin);
}

test('every type of event has the data that its schema names, and nothing else', async () => {
  await happenToo();
  const items = await readAll();
  for (const { type, data } of items) {
    const { shape } = publicEventDefinitions[type].data;
    expect(z.strictObject(shape).safeParse(data).error, type).toBeUndefined();
  }
  const found = new Set(items.map(({ type }) => type));
  expect(publicEventTypes.filter((type) => !found.has(type))).toEqual([]);
  const changed = items.filter(({ type }) => /^permission_definition\.(updated|deleted)$/.test(type));
  const updated = { scope: 'team', description: 'Reads', previous: { id: 'reader' } };
  expect(changed.map(({ data }) => data)).toEqual([
    { id: 'reader', ...updated },
    { id: 'viewer', ...updated },
    { id: 'viewer' },
  ]);
});

/** Their events are about no user and no team. */
const ofProject = /^(project|project_key|permission_definition|webhook_endpoint)\./;

test('every event is found by the user and the team that it is about, and no other event is', async () => {
  const items = await readAll();
  const subjectsOf = ({ type, data }: Item) => ({
    user_id: type.startsWith('user.') ? (data.user_id ?? data.id) : data.user_id,
    team_id: type.startsWith('team.') ? data.id : data.team_id,
  });
  const withoutSubject = items.filter((item) => Object.values(subjectsOf(item)).every((id) => typeof id !== 'string'));
  expect(withoutSubject.filter(({ type }) => !ofProject.test(type))).toEqual([]);
  const types = new Set(withoutSubject.map(({ type }) => type));
  expect(publicEventTypes.filter((type) => types.has(type))).toEqual(
    publicEventTypes.filter((type) => ofProject.test(type)),
  );
  for (const name of ['user_id', 'team_id'] as const) {
    const bySubject = Map.groupBy(items, (item) => subjectsOf(item)[name]);
    for (const [id, expected] of bySubject) {
      if (typeof id !== 'string') continue;
      const ids = expected.map((item) => item.id);
      const found = await send('GET', `/events?limit=1000&${name}=${id}`, server);
      expect(found.body.items.map((item: Item) => item.id)).toEqual(ids);
      for (const type of new Set(expected.map((item) => item.type))) {
        const ofType = await send('GET', `/events?limit=1000&${name}=${id}&types=${type}`, server);
        expect(
          ofType.body.items.map((item: Item) => item.id),
          type,
        ).toEqual(expected.filter((item) => item.type === type).map((item) => item.id));
      }
    }
  }
});

test('a deleted team is found by its ID, with what happened to it before, and nothing follows', async () => {
  const { userId } = await signUp(send, shop);
  const team = (await send('POST', '/teams', { ...server, body: { display_name: 'Gone' } })).body.id;
  await send('POST', `/team-memberships/${team}/${userId}`, { ...server, body: {} });
  await send('PATCH', `/teams/${team}`, { ...server, body: { display_name: 'Gone soon' } });
  const list = async () => (await send('GET', `/events?team_id=${team}&types=team.*,team_membership.*`, server)).body;
  const cursor = (await list()).next_after;
  await send('DELETE', `/teams/${team}`, server);
  const named = ['team.created', 'team_membership.created', 'team.updated', 'team.deleted'];
  const { items } = await list();
  expect(items.map(({ type }: { type: string }) => type)).toEqual(named);
  expect(items.at(-1).data).toEqual({ id: team });
  expect(items.map(({ data }: Item) => data.team_id ?? data.id)).toEqual(named.map(() => team));
  // Its name is erased with it. The protocol wants one.
  expect(JSON.stringify(items)).not.toContain('Gone');
  const after = await send('GET', `/events?team_id=${team}&after=${encodeURIComponent(cursor)}`, server);
  expect(after.body.items.map(({ type }: { type: string }) => type)).toEqual(['team.deleted']);
  await send('DELETE', `/users/${userId}`, server);
  // Who was in a deleted team leaves it with the team.
  const later = await send('GET', `/events?team_id=${team}&after=${encodeURIComponent(after.body.next_after)}`, server);
  expect(later.body).toMatchObject({ items: [], has_more: false });
});

test('events and examples fit the JSON Schemas that the API lists', async () => {
  const { body } = await send('GET', '/events/types', server);
  const ajv = new Ajv2020({ allErrors: true, validateFormats: false });
  const validations = new Map(
    body.items.map(({ type, schema }: { type: PublicEventType; schema: object }) => [type, ajv.compile(schema)]),
  ) as ReadonlyMap<PublicEventType, ReturnType<typeof ajv.compile>>;
  const faultsOf = (event: { type: PublicEventType }) => {
    const validate = validations.get(event.type);
    return validate?.(event) ? [] : [event.type, ...(validate?.errors ?? [])];
  };
  const items = await readAll();
  expect(items.flatMap(faultsOf)).toEqual([]);
  const [envelope] = items;
  const examples = body.items.map(({ type, example }: { type: PublicEventType; example: object }) => ({
    ...{ ...envelope, type, data: example },
  }));
  expect(examples.flatMap(faultsOf)).toEqual([]);
  const [example] = examples;
  expect(faultsOf({ ...example, data: { ...example.data, id: 7 } })).not.toEqual([]);
});

test('check 12: data of the protocol’s types fits the schemas of published receivers', async () => {
  const items = await readAll();
  const schemas = new Map(webhookEvents.map(({ type, schema }) => [type as PublicEventType, schema]));
  const checked = new Set<PublicEventType>();
  for (const { type, data } of items) {
    const schema = schemas.get(type);
    if (!schema) continue;
    await schema.validate(data, { strict: true });
    checked.add(type);
  }
  expect([...checked].sort()).toEqual([...schemas.keys()].sort());
});

test('check 11: no event contains a secret', async () => {
  const { body } = await send('GET', '/events?limit=1000', server);
  const text = JSON.stringify(body);
  expect(secrets.every((secret) => typeof secret === 'string' && secret.length > 8)).toBe(true);
  for (const secret of secrets) expect(text).not.toContain(secret);
  const fields = new Set<string>();
  JSON.parse(text, (name, value) => {
    fields.add(name);
    return value;
  });
  expect([...fields].filter((name) => /hash|token|secret_key|codeId|passwordHash/i.test(name))).toEqual([]);
});

test('check 10: an erased user’s events stay in place, without personal data', async () => {
  const before = await readAll();
  await send('DELETE', `/users/${userId}`, server);
  const deleted = await readAll();
  await api.deps.eraseSubject(userId);
  const after = await readAll();
  expect(after.map(({ id, type }) => [id, type]).slice(0, before.length)).toEqual(
    before.map(({ id, type }) => [id, type]),
  );
  for (const items of [deleted, after]) {
    const ofUser = items.filter((item) => JSON.stringify(item).includes(userId));
    const texts = ofUser.flatMap(({ data }) => [data.display_name, data.value, data.primary_email, data.description]);
    expect(texts.filter((text) => typeof text === 'string')).toEqual([]);
    expect(JSON.stringify(items).includes('canaries')).toBe(false);
  }
  const [created] = after.filter(({ type, data }) => type === 'user.created' && data.id === userId);
  expect(created?.data).toMatchObject({ id: userId, display_name: null, primary_email: null, client_metadata: null });
});
