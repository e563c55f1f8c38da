import { addMember, asMember } from '@gatebook/api/testing/members';
import { changeSettings, createProject, expectKnown, signUp, unknownId } from '@gatebook/api/testing/requests';
import { startSuite } from '@gatebook/api/testing/suite';
import { addOwner } from '@gatebook/commands/project/project';
import { runAll } from '@gatebook/worker/user-batches/run-user-batches';
import { describe, expect, onTestFinished, test, vi } from 'vitest';
import { batchesPath, never, startBatches } from '../testing/batches.ts';

/* The undo of batches of users over the API, with the worker in this process. */

const suite = await startSuite();
const { api, send } = suite;
const { deps } = api;
const batches = await startBatches(suite);
const { shop, call, parts, caughtUp, run, read, createUsers, eventsOf, start } = batches;

type Project = typeof shop;
const undo = async (id: string, of: Project = shop) => {
  const answer = await call('POST', `/${id}/undo`, {}, of);
  expect(answer.status).toBe(201);
  return answer.body;
};
const preview = async (id: string, of: Project = shop) => (await call('POST', `/${id}/undo/preview`, {}, of)).body;
const completed = async (body: object, of: Project = shop) => {
  const batch = await start(body, of);
  await run();
  return batch;
};
const completedUndo = async (id: string, of: Project = shop) => {
  const batch = await undo(id, of);
  await run();
  return read(batch.id, of);
};
const failuresOf = async (id: string, of: Project = shop) => (await call('GET', `/${id}/failures`, undefined, of)).body;
const restrictionOf = async (id: string, of: Project = shop) => {
  // As a client library that reads these fields.
  const headers = { 'x-stack-client-version': 'js @stackframe/js@2.8.108' };
  const { body } = await send('GET', `/users/${id}`, { ...of, access: 'server', headers });
  return body.restricted_by_admin ? body.restricted_by_admin_reason : undefined;
};
const restrict = (id: string, reason: string) =>
  send('PATCH', `/users/${id}`, {
    ...{ ...shop, access: 'server' },
    body: { restricted_by_admin: true, restricted_by_admin_reason: reason },
  });

