import { deleteProject } from '@gatebook/commands/project/delete-project';
import { createProject } from '@gatebook/commands/project/project';
import { deleteTeam } from '@gatebook/commands/team/delete-team';
import { createTeam } from '@gatebook/commands/team/team';
import { testProject } from '@gatebook/commands/testing/people';
import { contextOf, crashBefore, createWorld, expectRejection, to } from '@gatebook/commands/testing/world';
import { createUser } from '@gatebook/commands/user/create-user';
import { deleteUser } from '@gatebook/commands/user/delete-user';
import type { GatebookEvent } from '@gatebook/domain/catalog';
import type { CodePurpose } from '@gatebook/domain/code/events';
import { defaultProjectConfig, defaultProjectSettings, noProjectSecrets } from '@gatebook/domain/project/config';
import { unknownSignIn } from '@gatebook/domain/user/events';
import { migrateProjections } from '@gatebook/projections/projection-versions';
import { runReactor } from '@gatebook/projections/subscriptions/reactor';
import { isNeeded } from '@gatebook/projections/subscriptions/reactor-parts';
import { createRecord, silentLogger as logger, testMetadata } from '@gatebook/projections/testing/test-log';
import { createGatebookLog } from '@gatebook/readmodel/testing/read-side';
import { testDatabase } from '@gatebook/runtime/testing/database';
import { fixedTime as at } from '@gatebook/runtime/testing/fixed';
import { describe, expect, test } from 'vitest';
import { migrateEmailLimits } from '../jobs/email-limits.ts';
import { createCodeKeys } from '../jobs/expired-code-keys.ts';
import { createEraser, destroyKeys } from './erase-subjects.ts';

const idOf = (n: number) => `00000000-0000-4000-8000-${String(n).padStart(12, '0')}`;
const [projectId, subjectId, ann, bo, cem] = [idOf(1), idOf(2), idOf(3), idOf(4), idOf(5)];
const userCreated = (userId: string, ofProject: string): GatebookEvent => ({
  type: 'UserCreated',
  data: {
    ...unknownSignIn,
    ...{
      userId,
      projectId: ofProject,
      displayName: 'X',
      profileImageUrl: null,
      isAnonymous: false,
      method: 'server',
      at,
    },
    clientMetadata: null,
    clientReadOnlyMetadata: null,
    serverMetadata: null,
  },
});
const projectCreated: GatebookEvent = {
  type: 'ProjectCreated',
  data: {
    projectId,
    subjectId,
    displayName: 'Shop',
    description: '',
    isProductionMode: false,
    at,
    config: defaultProjectConfig,
    secrets: noProjectSecrets,
    settings: defaultProjectSettings,
  },
};

