import { DomainError } from '@gatebook/domain/errors';
import { type UserCommand, userDecider } from '@gatebook/domain/user/decide';
import { expect, test } from 'vitest';
import { transact } from '../execute.ts';
import { createProject } from '../project/project.ts';
import { testProject } from '../testing/people.ts';
import { contextOf, createWorld } from '../testing/world.ts';
import { decideOnUser } from './decide-on-user.ts';
import { type ImportedUser, importUsers } from './import-users.ts';

async function setUp() {
  const world = await createWorld();
  const owner = { displayName: 'Shop', ownerUserId: world.deps.newId() };
  const { projectId } = await createProject(world.deps, contextOf('internal'), owner);
  const { store } = world.deps;
  const appends: number[] = [];
  const append: typeof store.append = (writes, metadata) => {
    appends.push(writes.length);
    return store.append(writes, metadata);
  };
  const deps = { ...world.deps, store: { ...store, append } };
  const user = (email: string) => {
    const address = { primaryEmail: email, primaryEmailAuthEnabled: true };
    return { id: deps.newId(), project: testProject, ...address };
  };
  const importEach = (users: readonly ImportedUser[]) => importUsers(deps, contextOf(projectId), users);
  const run = (emails: readonly string[]) => importEach(emails.map(user));
  const decide = (userId: string, command: UserCommand) =>
    transact(deps, contextOf(projectId), (work) =>
      decideOnUser(work, { userId, commands: [command], at: world.deps.now() }),
    );
  const stateOf = async (userId: string) => (await store.foldStream(`user-${userId}`, userDecider)).state;
  return { run, importEach, user, appends, decide, stateOf, now: world.deps.now };
}
const codeOf = (outcome: unknown) => (outcome instanceof DomainError ? outcome.code : outcome);

test('users are created by one append', async () => {
  const { run, appends } = await setUp();
  expect(await run(['a@x.example', 'b@x.example', 'c@x.example'])).toEqual(['created', 'created', 'created']);
  // A reservation and a user each, and the guard of the project.
  expect(appends).toEqual([7]);
});

test('of two batches with one address, one user is rejected, and the batch is not repeated', async () => {
  const { run, appends } = await setUp();
  const outcomes = await Promise.all([run(['a@x.example', 'same@x.example']), run(['same@x.example', 'b@x.example'])]);
  expect(outcomes.flat().map(codeOf).toSorted()).toEqual([
    ...['USER_EMAIL_ALREADY_EXISTS', 'created', 'created', 'created'],
  ]);
  expect(appends.filter((writes) => writes > 3)).toHaveLength(2);
});

test('the nil UUID is the ID of nobody', async () => {
  const { importEach, user, appends } = await setUp();
  const nobody = { ...user('a@x.example'), id: '00000000-0000-0000-0000-000000000000' };
  expect((await importEach([nobody])).map(codeOf)).toEqual(['USER_ID_TAKEN']);
  expect(appends).toEqual([]);
});

test('a user who no longer has the address of the import gets no password from it', async () => {
  const { importEach, user } = await setUp();
  const ann = user('ann@x.example');
  await importEach([ann]);
  const passwordHash = '$2b$10$abcdefghijklmnopqrstuuMTYnDGRzMWmMJUvxGJRZqHLqSdPWwPW';
  const now = { primaryEmail: 'eve@x.example', primaryEmailAuthEnabled: true, passwordHash };
  expect((await importEach([{ ...ann, ...now }])).map(codeOf)).toEqual(['existing']);
  expect((await importEach([{ ...ann, passwordHash }])).map(codeOf)).toEqual(['completed']);
});

test('a second run does not bring back what the user removed', async () => {
  const { importEach, user, decide, stateOf, now } = await setUp();
  const github = { id: 'github', type: 'shared' } as const;
  const project = { ...testProject, config: { ...testProject.config, oauthProviders: [github] } };
  const oauthAccounts = ['1', '2'].map((accountId) => ({ provider: 'github', accountId, email: null }));
  const ann = { ...user('ann@x.example'), project, totpSecret: 'MTIzNDU2Nzg5MDEyMzQ1Njc4OTA=', oauthAccounts };
  await importEach([{ ...ann, oauthAccounts: oauthAccounts.slice(0, 1) }]);
  const before = await stateOf(ann.id);
  const [account] = before.status === 'active' ? before.oauthAccounts : [];
  await decide(ann.id, { type: 'UnlinkOAuthAccount', id: account?.id ?? '', keepsSignIn: false, at: now() });
  await decide(ann.id, { type: 'ChangeTotpSecret', secret: null, at: now() });
  expect(await importEach([ann])).toEqual(['completed']);
  expect(await stateOf(ann.id)).toMatchObject({ totp: null, oauthAccounts: [{ accountId: '2' }] });
  expect(await importEach([ann])).toEqual(['existing']);
});