describe('the undo of a batch', () => {
  test('restores each user, except those who have changed since, and says how many these are before', async () => {
    const [before = '', changed = '', erased = '', ...plain] = await createUsers(6);
    await restrict(before, 'Old');
    const user_ids = [before, changed, erased, ...plain];
    const batch = await completed({ action: 'restrict', reason: 'Spam', user_ids });
    await restrict(changed, 'Fraud');
    await send('DELETE', `/users/${erased}`, { ...shop, access: 'server' });
    await caughtUp();
    const found = await preview(batch.id);
    expect(found).toMatchObject({ count: 6, previewed: 6, changed: 4, unchanged: 0, is_reversible: true });
    const codes = found.rejections.map(({ code, count }: { code: string; count: number }) => [code, count]);
    expect(codes).toEqual([
      ['UNDO_CONFLICT', 1],
      ['ACTION_NOT_REVERSIBLE', 1],
    ]);
    const undone = await undo(batch.id);
    expect(undone).toMatchObject({ action: 'undo', undoes_batch_id: batch.id, status: 'running', total: 6 });
    await run({ pageSize: 2 });
    expect(await read(undone.id)).toMatchObject({ status: 'completed', done: 6, failed: 2 });
    expect(await Promise.all([before, changed, ...plain].map((id) => restrictionOf(id)))).toEqual([
      ...['Old', 'Fraud', undefined, undefined, undefined],
    ]);
    const [event] = await eventsOf(plain[0] ?? '', 'UserRestrictionLifted');
    expect(event?.metadata).toMatchObject({ actor: { kind: 'admin' }, requestId: `batch ${undone.id} ${plain[0]}` });
    const failures = await failuresOf(undone.id);
    expect(failures.items).toMatchObject([
      { user_id: changed, code: 'UNDO_CONFLICT' },
      { user_id: erased, code: 'ACTION_NOT_REVERSIBLE' },
    ]);
    const stored = { id: undone.id, projectId: shop.projectId };
    const [conflict] = await deps.userBatches.listFailures(stored, { after: -1, limit: 1 });
    expect(conflict).toMatchObject({ userId: changed, details: { conflicts: [] } });
    const query = `target_id=${undone.id}&order=asc`;
    const audit = await send('GET', `/internal/audit-events?${query}`, { ...shop, access: 'admin' });
    expect(audit.body.items.map(({ text }: { text: string }) => text)).toEqual([
      'Started a batch: undo another batch, 6 users',
      'Completed a batch of users',
    ]);
  });

  test('can be undone, and again, and each only once', async () => {
    const ids = await createUsers(3);
    const batch = await completed({ action: 'restrict', reason: 'Spam', user_ids: ids });
    const answers = await Promise.all([1, 2].map(() => call('POST', `/${batch.id}/undo`, {})));
    expect(answers.map(({ status }) => status).sort()).toEqual([201, 409]);
    await run();
    const undone = await read(answers.find(({ status }) => status === 201)?.body.id);
    expect(undone).toMatchObject({ status: 'completed', done: 3, failed: 0 });
    const redone = await completedUndo(undone.id);
    expect(redone).toMatchObject({ status: 'completed', done: 3, failed: 0 });
    expect(await Promise.all(ids.map((id) => restrictionOf(id)))).toEqual(['Spam', 'Spam', 'Spam']);
    const error = `This action was already undone by the action batch ${undone.id}.`;
    expect(await preview(batch.id)).toMatchObject({
      ...{ count: 3, changed: 0, unchanged: 0 },
      rejections: [{ code: 'ACTION_ALREADY_UNDONE', error, count: 3 }],
    });
    expect(await completedUndo(batch.id)).toMatchObject({ status: 'completed', done: 3, failed: 3 });
    expect(await completedUndo(redone.id)).toMatchObject({ status: 'completed', done: 3, failed: 0 });
    expect(await Promise.all(ids.map((id) => restrictionOf(id)))).toEqual([undefined, undefined, undefined]);
  });

  test('skips users whom the batch did not change, and leaves out those whose change failed', async () => {
    const [first = '', second = ''] = await createUsers(2);
    await restrict(first, 'Fraud');
    const batch = await completed({ action: 'restrict', user_ids: [first, second, unknownId] });
    expect(await preview(batch.id)).toMatchObject({ count: 2, changed: 1, unchanged: 1, rejections: [] });
    expect(await completedUndo(batch.id)).toMatchObject({ total: 2, done: 2, failed: 0 });
    expect(await Promise.all([first, second].map((id) => restrictionOf(id)))).toEqual(['Fraud', undefined]);
  });

  test('restores deletions, takes back permissions and memberships, but revives no session', async () => {
    const project = await createProject(send);
    await changeSettings(send, project, { user_deletion_grace_days: 30 });
    const user = await signUp(send, project);
    const server = { ...project, access: 'server' } as const;
    const definition = { id: 'read_all', description: '' };
    await send('POST', '/project-permission-definitions', { ...project, access: 'admin', body: definition });
    const team = (await send('POST', '/teams', { ...server, body: { display_name: 'Editors' } })).body.id;
    const listed = async (path: string) => (await send('GET', path, server)).body.items.length;
    const count = () =>
      Promise.all([
        listed(`/project-permissions?user_id=${user.userId}&recursive=false`),
        listed(`/teams?user_id=${user.userId}`),
        listed('/users'),
      ]);
    const user_ids = [user.userId];
    await caughtUp();
    const signedOut = await completed({ action: 'sign_out', user_ids }, project);
    const failed = await completedUndo(signedOut.id, project);
    expect(failed).toMatchObject({ done: 1, failed: 1 });
    expect((await failuresOf(failed.id, project)).items[0].error).toContain('Ended sessions stay ended.');
    const before = await count();
    for (const body of [
      { action: 'grant_permission', permission_id: 'read_all', user_ids },
      { action: 'add_to_team', team_id: team, user_ids },
      { action: 'delete', user_ids },
    ]) {
      const batch = await completed(body, project);
      const after = body.action === 'delete' ? null : await count();
      const undone = await completedUndo(batch.id, project);
      expect(undone).toMatchObject({ status: 'completed', done: 1, failed: 0 });
      expect(await count()).toEqual(before);
      const redone = await completedUndo(undone.id, project);
      expect(redone).toMatchObject({ status: 'completed', done: 1, failed: 0 });
      if (after) expect(await count()).toEqual(after);
      expect(await completedUndo(redone.id, project)).toMatchObject({ done: 1, failed: 0 });
      expect(await count()).toEqual(before);
    }
  });

  test('lists why a user can’t be undone with the error that the preview says', async () => {
    const team = (await send('POST', '/teams', { ...shop, access: 'server', body: { display_name: 'Crew' } })).body.id;
    const user_ids = await createUsers(1);
    const batch = await completed({ action: 'add_to_team', team_id: team, user_ids });
    await send('DELETE', `/teams/${team}`, { ...shop, access: 'server' });
    await caughtUp();
    const [expected] = (await preview(batch.id)).rejections;
    expect(expected).toMatchObject({ code: 'ACTION_NOT_REVERSIBLE', count: 1 });
    const undone = await completedUndo(batch.id);
    const { code, error } = expected;
    expect((await failuresOf(undone.id)).items).toEqual([{ user_id: user_ids[0], code, error }]);
  });

  test('continues where it was after a process ended, and undoes each user once', async () => {
    const ids = await createUsers(9);
    const batch = await completed({ action: 'restrict', user_ids: ids });
    const undone = await undo(batch.id);
    await caughtUp();
    await batches.runInterrupted(3);
    expect(await read(undone.id)).toMatchObject({ status: 'completed', done: 9, failed: 0 });
    for (const id of ids) expect(await eventsOf(id, 'UserRestrictionLifted')).toHaveLength(1);
    const redone = await undo(undone.id);
    await Promise.all([runAll(parts({ pageSize: 2 }), never), runAll(parts({ pageSize: 2 }), never)]);
    await run();
    expect(await read(redone.id)).toMatchObject({ status: 'completed', done: 9, failed: 0 });
    for (const id of ids) expect(await eventsOf(id, 'UserRestricted')).toHaveLength(2);
  });

  test('waits until the audit log has what the batch changed', async () => {
    const [user = ''] = await createUsers(1);
    const batch = await completed({ action: 'restrict', user_ids: [user] });
    const undone = await undo(batch.id);
    const { db } = deps;
    const withoutAudit = {
      db: {
        ...db,
        rows: (async (query, ...rest) =>
          query.name.startsWith('list-audit-events') ? [] : db.rows(query, ...rest)) as typeof db.rows,
      },
      readModels: { reached: async () => 'behind' as const },
    };
    await run(withoutAudit);
    expect(await read(undone.id)).toMatchObject({ status: 'running', done: 0 });
    await run();
    expect(await read(undone.id)).toMatchObject({ status: 'completed', done: 1, failed: 0 });
    expect(await restrictionOf(user)).toBeUndefined();
  });

  test('waits once per turn for users whom the batch did not change', async () => {
    const ids = await createUsers(6);
    for (const id of ids) await restrict(id, 'Old');
    const batch = await completed({ action: 'restrict', user_ids: ids });
    const undone = await undo(batch.id);
    const reached = vi.fn(deps.readModels.reached);
    await run({ readModels: { reached }, pageSize: 3 });
    expect(await read(undone.id)).toMatchObject({ status: 'completed', done: 6, failed: 0 });
    expect(reached).toHaveBeenCalledTimes(2);
  });

  test('has a preview that says whether the audit log has all events', async () => {
    const batch = await completed({ action: 'restrict', user_ids: await createUsers(1) });
    const stateOf = async () => (await call('POST', `/${batch.id}/undo/preview`, {})).headers['x-read-model'];
    expect(await stateOf()).toBeUndefined();
    const reached = vi.spyOn(deps.readModels, 'reached').mockResolvedValue('behind');
    onTestFinished(() => reached.mockRestore());
    expect(await stateOf()).toBe('behind');
  });

  test('of a canceled batch restores those who were changed, and can be canceled itself', async () => {
    const ids = await createUsers(30);
    const batch = await start({ action: 'restrict', user_ids: ids });
    expectKnown(await call('POST', `/${batch.id}/undo`, {}), 409, 'USER_BATCH_RUNNING');
    expectKnown(await call('POST', `/${batch.id}/undo/preview`, {}), 409, 'USER_BATCH_RUNNING');
    await batches.runOneTurn(5);
    await call('POST', `/${batch.id}/cancel`, {});
    // The users of a turn can have been changed after that.
    expect(await preview(batch.id)).toMatchObject({ count: 25, changed: 5, unchanged: 20 });
    const undone = await undo(batch.id);
    await batches.runOneTurn(3);
    expect((await call('POST', `/${undone.id}/cancel`, {})).body).toMatchObject({ status: 'canceled', done: 3 });
    const rest = await completedUndo(batch.id);
    expect(rest).toMatchObject({ total: 25, done: 25, failed: 3 });
    const lifted = await Promise.all(ids.map((id) => eventsOf(id, 'UserRestrictionLifted')));
    expect(lifted.flat()).toHaveLength(5);
  });

  test('of another project, or unknown, is not found', async () => {
    const other = await createProject(send);
    const batch = await completed({ action: 'restrict', user_ids: [] });
    for (const id of [batch.id, unknownId]) {
      expectKnown(await call('POST', `/${id}/undo`, {}, other), 404, 'USER_BATCH_NOT_FOUND');
      expectKnown(await call('POST', `/${id}/undo/preview`, {}, other), 404, 'USER_BATCH_NOT_FOUND');
    }
  });
});

