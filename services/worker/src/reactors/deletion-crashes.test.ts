import type { Context, WriteDeps } from '@gatebook/commands/deps';
import { readState } from '@gatebook/commands/execute';
import { signInWithPassword } from '@gatebook/commands/password/password';
import { deleteProject, eraseDueProject, restoreProject } from '@gatebook/commands/project/delete-project';
import { createProject } from '@gatebook/commands/project/project';
import { registerPasskey, startPasskeyRegistration } from '@gatebook/commands/sign-in/passkey';
import { streamOf } from '@gatebook/commands/streams';
import { deleteTeam, eraseDueTeam, eraseTeam, restoreTeam } from '@gatebook/commands/team/delete-team';
import { createTeam } from '@gatebook/commands/team/team';
import { signUp, testProject } from '@gatebook/commands/testing/people';
import { contextOf, createWorld, expectRejection, type World } from '@gatebook/commands/testing/world';
import { createUser } from '@gatebook/commands/user/create-user';
import { deleteUser, eraseDueUser, eraseUser, restoreUser } from '@gatebook/commands/user/delete-user';
import { updateUser } from '@gatebook/commands/user/update-user';
import { DomainError } from '@gatebook/domain/errors';
import { projectDecider } from '@gatebook/domain/project/decide';
import { teamDecider } from '@gatebook/domain/team/decide';
import { userDecider } from '@gatebook/domain/user/decide';
import { isNeeded } from '@gatebook/projections/subscriptions/reactor-parts';
import { describe, expect, test } from 'vitest';
import { createEraser } from './erase-subjects.ts';

const died = 'the process died';
const graceDays = 30;
const dayMs = 86_400_000;

/** A process that dies after this many steps: writes of appends, and destructions of keys. */
function dyingAfter(steps: number, deps: WriteDeps): WriteDeps {
  let left = steps;
  const take = () => {
    if (left === 0) throw new Error(died);
    left -= 1;
  };
  return {
    ...deps,
    store: {
      ...deps.store,
      append: async (writes, metadata) => {
        const filled = writes.filter(({ events }) => events.length > 0);
        if (filled.length <= left) {
          left -= filled.length;
          return deps.store.append(writes, metadata);
        }
        const kept = filled.slice(0, left);
        left = 0;
        if (kept.length > 0) await deps.store.append(kept, metadata);
        throw new Error(died);
      },
    },
    eraseSubject: async (...given) => {
      take();
      return deps.eraseSubject(...given);
    },
    eraseAddress: async (...given) => {
      take();
      return deps.eraseAddress(...given);
    },
    eraseProject: async (...given) => {
      take();
      return deps.eraseProject(...given);
    },
  };
}

/** What the worker does with all events so far. It begins again after a crash. */
async function runWorker(write: WriteDeps): Promise<void> {
  const forget = async () => {};
  const eraser = createEraser({
    write,
    activity: { forgetUser: forget, forgetTeam: forget, forgetProject: forget },
    idempotencyRecords: { forget },
    codeKeys: { add: forget },
    forgetWebhooks: forget,
  });
  for (const event of await write.store.readAll(0n, 10_000)) if (isNeeded(eraser, event)) await eraser.react(event);
}

type Status = 'active' | 'awaiting_deletion' | 'deleted';
type CommandName = 'schedule' | 'restore' | 'erase' | 'eraseDue' | 'delete' | 'finish';
/** Something that can be deleted. `nameInLog`: null once its key is destroyed. */
type Thing = {
  commands: Readonly<Record<CommandName, (deps: WriteDeps) => Promise<unknown>>>;
  status: () => Promise<string>;
  nameInLog: () => Promise<unknown>;
  /** What people notice. */
  expectStatus: (status: Status) => Promise<void>;
  /** Once it is erased. */
  expectNothingLeft: () => Promise<void>;
};

const [email, password] = ['ann@example.com', 'correct horse'];

