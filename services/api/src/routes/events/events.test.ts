import { publicEventDefinitions } from '@gatebook/contract/events/public-event-types';
import { publicEventTypes } from '@gatebook/domain/public-events/types';
import { openCursor, toCursor } from '@gatebook/readmodel/events/cursor';
import { expect, test } from 'vitest';
import { changeSettings, createProject, expectKnown, signUp, unknownId } from '../../testing/requests.ts';
import { startSuite } from '../../testing/suite.ts';

const { api, send } = await startSuite();
const project = await createProject(send);
const asServer = { ...project, access: 'server' as const };

type Query = Record<string, string | number | boolean>;
type Item = { id: string; type: string; cursor: string; data: Record<string, unknown>; request_id: string };
const search = (query: Query) =>
  `?${new URLSearchParams(Object.entries(query).map(([key, value]) => [key, String(value)]))}`;
const list = (query: Query = {}, call: typeof asServer = asServer) => send('GET', `/events${search(query)}`, call);
const typesOf = (answer: { body: { items: Item[] } }) => answer.body.items.map(({ type }) => type);
const headOf = async (call = asServer) => String((await list({ after: 'head' }, call)).body.next_after);
const readBy = (userId: string) => list({ user_id: userId });

/** All events after a cursor, in pages of `limit`. */
async function readAll(query: Query = {}, call = asServer): Promise<Item[]> {
  const items: Item[] = [];
  for (let page = await list(query, call); ; page = await list({ ...query, after: page.body.next_after }, call)) {
    expect(page.status).toBe(200);
    items.push(...page.body.items);
    if (!page.body.has_more) return items;
  }
}

test('a sign-up is told once, with everything that the write set', async () => {
  const ann = await signUp(send, project);
  const answer = await readBy(ann.userId);
  expect(answer.status).toBe(200);
  expect(typesOf(answer)).toEqual(['user.created', 'contact_channel.created', 'session.created', 'user.signed_in']);
  const [created] = answer.body.items as Item[];
  const newest = await send('GET', `/users/${ann.userId}`, {
    ...asServer,
    headers: { 'x-stack-client-version': 'js @stackframe/js@2.8.108' },
  });
  expect(newest.body.is_restricted).toBe(false);
  expect(created?.data).toEqual({ ...newest.body, last_active_at_millis: expect.any(Number) });
});

test('a user is updated once per request, and each event shows the user as of then', async () => {
  const { userId } = await signUp(send, project);
  const after = await headOf();
  for (const name of ['A', 'B']) {
    const body = { display_name: name, server_metadata: { name }, primary_email: `${name}${userId}@example.com` };
    await send('PATCH', `/users/${userId}`, { ...asServer, body });
  }
  const items = await readAll({ after, types: 'user.*' });
  expect(items.map(({ type }) => type)).toEqual(['user.updated', 'user.updated']);
  expect(items.map(({ data }) => [data.display_name, data.server_metadata, data.primary_email])).toEqual(
    ['A', 'B'].map((name) => [name, { name }, `${name}${userId}@example.com`]),
  );
});

test('memberships end with their user, and come back with all that is theirs', async () => {
  const shop = await createProject(send);
  const call = { ...shop, access: 'server' as const };
  await changeSettings(send, shop, { user_deletion_grace_days: 30 });
  const [ann, bob] = [await signUp(send, shop), await signUp(send, shop)];
  const body = { display_name: 'T', creator_user_id: ann.userId };
  const teamId = (await send('POST', '/teams', { ...call, body })).body.id;
  await send('POST', `/team-memberships/${teamId}/${bob.userId}`, { ...call, body: {} });
  await send('POST', '/project-permission-definitions', { ...shop, access: 'admin', body: { id: 'visitor' } });
  await send('POST', `/project-permissions/${bob.userId}/visitor`, { ...call, body: {} });
  const after = await headOf(call);
  await send('DELETE', `/users/${bob.userId}`, call);
  const member = { team_id: teamId, user_id: bob.userId };
  const gone = [
    ['team_membership.deleted', member],
    ['user.deleted', { id: bob.userId, teams: [{ id: teamId }] }],
  ];
  const tell = async () => (await readAll({ after, limit: 1 }, call)).map(({ type, data }) => [type, data]);
  expect(await tell()).toEqual(gone);
  const addresses = async () => {
    const items = await readAll({ user_id: bob.userId, types: 'user.created' }, call);
    return items.map(({ data }) => data.primary_email);
  };
  expect(await addresses()).toEqual([null]);
  const restored = await send('POST', `/internal/users/${bob.userId}/restore`, { ...call, access: 'admin', body: {} });
  expect(restored.status).toBe(200);
  const user = expect.objectContaining({ id: bob.userId, primary_email: bob.email });
  const address = { user_id: bob.userId, value: bob.email, is_primary: true };
  const back = [
    ['user.created', user],
    ['team_membership.created', member],
    ['contact_channel.created', expect.objectContaining(address)],
    ['project_permission.created', { id: 'visitor', user_id: bob.userId }],
    ['team_permission.created', { id: 'team_member', ...member }],
  ];
  expect(await tell()).toEqual([...gone, ...back]);
  expect(await addresses()).toEqual([bob.email, bob.email]);
  expect((await readAll({ team_id: teamId }, call)).map(({ type }) => type)).toEqual([
    'team.created',
    'team_membership.created',
    'team_permission.created',
    'team_membership.deleted',
    'team_membership.created',
    'team_permission.created',
  ]);
});

