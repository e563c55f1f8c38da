import { catalogue } from '@gatebook/domain/catalogue';
import { DomainError } from '@gatebook/domain/errors';
import { createCodec } from '@gatebook/eventlog/codec';
import { ConcurrencyError } from '@gatebook/eventlog/port';
import { createPostgresKeyStore } from '@gatebook/eventlog/postgres/key-store';
import { migrateEventLog } from '@gatebook/eventlog/postgres/migrate';
import { createPostgresEventStore } from '@gatebook/eventlog/postgres/store';
import { createKeyring } from '@gatebook/eventlog/sealing/keyring';
import { newEventId } from '@gatebook/runtime/ids';
import { createListener } from '@gatebook/runtime/listener';
import { createLogger } from '@gatebook/runtime/logger';
import { testDatabase } from '@gatebook/runtime/testing/database';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { issueCode, presentCode, useCode } from './code.ts';
import { metadataOf } from './deps.ts';
import { transact } from './execute.ts';
import { completeOwnerSetup, issueOwnerSetup } from './owner-setup.ts';
import { signInWithPassword } from './password.ts';
import { seedInternalProject } from './seed.ts';
import { signUp, testProject } from './testing/people.ts';
import { contextOf, createWorld, testMasterKey, type World } from './testing/world.ts';
import { createUser, deleteUser, updateUser } from './user.ts';

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
  const codec = createCodec({ catalogue, keyring, newEventId });
  const store = await createPostgresEventStore({ pool: database.pool, listener, codec });
  const close = async () => {
    await store.close();
    await keyring.close();
    await listener.close();
    await database.close();
  };
  return { world: await createWorld({ store, keyring }), close };
}

/** How the tries ended: `done`, or the refusal's code. Anything else is thrown. */
async function outcomesOf(tries: readonly Promise<unknown>[]): Promise<string[]> {
  return (await Promise.allSettled(tries)).map((outcome) => {
    if (outcome.status === 'fulfilled') return 'done';
    if (outcome.reason instanceof DomainError) return outcome.reason.code;
    if (outcome.reason instanceof ConcurrencyError) return 'race lost';
    throw outcome.reason;
  });
}
const count = (outcomes: readonly string[], wanted: string) => outcomes.filter((outcome) => outcome === wanted).length;

describe.each(['memory', 'Postgres'])('at once, on the log in %s', (kind) => {
  let world: World;
  let close = async () => {};
  beforeAll(async () => {
    if (kind === 'memory') world = await createWorld();
    else ({ world, close } = await createPostgresWorld());
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
  }, 30_000);

  test('sign-up, a server’s create and a move to one address: one gets it', async () => {
    const ctx = contextOf('mixed');
    const { userId } = await createUser(world.deps, ctx, {
      ...{ project: testProject, primaryEmail: 'old@example.com', primaryEmailAuthEnabled: true },
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
  }, 30_000);

  test('a deletion and 20 sign-ups with its address leave at most one who signs in', async () => {
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
  }, 30_000);

  test('50 redemptions of one code: one succeeds', async () => {
    const ctx = contextOf('codes');
    const { code } = await issueCode(world.deps, ctx, { purpose: 'sign_in', lifeMs: 60_000 });
    const redeem = async () => {
      const presented = await presentCode(world.deps, ctx, { code, purpose: 'sign_in' });
      await transact(world.deps.store, metadataOf(ctx, world.deps.now()), (work) => useCode(work, presented));
    };
    const outcomes = await outcomesOf(Array.from({ length: 50 }, redeem));
    expect(count(outcomes, 'done')).toBe(1);
    expect(await world.eventsOf('CodeUsed')).toHaveLength(1);
  }, 60_000);

  test('50 redemptions of the set-up link: one owner, and only that user', async () => {
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
  }, 60_000);
});