describe('a batch is undone by members', () => {
  test('who may undo the change of each user', async () => {
    const project = await createProject(send);
    await changeSettings(send, project, { user_deletion_grace_days: 30 });
    const [first = ''] = await createUsers(1, project);
    const support = await addMember(suite, project, 'support');
    const developer = await addMember(suite, project, 'developer');
    const as = (member: typeof support, id: string, rest = '') =>
      send('POST', `${batchesPath}/${id}/undo${rest}`, asMember(project, member, { body: {} }));
    const needsDeveloper = { role: 'support', required_role: 'developer' };
    const deleted = await completed({ action: 'delete', user_ids: [first] }, project);
    const restored = (await as(support, deleted.id)).body;
    await run();
    expect(await read(restored.id, project)).toMatchObject({ status: 'completed', done: 1, failed: 0 });
    expectKnown(await as(support, restored.id), 403, 'PROJECT_ROLE_REQUIRED', needsDeveloper);
    expect((await as(support, restored.id, '/preview')).body.rejections).toMatchObject([
      { code: 'PROJECT_ROLE_REQUIRED', count: 1 },
    ]);
    const again = (await as(developer, restored.id)).body;
    const role = { body: { role: 'support' } };
    await send('PUT', `/internal/projects/current/members/${developer.userId}`, asMember(project, project.owner, role));
    await run();
    expect(await read(again.id, project)).toMatchObject({ status: 'completed', done: 1, failed: 1 });
    expect((await failuresOf(again.id, project)).items).toMatchObject([{ code: 'PROJECT_ROLE_REQUIRED' }]);
    expect((await send('GET', `/users/${first}`, { ...project, access: 'server' })).status).toBe(200);
  });

  test('who are left out where the undo could end their session', async () => {
    const [owner, other] = [await signUp(send), await signUp(send)];
    const internal = { projectId: 'internal', keys: api.keys, owner };
    const ctx = { projectId: 'internal', actor: { kind: 'system', id: null }, requestId: deps.newId() } as const;
    await addOwner(deps, ctx, { userId: owner.userId });
    await caughtUp();
    const user_ids = [owner.userId, other.userId];
    const body = { display_name: 'Crew' };
    const team_id = (await send('POST', '/teams', { ...internal, access: 'server', body })).body.id;
    const joined = await completed({ action: 'add_to_team', team_id, user_ids }, internal);
    const lifted = await completed({ action: 'lift_restriction', user_ids }, internal);
    const undone = await completedUndo(lifted.id, internal);
    const countFor = async (id: string) =>
      (await send('POST', `${batchesPath}/${id}/undo/preview`, asMember(internal, owner, { body: {} }))).body.count;
    expect(await Promise.all([joined, lifted, undone].map(({ id }) => countFor(id)))).toEqual([2, 1, 1]);
    expect((await preview(lifted.id, internal)).count).toBe(2);
    expect((await preview(undone.id, internal)).count).toBe(2);
  });
});