test('who has selected a team is told as updated when it is deleted or restored', async () => {
  const shop = await createProject(send);
  const call = { ...shop, access: 'server' as const };
  await changeSettings(send, shop, { team_deletion_grace_days: 30 });
  const members = [await signUp(send, shop), await signUp(send, shop), await signUp(send, shop)];
  const teamId = (await send('POST', '/teams', { ...call, body: { display_name: 'T' } })).body.id;
  for (const { userId } of members) await send('POST', `/team-memberships/${teamId}/${userId}`, { ...call, body: {} });
  const [ann, bob] = members.map(({ userId }) => userId).sort();
  for (const id of [ann, bob]) await send('PATCH', `/users/${id}`, { ...call, body: { selected_team_id: teamId } });
  const after = await headOf(call);
  const updated = (id: string | undefined, team: string | null) => ['user.updated', id, team];
  const told = (items: Item[]) => items.map(({ type, data }) => [type, data.id, data.selected_team_id]);
  await send('DELETE', `/teams/${teamId}`, call);
  const deleted = [['team.deleted', teamId, undefined], updated(ann, null), updated(bob, null)];
  expect(told(await readAll({ after, limit: 1 }, call))).toEqual(deleted);
  await send('POST', `/internal/teams/${teamId}/restore`, { ...shop, access: 'admin', body: {} });
  const restored = [['team.created', teamId, undefined], updated(ann, teamId), updated(bob, teamId)];
  const items = await readAll({ after }, call);
  expect(told(items)).toEqual([...deleted, ...restored]);
  expect(new Set(items.map(({ id }) => id)).size).toBe(items.length);
  for (const { id, data } of items) expect((await send('GET', `/events/${id}`, call)).body.data).toEqual(data);
  const ofBob = await readAll({ after, user_id: bob ?? '', types: 'user.updated' }, call);
  expect(told(ofBob)).toEqual([updated(bob, null), updated(bob, teamId)]);
  expect((await send('GET', `/users/${bob}`, call)).body.selected_team_id).toBe(teamId);
});

test('memberships in a team that awaits deletion end and come back with their user, as the team may', async () => {
  const shop = await createProject(send);
  const call = { ...shop, access: 'server' as const };
  await changeSettings(send, shop, { team_deletion_grace_days: 30, user_deletion_grace_days: 30 });
  const { userId } = await signUp(send, shop);
  const create = async () => {
    const body = { display_name: 'T', creator_user_id: userId };
    return (await send('POST', '/teams', { ...call, body })).body.id as string;
  };
  const [awaiting, erased] = [await create(), await create()];
  for (const id of [awaiting, erased]) await send('DELETE', `/teams/${id}`, call);
  const byAdmin = { ...shop, access: 'admin' as const, body: {} };
  await send('POST', `/internal/teams/${erased}/erase`, byAdmin);
  const after = await headOf(call);
  await send('DELETE', `/users/${userId}`, call);
  await send('POST', `/internal/users/${userId}/restore`, byAdmin);
  const told = (await readAll({ after, types: 'user.*,team_membership.*' }, call)).map(({ type, data }) => [
    type,
    data.team_id,
  ]);
  expect(told).toEqual([
    ['team_membership.deleted', awaiting],
    ['user.deleted', undefined],
    ['user.created', undefined],
    ['team_membership.created', awaiting],
  ]);
});