test('deleted users, teams and projects and used codes are erased in the log and in all tables; a second run changes nothing', async () => {
  const database = await testDatabase();
  await migrateProjections(database.pool);
  const log = await createGatebookLog();
  const { store, record } = log;
  const world = await createWorld(log);
  const [forgotten, forgottenAnswers]: [string[], string[]] = [[], []];
  const forget = async (id: string) => void forgotten.push(id);
  const activity = { forgetUser: forget, forgetTeam: forget, forgetProject: forget };
  await migrateEmailLimits(database.pool);
  const codeKeys = createCodeKeys(database.pool, world.deps.eraseSubject);
  const eraser = createEraser({
    forgetWebhooks: async (of) => void forgotten.push(`webhooks of ${of.endpointId ?? of.projectId}`),
    write: world.deps,
    activity,
    idempotencyRecords: { forget: async (id) => void forgottenAnswers.push(id) },
    codeKeys,
  });

  const recordOfShop = createRecord(store, { ...testMetadata, projectId });
  await recordOfShop(`project-${projectId}`, projectCreated);
  await recordOfShop(`user-${ann}`, userCreated(ann, projectId));
  for (const userId of [bo, cem]) await record(`user-${userId}`, userCreated(userId, 'internal'));
  const team = (teamId: string, displayName: string): GatebookEvent => ({
    type: 'TeamCreated',
    data: {
      teamId,
      projectId: 'internal',
      subjectId: teamId,
      displayName,
      profileImageUrl: null,
      creatorId: null,
      at,
      clientMetadata: null,
      clientReadOnlyMetadata: null,
      serverMetadata: null,
    },
  });
  await record(`team-${idOf(6)}`, team(idOf(6), 'Gone'));
  await record(`team-${idOf(6)}`, {
    type: 'TeamDeleted',
    data: { teamId: idOf(6), projectId: 'internal', wasScheduled: false, at },
  });
  await record(`team-${idOf(7)}`, team(idOf(7), 'Stays'));
  const endpoint = { endpointId: idOf(20), projectId: 'internal' };
  await record(`webhook-${idOf(20)}`, { type: 'WebhookEndpointDeleted', data: { ...endpoint, at } });
  const code = (n: number, purpose: CodePurpose, expiresAt = at): GatebookEvent => ({
    type: 'CodeIssued',
    data: {
      codeId: `c${n}`,
      subjectId: idOf(n),
      projectId: 'internal',
      purpose,
      codeHash: 'x',
      callbackUrl: null,
      recipient: `to-${n}`,
      addressRef: null,
      payload: {},
      encryptedPayload: null,
      expiresAt,
      at,
    },
  });
  await record('code-c8', code(8, 'team_invitation'));
  await record('code-c8', { type: 'CodeUsed', data: { codeId: 'c8', at } });
  await record('code-c9', code(9, 'sign_in'));
  await record('code-c9', { type: 'CodeUsed', data: { codeId: 'c9', at } });
  await record('code-c10', code(10, 'team_invitation'));
  const later = new Date(Date.parse(at) + 1).toISOString();
  await record('code-c11', code(11, 'oauth_code'));
  await record('code-c12', code(12, 'oauth_authorization_request', later));
  await record('code-c13', code(13, 'oauth_code', later));
  await record('code-c13', { type: 'CodeUsed', data: { codeId: 'c13', at, granted: null } });
  await record(`user-${bo}`, {
    type: 'UserDeleted',
    data: { wasScheduled: false, addressRefs: [], userId: bo, projectId: 'internal', at },
  });
  await recordOfShop(`project-${projectId}`, { type: 'ProjectDeleted', data: { projectId, at } });

  const runToHead = async () => {
    const stop = new AbortController();
    const running = runReactor({ store, pool: database.pool, logger }, eraser, stop.signal);
    const position = async () =>
      (await database.pool.query<{ position: string }>('select position from readmodel.subscriptions')).rows[0]
        ?.position;
    await expect.poll(async () => (await position()) === String(await store.head())).toBe(true);
    stop.abort();
    await running;
  };
  await runToHead();
  const names = async () =>
    (await store.readAll(0n, 100)).flatMap(({ type, data }) => (type === 'UserCreated' ? [data.displayName] : []));
  expect(await names()).toEqual([null, null, 'X']);
  const all = await store.readAll(0n, 100);
  expect(all.flatMap(({ type, data }) => (type === 'TeamCreated' ? [data.displayName] : []))).toEqual([null, 'Stays']);
  const recipients = async () =>
    (await store.readAll(0n, 100)).flatMap(({ type, data }) => (type === 'CodeIssued' ? [data.recipient] : []));
  expect(await recipients()).toEqual([null, 'to-9', 'to-10', 'to-11', 'to-12', null]);
  await codeKeys.eraseExpired(at, 10, new AbortController().signal);
  expect(await recipients()).toEqual([null, 'to-9', 'to-10', null, 'to-12', null]);
  await codeKeys.eraseExpired(later, 10, new AbortController().signal);
  expect(await recipients()).toEqual([null, 'to-9', 'to-10', null, null, null]);
  expect((await database.pool.query('select 1 from worker.code_keys')).rowCount).toBe(0);
  const forgottenWebhooks = [`webhooks of ${idOf(20)}`, `webhooks of ${projectId}`];
  expect(forgotten.filter((one) => one.startsWith('webhooks'))).toEqual(forgottenWebhooks);
  expect(forgotten.filter((one) => !one.startsWith('webhooks'))).toEqual([idOf(6), bo, projectId]);
  expect(forgottenAnswers).toEqual([idOf(6), bo, projectId]);
  expect(all.filter(({ type }) => type === 'UserErased')).toHaveLength(1);

  await database.pool.query('delete from readmodel.subscriptions');
  await runToHead();
  expect(await names()).toEqual([null, null, 'X']);
  await database.close();
});