async function prepareUser(world: World): Promise<Thing> {
  const { deps, eventsOf } = world;
  const ctx = contextOf('shop');
  const { userId } = await signUp(deps, ctx, { email, password });
  const { config } = testProject;
  const passkey = {
    credentialId: 'key',
    publicKey: 'k',
    counter: 1,
    transports: [],
    deviceType: 'singleDevice',
  } as const;
  const register = async (id: string) => {
    const { code } = await startPasskeyRegistration(deps, ctx, { userId: id, challenge: 'challenge', config });
    await registerPasskey(deps, ctx, { userId: id, code, credential: passkey, config });
  };
  await register(userId);
  await updateUser(deps, ctx, { userId, project: testProject, displayName: 'Ann' });
  const signIn = () => signInWithPassword(deps, ctx, { email, password, config });
  return {
    commands: {
      schedule: (by) => deleteUser(by, ctx, { userId, graceDays }),
      restore: (by) => restoreUser(by, ctx, { userId }),
      erase: (by) => eraseUser(by, ctx, { userId }),
      eraseDue: (by) => eraseDueUser(by, ctx, { userId }),
      delete: (by) => deleteUser(by, ctx, { userId }),
      finish: runWorker,
    },
    status: async () => (await readState(deps.store, userDecider, streamOf.user(userId))).state.status,
    nameInLog: async () => (await eventsOf('UserRenamed'))[0]?.data.displayName,
    expectStatus: async (status) => {
      if (status === 'active') expect((await signIn()).userId).toBe(userId);
      else await expectRejection(signIn(), 'EMAIL_PASSWORD_MISMATCH');
      // Nobody else gets the address as long as the user can be restored.
      if (status === 'awaiting_deletion') {
        await expectRejection(signUp(deps, ctx, { email, password }), 'USER_EMAIL_ALREADY_EXISTS', { email });
      }
    },
    expectNothingLeft: async () => {
      expect((await eventsOf('ContactChannelAdded'))[0]?.data.value).toBeNull();
      expect(await eventsOf('UserErased')).toHaveLength(1);
      const other = await signUp(deps, ctx, { email, password });
      await register(other.userId);
      expect((await signIn()).userId).toBe(other.userId);
    },
  };
}

async function prepareTeam(world: World): Promise<Thing> {
  const { deps, eventsOf } = world;
  const ctx = contextOf('shop');
  const { team } = await createTeam(deps, ctx, { project: testProject, displayName: 'Crew', creatorId: null });
  const { teamId } = team;
  return {
    commands: {
      schedule: (by) => deleteTeam(by, ctx, { teamId, by: null, graceDays }),
      restore: (by) => restoreTeam(by, ctx, { teamId }),
      erase: (by) => eraseTeam(by, ctx, { teamId }),
      eraseDue: (by) => eraseDueTeam(by, ctx, { teamId }),
      delete: (by) => deleteTeam(by, ctx, { teamId, by: null }),
      finish: runWorker,
    },
    status: async () => (await readState(deps.store, teamDecider, streamOf.team(teamId))).state.status,
    nameInLog: async () => (await eventsOf('TeamCreated'))[0]?.data.displayName,
    expectStatus: async () => {},
    expectNothingLeft: async () => {},
  };
}