test('an address that is no longer the primary one is told as updated', async () => {
  const { userId } = await signUp(send, project);
  const [first] = (await readAll({ user_id: userId, types: 'contact_channel.*' })).map(({ data }) => data.id);
  const after = await headOf();
  const body = { user_id: userId, type: 'email', value: `second${userId}@example.com`, used_for_auth: false };
  const second = await send('POST', '/contact-channels', { ...asServer, body: { ...body, is_primary: true } });
  await send('PATCH', `/contact-channels/${userId}/${first}`, { ...asServer, body: { is_primary: true } });
  const told = (await readAll({ after, types: 'contact_channel.*' })).map(({ data }) => [data.id, data.is_primary]);
  const { id } = second.body;
  expect(told).toEqual([
    [id, false],
    // The new one has the ID that the release before gave it.
    [id, true],
    [first, false],
    [first, true],
    [id, false],
  ]);
});

test('a team that can be restored is told as deleted once, and then as created', async () => {
  const shop = await createProject(send);
  const call = { ...shop, access: 'server' as const };
  const byAdmin = { ...shop, access: 'admin' as const, body: {} };
  await changeSettings(send, shop, { team_deletion_grace_days: 30 });
  const teamId = (await send('POST', '/teams', { ...call, body: { display_name: 'T' } })).body.id;
  await send('DELETE', `/teams/${teamId}`, call);
  expect((await send('POST', `/internal/teams/${teamId}/restore`, byAdmin)).status).toBe(200);
  await send('DELETE', `/teams/${teamId}`, call);
  expect((await send('POST', `/internal/teams/${teamId}/erase`, byAdmin)).status).toBe(200);
  const told = (await readAll({ types: 'team.*' }, call)).map(({ type, data }) => [type, data.id]);
  expect(told).toEqual(['team.created', 'team.deleted', 'team.created', 'team.deleted'].map((type) => [type, teamId]));
});

test('a user who leaves the selected team is told as updated, but not one who leaves another team', async () => {
  const { userId } = await signUp(send, project);
  const join = async () => {
    const teamId = (await send('POST', '/teams', { ...asServer, body: { display_name: 'T' } })).body.id as string;
    await send('POST', `/team-memberships/${teamId}/${userId}`, { ...asServer, body: {} });
    return teamId;
  };
  const [selected, other] = [await join(), await join()];
  await send('PATCH', `/users/${userId}`, { ...asServer, body: { selected_team_id: selected } });
  const after = await headOf();
  for (const teamId of [other, selected]) await send('DELETE', `/team-memberships/${teamId}/${userId}`, asServer);
  const told = await readAll({ after, user_id: userId });
  expect(told.map(({ type, data }) => [type, data.team_id ?? data.selected_team_id])).toEqual([
    ['team_membership.deleted', other],
    ['team_membership.deleted', selected],
    ['user.updated', null],
  ]);
});

test('a selected team is told like the API shows it, also after leaving and coming back', async () => {
  const { userId } = await signUp(send, project);
  const teamId = (await send('POST', '/teams', { ...asServer, body: { display_name: 'T' } })).body.id;
  const membership = `/team-memberships/${teamId}/${userId}`;
  const patch = (body: object) => send('PATCH', `/users/${userId}`, { ...asServer, body });
  const told = async () => (await readBy(userId)).body.items.at(-1).data.selected_team_id;
  await send('POST', membership, { ...asServer, body: {} });
  await patch({ selected_team_id: teamId });
  expect(await told()).toBe(teamId);
  await send('DELETE', membership, asServer);
  await send('POST', membership, { ...asServer, body: {} });
  const { body } = await patch({ display_name: 'Back' });
  expect(body.selected_team_id).toBeNull();
  expect(await told()).toBeNull();
});

test('after the cursor of each event come exactly the events after it', async () => {
  const { userId } = await signUp(send, project);
  const items = await readAll({ user_id: userId });
  for (const [nth, { cursor }] of items.entries()) {
    const rest = await readAll({ user_id: userId, after: cursor });
    expect(rest.map(({ id }) => id)).toEqual(items.slice(nth + 1).map(({ id }) => id));
  }
});

test('each event can be read by its ID, also by the other project as none', async () => {
  const { userId } = await signUp(send, project);
  for (const item of (await readBy(userId)).body.items as Item[]) {
    expect(item.id).toMatch(/^evt_[0-9a-hjkmnp-tv-z]{32}$/);
    const found = await send('GET', `/events/${item.id}`, asServer);
    const { cursor: _, ...event } = item;
    expect(found.body).toEqual({ ...event, cursor: expect.any(String) });
    expectKnown(await send('GET', `/events/${item.id}`, { access: 'server' }), 404, 'EVENT_NOT_FOUND');
  }
  expectKnown(await send('GET', `/events/${unknownId}`, asServer), 404, 'EVENT_NOT_FOUND');
});

