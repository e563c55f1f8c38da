import { asOfHeaders } from '@gatebook/contract/as-of';
import type { Recorded } from '@gatebook/domain/event';
import { pause } from '@gatebook/runtime/pause';
import { expect, test } from 'vitest';
import type { Past } from '../../http/as-of.ts';
import { type Call, createProject, expectKnown, unknownId } from '../../testing/requests.ts';
import { startSuite } from '../../testing/suite.ts';
import { eventsBetween } from './state-diff.ts';
import { targets } from './targets.ts';

const { api, send } = await startSuite({ history: true });
const project = await createProject(send);
const other = await createProject(send);
const call =
  (access: NonNullable<Call['access']>, of = project) =>
  (method: string, path: string, body?: unknown) =>
    send(method, path, { ...of, access, ...(body !== undefined && { body }) });
const [server, admin] = [call('server'), call('admin')];

async function moment(): Promise<string> {
  await pause(2);
  const answer = await admin('GET', `/internal/projects/current/settings?as_of=${Date.parse(api.deps.now())}`);
  return String(answer.headers[asOfHeaders.eventId]);
}
async function diff(type: string, id: string | null, from: string, to: string, by = admin) {
  const of = id === null ? '' : `&target_id=${id}`;
  const answer = await by('GET', `/internal/state-diffs?target_type=${type}${of}&from=${from}&to=${to}`);
  expect(answer.status).toBe(200);
  return answer.body;
}
const typesOf = (body: { events: { type: string }[] }) => body.events.map(({ type }) => type);

test('a user’s fields are compared, with the events in between', async () => {
  const { body: user } = await server('POST', '/users', {
    display_name: 'Ann',
    server_metadata: { plan: 'free', n: 1 },
  });
  const from = await moment();
  await server('PATCH', `/users/${user.id}`, { display_name: 'Bea' });
  await server('PATCH', `/users/${user.id}`, { server_metadata: { plan: 'pro', n: 1 } });
  const to = await moment();
  await server('PATCH', `/users/${user.id}`, { display_name: 'Cleo' });
  const found = await diff('user', user.id, from, to);
  expect(found).toMatchObject({ existed_before: true, exists_after: true, has_more_events: false });
  expect(found.changes).toEqual([
    { field: 'display_name', before: 'Ann', after: 'Bea', is_redacted: false },
    { field: 'server_metadata.plan', before: 'free', after: 'pro', is_redacted: false },
  ]);
  expect(typesOf(found)).toEqual(['UserRenamed', 'UserMetadataChanged']);
  expect(found.from.event_id).toBe(from);
  expect(await diff('user', user.id, to, from)).toEqual(found);
});

test('of a stream that is very long, only the beginning is read', async () => {
  let pages = 0;
  async function* readStreamPages() {
    for (;;) {
      pages += 1;
      yield Array.from({ length: 1_000 }, () => ({ position: 1n, metadata: {} }) as Recorded);
    }
  }
  const at = (position: bigint) => ({ moment: { position } }) as Past;
  const store = { ...api.deps.store, readStreamPages };
  const range = { id: unknownId, found: null, from: at(5n), to: at(9n) };
  const found = await eventsBetween({ store }, { projectId: 'p' }, targets.user, range);
  expect(found).toEqual({ events: [], isCut: true });
  expect(pages).toBe(20);
});

test('what was created or deleted in between is told', async () => {
  const from = await moment();
  const { body: team } = await server('POST', '/teams', { display_name: 'Crew' });
  const middle = await moment();
  await server('DELETE', `/teams/${team.id}`);
  const to = await moment();
  const created = await diff('team', team.id, from, middle);
  expect(created).toMatchObject({ existed_before: false, exists_after: true });
  expect(typesOf(created)).toEqual(['TeamCreated']);
  const deleted = await diff('team', team.id, middle, to);
  expect(deleted).toMatchObject({ existed_before: true, exists_after: false });
  expect(typesOf(deleted)).toEqual(['TeamDeleted']);
});

