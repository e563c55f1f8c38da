import type { GatebookAdminApp } from '@gatebook/js/admin';
import type { GatebookServerApp } from '@gatebook/js/server';
import { expect } from 'vitest';
import type { Call } from './kinds.ts';
import type { World } from './world.ts';

const adminAppOf = (world: World) => world.adminApp() as unknown as GatebookAdminApp;

/** A user who has been renamed from Ann to Anna, and the event that says so. */
async function renamed(world: World) {
  const app = adminAppOf(world);
  const user = await app.createUser({ displayName: 'Ann' });
  await user.update({ displayName: 'Anna' });
  const { items } = await app.listAuditEvents({ targetId: user.id });
  const [rename, creation] = items;
  if (!rename || !creation) return expect.fail('the audit log has no rename');
  return { app, user, rename, creation };
}

/** Methods of Gatebook's admin app, and of its server app, that read and undo history. */
export const historyCases: Readonly<Record<string, Call>> = {
  'StackServerApp.at': async (world) => {
    const { user, creation } = await renamed(world);
    const past = (world.serverApp() as unknown as GatebookServerApp).at(creation.id);
    expect(await past.getUser(user.id)).toMatchObject({ displayName: 'Ann' });
    await expect(past.createUser({ displayName: 'Bob' })).rejects.toThrow('The past is read-only');
  },
  'StackAdminApp.at': async (world) => {
    const { app, user, creation, rename } = await renamed(world);
    const past = app.at(creation.id);
    expect(await past.getUser(user.id)).toMatchObject({ displayName: 'Ann' });
    expect(await past.at(rename.at).getUser(user.id)).toMatchObject({ displayName: 'Anna' });
    expect(await past.getProject()).toMatchObject({ id: app.projectId });
    await expect(past.undoAction(rename.actionId)).rejects.toThrow('The past is read-only');
    expect(await app.getUser(user.id)).toMatchObject({ displayName: 'Anna' });
  },
  'StackAdminApp.listAuditEvents': async (world) => {
    const { rename, creation } = await renamed(world);
    expect([rename.type, creation.type]).toEqual(['UserRenamed', 'UserCreated']);
    expect(rename).toMatchObject({ at: expect.any(Date), actor: { kind: 'admin' }, outcome: 'success' });
  },
  'StackAdminApp.followAuditEvents': async (world) => {
    const { app, user } = await renamed(world);
    const connected = Promise.withResolvers<void>();
    const followed = app.followAuditEvents({ targetId: user.id, onConnection: () => connected.resolve() });
    const next = followed.next();
    await connected.promise;
    await user.update({ displayName: 'Bob' });
    expect((await next).value).toMatchObject({ type: 'UserRenamed', cursor: expect.any(String) });
    await followed.return();
  },
  'StackAdminApp.exportAuditLog': async (world) => {
    const { app, user, creation, rename } = await renamed(world);
    const lines = (await new Response(await app.exportAuditLog({ targetId: user.id })).text()).trim().split('\n');
    const [created, changed, end] = lines.map((line) => JSON.parse(line));
    expect([created, changed]).toMatchObject([{ id: creation.id }, { id: rename.id }]);
    expect(end).toMatchObject({ end: true, count: 2 });
  },
  'StackAdminApp.getAuditEvent': async (world) => {
    const { app, rename } = await renamed(world);
    const { changes, undo } = await app.getAuditEvent(rename.id);
    expect(changes).toEqual([{ field: 'display_name', before: 'Ann', after: 'Anna', isRedacted: false }]);
    expect(undo).toEqual({ state: 'possible', reasons: [] });
  },
  'StackAdminApp.getAuditTimeline': async (world) => {
    const { app, user, rename } = await renamed(world);
    const fromMillis = rename.at.getTime() - 60_000;
    const buckets = await app.getAuditTimeline({
      ...{ targetId: user.id, type: 'UserRenamed', fromMillis },
      ...{ untilMillis: fromMillis + 120_000, buckets: 2 },
    });
    expect(buckets.map(({ count }) => count)).toEqual([0, 1]);
  },
  'StackAdminApp.listAuditEventTypes': async (world) => {
    const types = await adminAppOf(world).listAuditEventTypes();
    expect(types).toContainEqual(expect.objectContaining({ type: 'UserRenamed', isReversible: true }));
  },
  'StackAdminApp.getAuditChain': async (world) => {
    const { app, rename } = await renamed(world);
    const { actionId } = await app.undoAction(rename.actionId);
    const chain = await app.getAuditChain(rename.id);
    expect(chain).toMatchObject({ actionId: rename.actionId, causes: [], isTruncated: false });
    expect(chain.effects).toContainEqual(expect.objectContaining({ type: 'UserRenamed', actionId }));
  },
  'StackAdminApp.compareStates': async (world) => {
    const { app, user, creation, rename } = await renamed(world);
    const moments = { from: creation.id, to: rename.id };
    expect(await app.compareStates({ targetType: 'user', targetId: user.id, ...moments })).toMatchObject({
      existedBefore: true,
      changes: [{ field: 'display_name', before: 'Ann', after: 'Anna' }],
      events: [{ id: rename.id, at: rename.at }],
    });
  },
  'StackAdminApp.explainPermission': async (world) => {
    const { app, user } = await renamed(world);
    const team = await app.createTeam({ displayName: 'Band' });
    const question = { userId: user.id, permissionId: '$invite_members', teamId: team.id };
    expect(await app.explainPermission(question)).toMatchObject({ isGranted: false });
    await team.addUser(user.id);
    await user.grantPermission(team, '$invite_members');
    expect(await app.explainPermission(question)).toMatchObject({ isGranted: true, teamId: team.id });
  },
  'StackAdminApp.explainRejection': async (world) => {
    await expect(adminAppOf(world).explainRejection('0'.repeat(16))).rejects.toMatchObject({
      code: 'REJECTION_NOT_FOUND',
    });
    const path = '/users/me';
    const { headers } = await world.send('GET', path, { ...world.project, access: 'server' });
    const rejection = await adminAppOf(world).explainRejection(String(headers['x-stack-request-id']));
    expect(rejection).toMatchObject({ errorCode: 'CANNOT_GET_OWN_USER_WITHOUT_USER' });
  },
  'StackAdminApp.preview': async (world) => {
    const { app, user } = await renamed(world);
    const path = `/users/${user.id}`;
    const preview = await app.preview({ method: 'PATCH', path, body: { display_name: 'Bob' } });
    expect(preview).toMatchObject({
      status: 200,
      changes: [{ target: { type: 'user', id: user.id }, field: 'display_name', before: 'Anna', after: 'Bob' }],
      isReversible: true,
    });
    expect(await app.getUser(user.id)).toMatchObject({ displayName: 'Anna' });
  },
  'StackAdminApp.writePreviewed': async (world) => {
    const { app, user } = await renamed(world);
    const call = { method: 'PATCH', path: `/users/${user.id}`, body: { display_name: 'Bob' } } as const;
    const { etag } = await app.preview(call);
    await app.writePreviewed(call, etag ?? '');
    expect(await app.getUser(user.id)).toMatchObject({ displayName: 'Bob' });
    await expect(app.writePreviewed(call, etag ?? '')).rejects.toMatchObject({ code: 'PREVIEW_OUTDATED' });
  },
  'StackAdminApp.getAction': async (world) => {
    const { app, rename } = await renamed(world);
    const action = await app.getAction(rename.actionId);
    expect(action).toMatchObject({ id: rename.actionId, undo: { state: 'possible' }, undoesActionId: null });
    expect(action.events.map(({ id }) => id)).toContain(rename.id);
  },
  'StackAdminApp.undoAction': async (world) => {
    const { app, user, rename } = await renamed(world);
    const undone = await app.undoAction(rename.actionId);
    expect(undone).toMatchObject({ undoesActionId: rename.actionId, warnings: [] });
    expect(await app.getUser(user.id)).toMatchObject({ displayName: 'Ann' });
    await expect(app.undoAction(rename.actionId)).rejects.toMatchObject({ code: 'ACTION_ALREADY_UNDONE' });
    await app.undoAction(undone.actionId);
    expect(await app.getUser(user.id)).toMatchObject({ displayName: 'Anna' });
  },
};
