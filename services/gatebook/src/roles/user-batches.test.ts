import { addMember, asMember } from '@gatebook/api/testing/members';
import { createProject, expectKnown, expectSchemaError, signUp, unknownId } from '@gatebook/api/testing/requests';
import { startSuite } from '@gatebook/api/testing/suite';
import { runAll } from '@gatebook/worker/user-batches/run-user-batches';
import { beforeAll, describe, expect, test } from 'vitest';
import { batchesPath, never, startBatches } from '../testing/batches.ts';

/* Batches of users over the API, with the worker in this process. */

const suite = await startSuite();
const { api, send } = suite;
const { deps } = api;
const batches = await startBatches(suite);
const { shop, call, parts, caughtUp, run, read, createUsers, eventsOf, start } = batches;

let team = '';
beforeAll(async () => {
  const body = { display_name: 'Editors' };
  team = (await send('POST', '/teams', { ...shop, access: 'server', body })).body.id;
});

describe('a batch', () => {
  test('changes its users one by one, as actions of who started it, with the start as the cause', async () => {
    const ids = await createUsers(5);
    const body = { action: 'restrict', reason: 'Spam', user_ids: ids };
    const batch = await start(body);
    expect(batch).toMatchObject({ action: 'restrict', status: 'running', total: 5, done: 0, failed: 0 });
    expectKnown(await call('POST', '', body), 409, 'USER_BATCH_RUNNING');
    await run({ pageSize: 2 });
    expect(await read(batch.id)).toMatchObject({ status: 'completed', done: 5, failed: 0 });
    const [start_] = (await deps.store.readStream(`userbatch-${batch.id}`)).events;
    for (const id of ids) {
      const [event] = await eventsOf(id, 'UserRestricted');
      expect(event?.metadata).toMatchObject({ actor: { kind: 'admin' }, causationId: start_?.id });
      expect(event?.data.reason).toBe('Spam');
    }
    const { items } = (await call('GET')).body;
    expect(items[0]).toMatchObject({ id: batch.id, status: 'completed' });
    const query = `target_id=${batch.id}&order=asc`;
    const audit = await send('GET', `/internal/audit-events?${query}`, { ...shop, access: 'admin' });
    expect(audit.body.items.map(({ text }: { text: string }) => text)).toEqual([
      'Started a batch: restrict, 5 users',
      'Completed a batch of users',
    ]);
  });

  test('lists users whose change is rejected, and counts those who already are as wanted as done', async () => {
    const [first = '', second = '', erased = ''] = await createUsers(3);
    await send('POST', `/team-memberships/${team}/${first}`, { ...shop, access: 'server', body: {} });
    const user_ids = [first, erased, second, unknownId];
    const batch = await start({ action: 'add_to_team', team_id: team, user_ids });
    await send('DELETE', `/users/${erased}`, { ...shop, access: 'server' });
    await run();
    expect(await read(batch.id)).toMatchObject({ status: 'completed', done: 4, failed: 2 });
    const page = (await call('GET', `/${batch.id}/failures?limit=1`)).body;
    expect(page.items).toEqual([{ user_id: erased, code: 'USER_NOT_FOUND', error: expect.any(String) }]);
    const rest = (await call('GET', `/${batch.id}/failures?cursor=${page.pagination.next_cursor}`)).body;
    expect(rest.items).toEqual([{ user_id: unknownId, code: 'USER_NOT_FOUND', error: expect.any(String) }]);
    expect(rest.pagination.next_cursor).toBeNull();
  });

  test('fixes the users who match filters, without those left out, and starts only for the number expected', async () => {
    const project = await createProject(send);
    const [first = '', second = '', third = ''] = await createUsers(3, project);
    await caughtUp();
    const body = { action: 'delete', filters: { query: 'User' }, except_user_ids: [second] };
    const preview = (await call('POST', '/preview', body, project)).body;
    expect(preview).toMatchObject({ count: 2, previewed: 2, changed: 2, unchanged: 0, rejections: [] });
    await createUsers(1, project);
    await caughtUp();
    const outdated = await call('POST', '', { ...body, expected_count: preview.count }, project);
    expectKnown(outdated, 412, 'USER_BATCH_OUTDATED', { count: 3 });
    const batch = await start({ ...body, expected_count: 3 }, project);
    const [late = ''] = await createUsers(1, project);
    await run();
    expect(await read(batch.id, project)).toMatchObject({ status: 'completed', done: 3, failed: 0 });
    const statusOf = async (id: string) => (await send('GET', `/users/${id}`, { ...project, access: 'server' })).status;
    expect(await Promise.all([first, second, third, late].map(statusOf))).toEqual([404, 200, 404, 200]);
  });

  test('signs users out, grants permissions and lifts restrictions', async () => {
    const project = await createProject(send);
    const user = await signUp(send, project);
    const permission = { id: 'read_all', description: '' };
    await send('POST', '/project-permission-definitions', { ...project, access: 'admin', body: permission });
    const user_ids = [user.userId];
    await caughtUp();
    const signOut = { action: 'sign_out', user_ids };
    const preview = (await call('POST', '/preview', signOut, project)).body;
    expect(preview.effects).toEqual([{ kind: 'sessions_ended', count: 1 }]);
    for (const body of [
      signOut,
      { action: 'grant_permission', permission_id: 'read_all', user_ids },
      { action: 'restrict', user_ids },
      { action: 'lift_restriction', user_ids },
    ]) {
      const batch = await start(body, project);
      await run();
      expect(await read(batch.id, project)).toMatchObject({ status: 'completed', done: 1, failed: 0 });
    }
    const me = await send('GET', '/users/me', { ...project, as: user.accessToken });
    expect(me.body.code).toBe('ACCESS_TOKEN_EXPIRED');
    expect(await eventsOf(user.userId, 'ProjectPermissionGranted')).toHaveLength(1);
    expect(await eventsOf(user.userId, 'UserRestrictionLifted')).toHaveLength(1);
  });

  test('needs its target and one selection', async () => {
    expectSchemaError(await call('POST', '', { action: 'add_to_team', user_ids: [] }), 'must have team_id');
    expectSchemaError(await call('POST', '', { action: 'delete' }), 'must have either user_ids or filters');
    expectSchemaError(await call('POST', '', { action: 'promote', user_ids: [] }), 'action');
  });

  test('of another project, or unknown, is not found', async () => {
    const other = await createProject(send);
    const batch = await start({ action: 'sign_out', user_ids: [] });
    for (const id of [batch.id, unknownId]) {
      expectKnown(await call('GET', `/${id}`, undefined, other), 404, 'USER_BATCH_NOT_FOUND');
      expectKnown(await call('GET', `/${id}/failures`, undefined, other), 404, 'USER_BATCH_NOT_FOUND');
      expectKnown(await call('POST', `/${id}/cancel`, {}, other), 404, 'USER_BATCH_NOT_FOUND');
    }
    await run();
    expect(await read(batch.id)).toMatchObject({ status: 'completed', total: 0 });
  });
});