test('a permission definition is followed through a change of its ID', async () => {
  await admin('POST', '/team-permission-definitions', { id: 'read', description: 'Reads' });
  const from = await moment();
  await admin('PATCH', '/team-permission-definitions/read', { id: 'view' });
  const to = await moment();
  const found = await diff('team_permission_definition', 'view', from, to);
  expect(found.changes).toEqual([{ field: 'id', before: 'read', after: 'view', is_redacted: false }]);
  expect(typesOf(found)).toEqual(['PermissionDefinitionChanged']);
});

test('settings and configuration of the project are compared', async () => {
  const from = await moment();
  await admin('PATCH', '/internal/projects/current/settings', {
    user_deletion_grace_days: 7,
    access_token_lifetime_seconds: 120,
  });
  await admin('PATCH', '/internal/projects/current', { config: { magic_link_enabled: true } });
  const to = await moment();
  expect((await diff('settings', null, from, to)).changes).toEqual([
    { field: 'user_deletion_grace_days', before: 0, after: 7, is_redacted: false },
    { field: 'access_token_lifetime_seconds', before: null, after: 120, is_redacted: false },
  ]);
  expect((await diff('project', null, from, to)).changes).toEqual([
    { field: 'config.magic_link_enabled', before: false, after: true, is_redacted: false },
  ]);
});

test('every kind of object can be compared', async () => {
  await admin('PATCH', '/internal/projects/current', { config: { allow_user_api_keys: true } });
  const from = await moment();
  const { body: user } = await server('POST', '/users', { primary_email: 'kinds@example.com' });
  const { body: team } = await server('POST', '/teams', { display_name: 'T', creator_user_id: user.id });
  const channels = await server('GET', `/contact-channels?user_id=${user.id}`);
  const key = await server('POST', '/user-api-keys', { user_id: user.id, description: 'k', expires_at_millis: null });
  const { body: projectKeys } = await admin('GET', '/internal/api-keys');
  const content = { root: { type: 'EmailLayout', data: { childrenIds: [] } } };
  await admin('PUT', '/internal/email-templates/magic_link/versions/de-DE', { subject: 'Anmelden', content });
  const to = await moment();
  const created = [
    ['membership', `${team.id}.${user.id}`, 'TeamMemberAdded'],
    ['contact_channel', channels.body.items[0].id, 'ContactChannelAdded'],
    ['api_key', key.body.id, 'ApiKeyCreated'],
    ['email_template', 'magic_link.de-DE', 'EmailTemplateChanged'],
  ] as const;
  for (const [type, id, event] of created) {
    const found = await diff(type, id, from, to);
    expect({ type, exists: found.exists_after, event: typesOf(found)[0] }).toEqual({ type, exists: true, event });
  }
  expect(await diff('project_key', projectKeys.items[0].id, from, to)).toMatchObject({
    exists_after: true,
    changes: [],
  });
  expect(await diff('email_template', 'magic_link', from, to)).toMatchObject({
    exists_after: true,
    changes: [],
    events: [],
  });
});

test('nothing is told of objects of another project', async () => {
  const [from, foreignFrom] = [await moment(), Date.parse(api.deps.now())];
  const { body: user } = await server('POST', '/users', { display_name: 'Ann' });
  const to = await moment();
  await call('server', other)('POST', '/users', { display_name: 'Other' });
  await pause(2);
  const now = String(Date.parse(api.deps.now()));
  const foreign = await diff('user', user.id, String(foreignFrom), now, call('admin', other));
  expect(foreign).toMatchObject({ existed_before: false, exists_after: false, changes: [], events: [] });
  const unknown = await diff('user', unknownId, from, to);
  expect(unknown).toMatchObject({ existed_before: false, exists_after: false, changes: [], events: [] });
  const query = `target_type=user&target_id=${user.id}&from=${from}&to=${to}`;
  expectKnown(await call('admin', other)('GET', `/internal/state-diffs?${query}`), 404, 'AUDIT_EVENT_NOT_FOUND');
});
