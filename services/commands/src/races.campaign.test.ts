import { catalog } from '@gatebook/domain/catalog';
import { DomainError } from '@gatebook/domain/errors';
import { membershipDecider } from '@gatebook/domain/membership/decide';
import { expandPermissions, idsOf } from '@gatebook/domain/permission/effective';
import { createCodec } from '@gatebook/eventlog/codec';
import { createKeyring } from '@gatebook/eventlog/encryption/keyring';
import { createMemoryKeyStore } from '@gatebook/eventlog/encryption/memory-key-store';
import { connect } from '@gatebook/eventlog/eventstoredb/connection';
import { startSimulator } from '@gatebook/eventlog/eventstoredb/simulator';
import { createEventStoreDbStore } from '@gatebook/eventlog/eventstoredb/store';
import { createMemoryBlobStore } from '@gatebook/eventlog/large-values/blob-store';
import { ConcurrencyError } from '@gatebook/eventlog/port';
import { createPostgresBlobStore } from '@gatebook/eventlog/postgres/blob-store';
import { createPostgresKeyStore } from '@gatebook/eventlog/postgres/key-store';
import { migrateEventLog } from '@gatebook/eventlog/postgres/migrate';
import { createPostgresEventStore } from '@gatebook/eventlog/postgres/store';
import { newEventId } from '@gatebook/runtime/ids';
import { createListener } from '@gatebook/runtime/listener';
import { createLogger } from '@gatebook/runtime/logger';
import { isCampaign } from '@gatebook/runtime/testing/campaign';
import { testDatabase } from '@gatebook/runtime/testing/database';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { issueCode, presentCode, useCode } from './code/code.ts';
import { readState, transact } from './execute.ts';
import { signInWithPassword } from './password/password.ts';
import { definePermission, deletePermission, redefinePermission } from './permission/definitions.ts';
import { grantTeamPermission } from './permission/grants.ts';
import { completeOwnerSetup, issueOwnerSetup } from './project/owner-setup.ts';
import { findActiveProject } from './project/project.ts';
import { seedInternalProject } from './project/seed.ts';
import { streamOf } from './streams.ts';
import { deleteTeam } from './team/delete-team.ts';
import { addTeamMember, removeTeamMember } from './team/team.ts';
import { acceptInvitation, inviteToTeam } from './team/team-invitation.ts';
import { lastMail } from './testing/mailbox.ts';
import { callbackUrl, signUp, testProject } from './testing/people.ts';
import { withTeam } from './testing/teams.ts';
import { contextOf, createWorld, testMasterKey, type World } from './testing/world.ts';
import { createUser } from './user/create-user.ts';
import { deleteUser } from './user/delete-user.ts';
import { updateUser } from './user/update-user.ts';

const config = { credentialEnabled: true, signUpEnabled: true };
const password = 'correct horse';
const keys = { publishableClientKey: 'pck_one', secretServerKey: 'ssk_one', superSecretAdminKey: 'sak_one' };

async function createPostgresWorld(): Promise<{ world: World; close: () => Promise<void> }> {
  const database = await testDatabase();
  await migrateEventLog(database.pool);
  const listener = createListener(database.url, { name: 'races', logger: createLogger({ level: 'silent' }) });
  const keyring = await createKeyring({
    masterKey: testMasterKey,
    keyStore: createPostgresKeyStore(database.pool, listener),
  });
  const codec = createCodec({ catalog, keyring, blobs: createPostgresBlobStore(database.pool), newEventId });
  const store = await createPostgresEventStore({ pool: database.pool, listener, codec });
  const close = async () => {
    await store.close();
    await keyring.close();
    await listener.close();
    await database.close();
  };
  return { world: await createWorld({ store, keyring }), close };
}

async function createEventStoreDbWorld(): Promise<{ world: World; close: () => Promise<void> }> {
  const simulator = await startSimulator();
  const keyring = await createKeyring({ masterKey: testMasterKey, keyStore: createMemoryKeyStore() });
  const codec = createCodec({ catalog, keyring, blobs: createMemoryBlobStore(), newEventId });
  const store = createEventStoreDbStore({ client: connect(simulator.url), codec });
  const close = async () => {
    await store.close();
    await simulator.close();
  };
  return { world: await createWorld({ store, keyring }), close };
}