async function prepareProject(world: World): Promise<Thing> {
  const { deps, eventsOf } = world;
  const internal = contextOf('internal');
  const made = await createProject(deps, internal, {
    displayName: 'Shop',
    ownerUserId: deps.newId(),
    config: { oauthProviders: [{ id: 'github', type: 'standard', clientId: 'id' }] },
    secrets: { oauthClientSecrets: { github: 'client secret' } },
  });
  const ctx: Context = contextOf(made.projectId);
  const { userId } = await createUser(deps, ctx, { project: testProject, displayName: 'Ann' });
  const names = async () => (await eventsOf('UserCreated')).map(({ data }) => data.displayName);
  return {
    commands: {
      schedule: (by) => deleteProject(by, ctx, { graceDays }),
      restore: (by) => restoreProject(by, ctx),
      erase: (by) => deleteProject(by, ctx),
      eraseDue: (by) => eraseDueProject(by, ctx),
      delete: (by) => deleteProject(by, ctx),
      finish: runWorker,
    },
    status: async () => (await readState(deps.store, projectDecider, streamOf.project(made.projectId))).state.status,
    nameInLog: async () => (await names())[0],
    expectStatus: async () => {},
    expectNothingLeft: async () => {
      expect((await eventsOf('ProjectCreated'))[0]?.data.secrets).toBeNull();
      const rename = updateUser(deps, ctx, { userId, project: testProject, displayName: 'Bo' });
      await expect(rename).rejects.toBeInstanceOf(DomainError);
      const create = createUser(deps, ctx, { project: testProject, displayName: 'Bo' });
      await expectRejection(create, 'PROJECT_NOT_FOUND', { project_id: made.projectId });
    },
  };
}

const kinds = { user: prepareUser, team: prepareTeam, project: prepareProject };
type Scenario = { command: CommandName; after: readonly CommandName[]; from: Status; to: Status };
const scenarios: readonly Scenario[] = [
  { command: 'schedule', after: [], from: 'active', to: 'awaiting_deletion' },
  { command: 'restore', after: ['schedule'], from: 'awaiting_deletion', to: 'active' },
  { command: 'erase', after: ['schedule'], from: 'awaiting_deletion', to: 'deleted' },
  { command: 'eraseDue', after: ['schedule'], from: 'awaiting_deletion', to: 'deleted' },
  { command: 'delete', after: [], from: 'active', to: 'deleted' },
  { command: 'delete', after: ['schedule', 'restore'], from: 'active', to: 'deleted' },
  { command: 'finish', after: ['delete'], from: 'deleted', to: 'deleted' },
];
const cases = Object.entries(kinds).flatMap(([kind, prepare]) =>
  scenarios.map((scenario) => ({ kind, prepare, ...scenario, before: scenario.after.join(', ') || 'nothing' })),
);

const nullIfRejected = (error: unknown) => {
  if (error instanceof DomainError) return null;
  throw error;
};

describe('a process that dies after any write or destroyed key', () => {
  test.each(cases)('of $command of a $kind, after $before, leaves nothing half', async (given) => {
    const { prepare, command, after, from, to } = given;
    for (let steps = 0, isCut = true; isCut; steps += 1) {
      const world = await createWorld();
      const { deps, clock } = world;
      const thing = await prepare(world);
      for (const name of after) {
        // The worker finishes a deletion whose process died before it destroyed any key.
        const isUnfinished = command === 'finish' && name === 'delete';
        await thing.commands[name](isUnfinished ? { ...deps, ...deadKeys } : deps).catch(expectDeath);
      }
      if (command === 'eraseDue') clock.advance(graceDays * dayMs);
      isCut = await thing.commands[command](dyingAfter(steps, deps)).then(() => false, expectDeath);
      const status = await thing.status();
      expect([from, to]).toContain(status);
      // Keys are destroyed only after the deletion is recorded.
      if (status !== 'deleted') {
        expect(await thing.nameInLog()).not.toBeNull();
        await thing.expectStatus(status as Status);
      }
      await runWorker(deps);
      // The client tries again; what is done already is rejected or does nothing.
      await thing.commands[command](deps).catch(nullIfRejected);
      await runWorker(deps);
      expect(await thing.status()).toBe(to);
      if (to === 'deleted') {
        expect(await thing.nameInLog()).toBeNull();
        await thing.expectNothingLeft();
      } else {
        expect(await thing.nameInLog()).not.toBeNull();
        await thing.expectStatus(to);
      }
      if (!isCut) expect(steps).toBeGreaterThan(0);
    }
  });
});

const die = () => Promise.reject(new Error(died));
const deadKeys = { eraseSubject: die, eraseAddress: die, eraseProject: die };

function expectDeath(error: unknown): true {
  expect(error).toMatchObject({ message: died });
  return true;
}
