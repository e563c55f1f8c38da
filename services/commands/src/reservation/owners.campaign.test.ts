import { catalog } from '@gatebook/domain/catalog';
import { DomainError } from '@gatebook/domain/errors';
import { reservationDecider } from '@gatebook/domain/reservation/decide';
import { userDecider } from '@gatebook/domain/user/decide';
import { signsInWith } from '@gatebook/domain/user/sign-in-emails';
import { createCodec } from '@gatebook/eventlog/codec';
import { createKeyring, type Keyring } from '@gatebook/eventlog/encryption/keyring';
import { createMemoryKeyStore } from '@gatebook/eventlog/encryption/memory-key-store';
import { connect } from '@gatebook/eventlog/eventstoredb/connection';
import { type Simulator, startSimulator } from '@gatebook/eventlog/eventstoredb/simulator';
import { createEventStoreDbStore } from '@gatebook/eventlog/eventstoredb/store';
import { createMemoryBlobStore } from '@gatebook/eventlog/large-values/blob-store';
import { ConcurrencyError, type EventStore } from '@gatebook/eventlog/port';
import { newEventId } from '@gatebook/runtime/ids';
import { sized } from '@gatebook/runtime/testing/campaign';
import fc from 'fast-check';
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { Context, WriteDeps } from '../deps.ts';
import { readState } from '../execute.ts';
import { streamOf } from '../streams.ts';
import { signUp, testProject } from '../testing/people.ts';
import { createTurns, type Turn } from '../testing/turns.ts';
import { contextOf, createWorld, testMasterKey } from '../testing/world.ts';
import { createUser } from '../user/create-user.ts';
import { deleteUser } from '../user/delete-user.ts';
import { updateUser } from '../user/update-user.ts';
import { addressRefOf } from './email.ts';

// EventStoreDB appends to one stream at a time. Here every process can be frozen before each of its reads and writes,
// for longer than a reservation waits for its holder.

const email = 'ann@example.com';
const password = 'correct horse';

let simulator: Simulator;
let keyring: Keyring;
beforeAll(async () => {
  simulator = await startSimulator();
  keyring = await createKeyring({ masterKey: testMasterKey, keyStore: createMemoryKeyStore() });
});
afterAll(() => simulator.close());

/** `beforeStep` runs before each read of a stream and before each single write. */
function openStore(beforeStep: () => Promise<void> = async () => undefined) {
  const client = connect(simulator.url);
  const append = client.appendToStream.bind(client);
  Object.defineProperty(client, 'appendToStream', {
    value: async (...call: Parameters<typeof append>) => {
      await beforeStep();
      return append(...call);
    },
  });
  const codec = createCodec({ catalog, keyring, blobs: createMemoryBlobStore(), newEventId });
  const store = createEventStoreDbStore({ client, codec });
  const readStream: EventStore['readStream'] = async (stream) => {
    await beforeStep();
    return store.readStream(stream);
  };
  return { ...store, readStream };
}

type Start = { deps: WriteDeps; ctx: Context; ownerId: string; otherId: string };
const commands = {
  'sign up with the address': ({ deps, ctx }: Start) => signUp(deps, ctx, { email, password }),
  'create a verified user with the address': ({ deps, ctx }: Start) =>
    createUser(deps, ctx, {
      project: testProject,
      primaryEmail: email,
      primaryEmailVerified: true,
      primaryEmailAuthEnabled: true,
    }),
  'give the address to another user': ({ deps, ctx, otherId: userId }: Start) =>
    updateUser(deps, ctx, { userId, project: testProject, primaryEmail: email, primaryEmailAuthEnabled: true }),
  'take the address from its owner': ({ deps, ctx, ownerId: userId }: Start) =>
    updateUser(deps, ctx, { userId, project: testProject, primaryEmail: 'new@example.com' }),
  'give the address to its owner again': ({ deps, ctx, ownerId: userId }: Start) =>
    updateUser(deps, ctx, { userId, project: testProject, primaryEmail: email, primaryEmailAuthEnabled: true }),
  'delete the owner': ({ deps, ctx, ownerId: userId }: Start) => deleteUser(deps, ctx, { userId }),
} as const;
type CommandName = keyof typeof commands;

const turns: fc.Arbitrary<Turn> = fc.record({
  process: fc.nat({ max: 2 }),
  steps: fc.integer({ min: 1, max: 6 }),
  advanceMs: fc.constantFrom(0, 0, 61_000),
});
const scenario = fc.record({
  hasOwner: fc.boolean(),
  processes: fc.array(fc.constantFrom(...(Object.keys(commands) as CommandName[])), { minLength: 2, maxLength: 3 }),
  turns: fc.array(turns, { minLength: 4, maxLength: 12 }),
});

let projects = 0;
async function findOwners({ hasOwner, processes, turns }: typeof scenario extends fc.Arbitrary<infer T> ? T : never) {
  projects += 1;
  const ctx = contextOf(`project-${projects}`);
  const store = openStore();
  const { deps, clock } = await createWorld({ store, keyring });
  const userIds: string[] = [];
  const newId = () => {
    const id = deps.newId();
    userIds.push(id);
    return id;
  };
  const create = async (primaryEmail: string) =>
    (await createUser({ ...deps, newId }, ctx, { project: testProject, primaryEmail, primaryEmailAuthEnabled: true }))
      .userId;
  const ownerId = await create(hasOwner ? email : 'owner@example.com');
  const otherId = await create('other@example.com');
  clock.advance(61_000);

  const opened: { close(): Promise<void> }[] = [store];
  const { run } = createTurns(turns, clock.advance);
  await run(
    processes.map((name) => async (beforeStep: () => Promise<void>) => {
      const frozen = openStore(beforeStep);
      opened.push(frozen);
      try {
        await commands[name]({ deps: { ...deps, newId, store: frozen }, ctx, ownerId, otherId });
      } catch (error) {
        if (!(error instanceof DomainError) && !(error instanceof ConcurrencyError)) throw error;
      }
    }),
  );

  const reservation = await readState(
    store,
    reservationDecider,
    streamOf.reservation('email', addressRefOf(deps, ctx.projectId, email)),
  );
  const owners: string[] = [];
  for (const id of userIds) {
    if (signsInWith((await readState(store, userDecider, streamOf.user(id))).state, email)) owners.push(id);
  }
  for (const { close } of opened) await close();
  return { owners, holderId: reservation.state.status === 'taken' ? reservation.state.holderId : null };
}

/** The first process freezes between its reservation and its user, while the second finds the reservation expired. */
const frozenBetween = {
  hasOwner: false,
  processes: ['sign up with the address' as const, 'sign up with the address' as const],
  turns: [
    { process: 0, steps: 5, advanceMs: 61_000 },
    { process: 1, steps: 30, advanceMs: 0 },
  ],
};

test('an address has at most one owner, the holder of its reservation, even if processes freeze for any time', async () => {
  await fc.assert(
    fc.asyncProperty(scenario, async (given) => {
      const { owners, holderId } = await findOwners(given);
      expect(owners).toEqual(owners.length === 0 ? [] : [holderId]);
    }),
    { numRuns: sized({ inTest: 6, inCampaign: 100 }), examples: [[frozenBetween]] },
  );
});