/** How the tries ended: `done`, or the rejection's code. Anything else is thrown. */
async function outcomesOf(tries: readonly Promise<unknown>[]): Promise<string[]> {
  return (await Promise.allSettled(tries)).map((outcome) => {
    if (outcome.status === 'fulfilled') return 'done';
    if (outcome.reason instanceof DomainError) return outcome.reason.code;
    if (outcome.reason instanceof ConcurrencyError) return 'race lost';
    throw outcome.reason;
  });
}
const count = (outcomes: readonly string[], wanted: string) => outcomes.filter((outcome) => outcome === wanted).length;

const logs = ['memory', 'Postgres', ...(isCampaign ? ['the simulator for EventStoreDB'] : [])];

describe.each(logs)('at once, on the log in %s', (kind) => {
  let world: World;
  let close = async () => {};
  beforeAll(async () => {
    if (kind === 'memory') world = await createWorld();
    else ({ world, close } = await (kind === 'Postgres' ? createPostgresWorld() : createEventStoreDbWorld()));
  });
  afterAll(() => close());

  test('100 sign-ups with one address make one user', async () => {
    const ctx = contextOf('sign-ups');
    const emails = Array.from({ length: 100 }, (_, nth) => (nth % 2 ? 'Race@Example.com' : 'race@example.com'));
    const outcomes = await outcomesOf(emails.map((email) => signUp(world.deps, ctx, { email, password, config })));
    expect(count(outcomes, 'done')).toBe(1);
    expect(count(outcomes, 'USER_EMAIL_ALREADY_EXISTS')).toBe(99);
    const created = (await world.eventsOf('UserCreated')).filter(({ data }) => data.projectId === 'sign-ups');
    expect(created).toHaveLength(1);
    const signedIn = await signInWithPassword(world.deps, ctx, { email: 'RACE@example.com', password, config });
    expect(signedIn.userId).toBe(created[0]?.data.userId);
  });

  test('of sign-up, creation and change of address for one address, one succeeds', async () => {
    const ctx = contextOf('mixed');
    const { userId } = await createUser(world.deps, ctx, {
      project: testProject,
      primaryEmail: 'old@example.com',
      primaryEmailAuthEnabled: true,
    });
    const primaryEmail = 'wanted@example.com';
    const tries: Promise<unknown>[] = [updateUser(world.deps, ctx, { userId, project: testProject, primaryEmail })];
    for (let nth = 0; nth < 10; nth += 1) {
      tries.push(signUp(world.deps, ctx, { email: primaryEmail, password, config }));
      tries.push(createUser(world.deps, ctx, { project: testProject, primaryEmail, primaryEmailAuthEnabled: true }));
    }
    const outcomes = await outcomesOf(tries);
    expect(count(outcomes, 'done')).toBe(1);
    expect(count(outcomes, 'USER_EMAIL_ALREADY_EXISTS')).toBe(20);
  });

  test('a deletion and 20 sign-ups with its address leave at most one user who can sign in', async () => {
    const ctx = contextOf('deletion');
    const credentials = { email: 'gone@example.com', password, config };
    const { userId } = await signUp(world.deps, ctx, credentials);
    const outcomes = await outcomesOf([
      deleteUser(world.deps, ctx, { userId }),
      ...Array.from({ length: 20 }, () => signUp(world.deps, ctx, credentials)),
    ]);
    expect(outcomes[0]).toBe('done');
    expect(count(outcomes.slice(1), 'done')).toBeLessThanOrEqual(1);
    expect(count(outcomes, 'done') + count(outcomes, 'USER_EMAIL_ALREADY_EXISTS')).toBe(21);
  });

  test('of 50 redemptions of one code, one succeeds', async () => {
    const ctx = contextOf('codes');
    const { code } = await issueCode(world.deps, ctx, { purpose: 'sign_in', lifeMs: 60_000 });
    const redeem = async () => {
      const presented = await presentCode(world.deps, ctx, { code, purpose: 'sign_in' });
      await transact(world.deps, ctx, (work) => useCode(work, presented));
    };
    const outcomes = await outcomesOf(Array.from({ length: 50 }, redeem));
    expect(count(outcomes, 'done')).toBe(1);
    expect(await world.eventsOf('CodeUsed')).toHaveLength(1);
  });

  test('50 redemptions of the setup link make one owner and one user', async () => {
    const ctx = contextOf('internal');
    await seedInternalProject(world.deps, { keys, isSignUpOpen: false, dashboardUrl: 'http://localhost:8102' });
    const tokens = [await issueOwnerSetup(world.deps), await issueOwnerSetup(world.deps)];
    const outcomes = await outcomesOf(
      Array.from({ length: 50 }, (_, nth) => {
        const token = tokens[nth % 2]?.token ?? '';
        const person = { email: `owner${nth}@example.com`, password, displayName: null };
        return completeOwnerSetup(world.deps, ctx, { token, ...person });
      }),
    );
    expect(count(outcomes, 'done')).toBe(1);
    const owners = await world.eventsOf('ProjectOwnerAdded');
    const users = (await world.eventsOf('UserCreated')).filter(({ data }) => data.projectId === 'internal');
    expect(users.map(({ data }) => data.userId)).toEqual(owners.map(({ data }) => data.userId));
    expect(owners).toHaveLength(1);
    expect(await issueOwnerSetup(world.deps)).toBeNull();
  });

  test('of two admins who remove each other, one stays', async () => {
    for (let round = 0; round < 5; round += 1) {
      const { ctx, teamId, creatorId: ann, newUser, project } = await withTeam(world);
      const bob = await newUser();
      await addTeamMember(world.deps, ctx, { teamId, userId: bob, project });
      await grantTeamPermission(world.deps, ctx, { teamId, userId: bob, permissionId: 'team_admin' });
      const remove = (userId: string, by: string) => removeTeamMember(world.deps, ctx, { teamId, userId, by });
      const outcomes = await outcomesOf([remove(bob, ann), remove(ann, bob)]);
      expect(outcomes.toSorted()).toEqual(['TEAM_MEMBERSHIP_NOT_FOUND', 'done']);
    }
  });

  test('of 20 users who accept one invitation, one joins', async () => {
    const { ctx, teamId, newUser, project } = await withTeam(world);
    const email = 'friend@example.com';
    await inviteToTeam(world.deps, ctx, { teamId, email, callbackUrl, by: null, project });
    const { code } = await lastMail(world);
    const users = await Promise.all(Array.from({ length: 20 }, newUser));
    // The 20th presentation is the last that a code bears.
    const outcomes = await outcomesOf(
      users.map((userId) => acceptInvitation(world.deps, ctx, { code, userId, project })),
    );
    expect(count(outcomes, 'done')).toBe(1);
    const joined = (await world.eventsOf('TeamMemberAdded')).filter(({ data }) => data.teamId === teamId);
    expect(joined).toHaveLength(2);
  });

  test('a grant concurrent with the deletion of its definition is rejected or has no effect', async () => {
    for (let round = 0; round < 5; round += 1) {
      const { ctx, teamId, creatorId: userId } = await withTeam(world);
      const boss = { scope: 'team', id: 'boss', description: null, contained: [] } as const;
      await definePermission(world.deps, ctx, boss);
      const outcomes = await outcomesOf([
        grantTeamPermission(world.deps, ctx, { teamId, userId, permissionId: 'boss' }),
        deletePermission(world.deps, ctx, boss),
      ]);
      expect(outcomes[1]).toBe('done');
      expect(['done', 'PERMISSION_NOT_FOUND']).toContain(outcomes[0]);
      const definitions = (await findActiveProject(world.deps, ctx.projectId))?.permissions ?? [];
      const member = await readState(world.deps.store, membershipDecider, streamOf.membership(teamId, userId));
      const granted = member.state.status === 'member' ? member.state.permissions : [];
      expect(idsOf(definitions, expandPermissions(definitions, granted))).not.toContain('boss');
    }
  });

  test('of two definitions that start to contain each other, one succeeds', async () => {
    const { ctx } = await withTeam(world);
    const define = (id: string) =>
      definePermission(world.deps, ctx, { scope: 'team', id, description: null, contained: [] });
    await define('a');
    await define('b');
    const contain = (id: string, other: string) =>
      redefinePermission(world.deps, ctx, { scope: 'team', id, change: { contained: [other] } });
    const outcomes = await outcomesOf([contain('a', 'b'), contain('b', 'a')]);
    expect(outcomes.toSorted()).toEqual(['PERMISSION_CYCLE', 'done']);
  });

  test('of joining and deleting a team, the later one is rejected or has no effect', async () => {
    const { ctx, teamId, newUser, project } = await withTeam(world);
    const userId = await newUser();
    const outcomes = await outcomesOf([
      addTeamMember(world.deps, ctx, { teamId, userId, project }),
      deleteTeam(world.deps, ctx, { teamId, by: null }),
    ]);
    expect(outcomes[1]).toBe('done');
    expect(['done', 'TEAM_NOT_FOUND']).toContain(outcomes[0]);
    const again = removeTeamMember(world.deps, ctx, { teamId, userId, by: null });
    await expect(again).rejects.toMatchObject({ code: 'TEAM_MEMBERSHIP_NOT_FOUND' });
  });
});