test('check 5: a page without a match moves the cursor past what it has looked at', async () => {
  const before = await headOf();
  await signUp(send, project);
  const empty = await list({ after: before, types: 'api_key.*' });
  expect(empty.body).toMatchObject({ items: [], has_more: false });
  expect((await list({ after: empty.body.next_after })).body.items).toEqual([]);
  const everything = await readAll({ after: before, limit: 1 });
  expect(everything.map(({ type }) => type)).toEqual(
    expect.arrayContaining(['user.created', 'session.created', 'user.signed_in']),
  );
  expect(new Set(everything.map(({ id }) => id)).size).toBe(everything.length);
  const since = everything.at(-1) as unknown as { created_at_millis: number };
  expect((await readAll({ since_millis: since.created_at_millis })).length).toBeGreaterThan(0);
  expect(await readAll({ since_millis: since.created_at_millis + 1 })).toEqual([]);
  expect(await readAll({ after: before, until_millis: since.created_at_millis - 60_000 })).toEqual([]);
});

test('check 6: a cursor of elsewhere is rejected, and says why', async () => {
  const cursor = await headOf();
  const expectInvalid = async (after: string, reason: string, call?: typeof asServer) =>
    expectKnown(await list({ after }, call), 400, 'EVENT_CURSOR_INVALID', { reason });
  await expectInvalid(cursor.slice(0, -1), 'malformed');
  await expectInvalid(unknownId, 'malformed');
  await expectInvalid('', 'malformed');
  await signUp(send, project);
  const users = await send('GET', '/users?limit=1', asServer);
  await expectInvalid(users.body.pagination.next_cursor, 'malformed');
  await expectInvalid(cursor, 'other_project', { ...(await createProject(send)), access: 'server' });
  expectKnown(await send('GET', '/events', { ...project, access: 'client' }), 401, 'INSUFFICIENT_ACCESS_TYPE', {
    actual_access_type: 'client',
    allowed_access_types: ['server', 'admin'],
  });
});

test('check 6: a cursor of a log that has lost its event is rejected', async () => {
  const { projectId } = project;
  const { deps } = api;
  const open = async (position: bigint, eventId: string) =>
    openCursor(deps, projectId, await toCursor(deps, projectId, { position, index: 0, nth: 0 }, eventId));
  const head = await deps.store.head();
  await expect(open(head + 1n, unknownId)).rejects.toMatchObject({ details: { reason: 'ahead_of_log' } });
  const withoutEvent = await toCursor(deps, projectId, { position: head + 1n, index: 0, nth: 0 });
  await expect(openCursor(deps, projectId, withoutEvent)).rejects.toMatchObject({
    details: { reason: 'ahead_of_log' },
  });
  await expect(open(head, unknownId)).rejects.toMatchObject({ details: { reason: 'other_log' } });
  const eventId = (await deps.store.identify(head)) ?? '';
  expect(await open(head, eventId)).toEqual({ position: head, index: 0, nth: 0 });
});

test('an empty page with a wait is answered as soon as there is an event', async () => {
  const after = await headOf();
  const waiting = list({ after, types: 'user.created', wait_in_millis: 20_000 });
  const { userId } = await signUp(send, project);
  const answer = await waiting;
  expect((answer.body.items as Item[]).map(({ data }) => data.id)).toEqual([userId]);
  const none = await list({ after: answer.body.next_after, types: 'user.created', wait_in_millis: 50 });
  expect(none.body.items).toEqual([]);
});

test('events can be read as CloudEvents', async () => {
  const { userId } = await signUp(send, project);
  const [event] = (await list({ user_id: userId, types: 'user.signed_in', format: 'cloudevents' })).body.items;
  expect(event).toMatchObject({
    specversion: '1.0',
    id: expect.stringMatching(/^evt_/),
    source: `http://localhost:8102/api/v1/projects/${project.projectId}`,
    type: 'dev.gatebook.user.signed_in.v1',
    subject: userId,
    datacontenttype: 'application/json',
    data: { user_id: userId },
  });
});

test('every type has an example that fits its schema', async () => {
  const { body } = await send('GET', '/events/types', asServer);
  expect(body.items.map(({ type }: Item) => type)).toEqual(publicEventTypes);
  for (const type of publicEventTypes) {
    const { data, example } = publicEventDefinitions[type];
    expect(data.parse(example), type).toEqual(example);
  }
});