test('stored responses about a user or a team are forgotten when the deletion is scheduled', async () => {
  const { deps } = await createWorld();
  const forgotten: string[] = [];
  const unused = async () => expect.fail('nothing else is forgotten');
  const eraser = createEraser({
    forgetWebhooks: async () => undefined,
    write: deps,
    activity: { forgetUser: unused, forgetTeam: unused, forgetProject: unused },
    idempotencyRecords: { forget: async (id) => void forgotten.push(id) },
    codeKeys: { add: unused },
  });
  const ctx = contextOf('internal');
  const { userId } = await createUser(deps, ctx, { project: testProject, displayName: 'Ann' });
  await deleteUser(deps, ctx, { userId, graceDays: 30 });
  const { team } = await createTeam(deps, ctx, { displayName: 'Crew', creatorId: null, project: testProject });
  await deleteTeam(deps, ctx, { teamId: team.teamId, by: null, graceDays: 30 });
  const events = await deps.store.readAll(0n, 100);
  for (const event of events) if (isNeeded(eraser, event)) await eraser.react(event);
  expect(forgotten).toEqual([userId, team.teamId]);
});

describe('a deleted project', () => {
  const createShop = async () => {
    const world = await createWorld();
    const forget = async () => undefined;
    const eraser = createEraser({
      forgetWebhooks: async () => undefined,
      write: world.deps,
      activity: { forgetUser: forget, forgetTeam: forget, forgetProject: forget },
      idempotencyRecords: { forget },
      codeKeys: { add: forget },
    });
    const ctx = contextOf(
      (
        await createProject(world.deps, contextOf('internal'), {
          displayName: 'Shop',
          ownerUserId: world.deps.newId(),
        })
      ).projectId,
    );
    const { userId } = await createUser(world.deps, ctx, { project: testProject });
    const react = async () => {
      for (const event of await world.deps.store.readAll(0n, 100)) await eraser.react(event);
    };
    return { ...world, ctx, userId, react };
  };

  test('is closed by the eraser if its deletion was cut off, once', async () => {
    const { deps, ctx, react, eventsOf } = await createShop();
    await expect(deleteProject(crashBefore(to('projectclosure'), deps), ctx)).rejects.toThrow('died');
    await react();
    await react();
    expect(await eventsOf('ProjectClosed')).toHaveLength(1);
    await expectRejection(createUser(deps, ctx, { project: testProject }), 'PROJECT_NOT_FOUND', {
      project_id: ctx.projectId,
    });
  });

  test('with many keys is left for the next process when this one stops', async () => {
    const { deps, ctx } = await createShop();
    const stop = new AbortController();
    let calls = 0;
    const eraseProject = async (_projectId: string, limit: number) => {
      calls += 1;
      if (calls === 2) stop.abort();
      return limit;
    };
    await expect(destroyKeys({ ...deps, eraseProject }, ctx.projectId, stop.signal)).rejects.toThrow('aborted');
    expect(calls).toBe(2);
  });

  test('does not stop the eraser at a user who was deleted before', async () => {
    const { deps, ctx, userId, react, eventsOf } = await createShop();
    await deleteUser(deps, ctx, { userId });
    await deleteProject(deps, ctx);
    await react();
    expect(await eventsOf('UserErased')).toHaveLength(0);
  });
});