describe('a batch that is interrupted', () => {
  test('continues where it was, and changes each user once', async () => {
    const ids = await createUsers(12);
    const batch = await start({ action: 'restrict', user_ids: ids });
    await caughtUp();
    await batches.runInterrupted(3);
    expect(await read(batch.id)).toMatchObject({ status: 'completed', done: 12, failed: 0 });
    for (const id of ids) expect(await eventsOf(id, 'UserRestricted')).toHaveLength(1);
    const { events } = await deps.store.readStream(`userbatch-${batch.id}`);
    expect(events.map(({ type }) => type)).toEqual(['UserBatchStarted', 'UserBatchEnded']);
  });

  test('moves once if two processes run it', async () => {
    const ids = await createUsers(8);
    const batch = await start({ action: 'restrict', user_ids: ids });
    await caughtUp();
    await Promise.all([runAll(parts({ pageSize: 2 }), never), runAll(parts({ pageSize: 2 }), never)]);
    await run();
    expect(await read(batch.id)).toMatchObject({ status: 'completed', done: 8, failed: 0 });
    for (const id of ids) expect(await eventsOf(id, 'UserRestricted')).toHaveLength(1);
  });

  test('is deleted if it was stored, but never started', async () => {
    const row = {
      id: deps.newId(),
      projectId: shop.projectId,
      action: 'delete',
      teamId: null,
      permissionId: null,
      undoesBatchId: null,
    } as const;
    expect(await deps.userBatches.add({ ...row, actorKind: 'admin', actorId: null }, [unknownId])).toBe(true);
    await run();
    expect(await read(row.id)).toMatchObject({ status: 'running', done: 0 });
    await run({ write: { ...deps, now: () => new Date(Date.now() + 3 * 60_000).toISOString() } });
    expectKnown(await call('GET', `/${row.id}`), 404, 'USER_BATCH_NOT_FOUND');
  });
});

describe('a batch ends', () => {
  test('when it is canceled, which changes nobody else', async () => {
    const ids = await createUsers(6);
    const batch = await start({ action: 'restrict', user_ids: ids });
    await batches.runOneTurn(2);
    expect(await read(batch.id)).toMatchObject({ status: 'running', done: 2 });
    expect((await call('POST', `/${batch.id}/cancel`, {})).body).toMatchObject({ status: 'canceled', done: 2 });
    await run();
    expect((await call('POST', `/${batch.id}/cancel`, {})).body).toMatchObject({ status: 'canceled', done: 2 });
    const restricted = await Promise.all(ids.map((id) => eventsOf(id, 'UserRestricted')));
    expect(restricted.map(({ length }) => length)).toEqual([1, 1, 0, 0, 0, 0]);
  });

  test('when the member who started it no longer has the role', async () => {
    const project = await createProject(send);
    const [first = '', second = ''] = await createUsers(2, project);
    const support = await addMember(suite, project, 'support');
    const developer = await addMember(suite, project, 'developer');
    const as = (member: typeof support, body: object) => send('POST', batchesPath, asMember(project, member, { body }));
    expectKnown(await as(support, { action: 'delete', user_ids: [first] }), 403, 'PROJECT_ROLE_REQUIRED', {
      ...{ role: 'support', required_role: 'developer' },
    });
    const kept = (await as(support, { action: 'restrict', user_ids: [first] })).body;
    await run();
    expect(await read(kept.id, project)).toMatchObject({ status: 'completed' });
    expect((await eventsOf(first, 'UserRestricted'))[0]?.metadata.actor).toEqual({
      ...{ kind: 'owner', id: support.userId },
    });
    const lost = (await as(developer, { action: 'delete', user_ids: [first, second] })).body;
    const role = { body: { role: 'support' } };
    await send('PUT', `/internal/projects/current/members/${developer.userId}`, asMember(project, project.owner, role));
    await run();
    expect(await read(lost.id, project)).toMatchObject({ status: 'forbidden', done: 0 });
    expect(await eventsOf(second, 'UserDeleted')).toEqual([]);
  });
});
