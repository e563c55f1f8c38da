import { describe, expect, test } from 'vitest';
import { revokeProjectKey } from '../project-key/project-key.ts';
import { createWorld } from '../testing/world.ts';
import { updateProject } from './project.ts';
import { type Seed, seedInternalProject, startContext } from './seed.ts';

const keys = { publishableClientKey: 'pck_one', secretServerKey: 'ssk_one', superSecretAdminKey: 'sak_one' };
const seed: Seed = { keys, isSignUpOpen: false, dashboardUrl: 'http://localhost:8102' };

async function seeded() {
  const world = await createWorld();
  const first = await seedInternalProject(world.deps, seed);
  /** The types of what another start appends. */
  const startAgain = async (change: Partial<Seed> = {}) => {
    const head = await world.deps.store.head();
    const result = await seedInternalProject(world.deps, { ...seed, ...change });
    return { ...result, types: await world.typesAfter(head) };
  };
  const lastConfig = async () =>
    ((await world.eventsOf('ProjectConfigChanged')).at(-1) ?? (await world.eventsOf('ProjectCreated'))[0])?.data.config;
  return { ...world, first, startAgain, lastConfig };
}

describe('the first start', () => {
  test('creates internal with its configuration and keys', async () => {
    const { deps, first, lastConfig, eventsOf } = await seeded();
    expect(await lastConfig()).toEqual({
      signUpEnabled: false,
      credentialEnabled: true,
      magicLinkEnabled: true,
      passkeyEnabled: true,
      clientTeamCreationEnabled: false,
      clientUserDeletionEnabled: false,
      allowUserApiKeys: false,
      allowTeamApiKeys: false,
      allowLocalhost: true,
      createTeamOnSignUp: false,
      oauthAccountMergeStrategy: 'link_method',
      oauthProviders: ['github', 'google', 'microsoft', 'spotify'].map((id) => ({ id, type: 'shared' })),
      domains: [],
      emailConfig: { type: 'shared' },
      userDefaultPermissions: [],
      teamCreatorDefaultPermissions: ['team_admin'],
      teamMemberDefaultPermissions: ['team_member'],
    });
    const [created] = await eventsOf('ProjectCreated');
    expect(created?.data).toMatchObject({ projectId: 'internal', isProductionMode: false });
    expect(created?.data.settings.anonymousSignUpEnabled).toBe(false);
    const [key] = await eventsOf('ProjectKeyCreated');
    expect(key?.data).toMatchObject({
      projectId: 'internal',
      expiresAt: '2099-12-31T23:59:59.000Z',
      publishableClientKey: { hash: deps.sha256('pck_one'), lastFour: '_one' },
    });
    expect(first).toEqual({ areKeysRevoked: false, position: await deps.store.head() });
  });

  test('of several processes creates one internal project and one key set', async () => {
    const { deps, eventsOf } = await createWorld();
    await Promise.all(Array.from({ length: 5 }, () => seedInternalProject(deps, seed)));
    expect(await eventsOf('ProjectCreated')).toHaveLength(1);
    expect(await eventsOf('ProjectKeyCreated')).toHaveLength(1);
  });
});

describe('a later start', () => {
  test('with the same configuration appends nothing', async () => {
    const { startAgain } = await seeded();
    expect(await startAgain()).toEqual({ areKeysRevoked: false, position: null, types: [] });
  });

  test('with other keys replaces the texts of the set', async () => {
    const { deps, startAgain, eventsOf } = await seeded();
    const changed = { keys: { ...keys, secretServerKey: 'ssk_two' } };
    expect((await startAgain(changed)).types).toEqual(['ProjectKeyReplaced']);
    const [replaced] = await eventsOf('ProjectKeyReplaced');
    expect(replaced?.data.keyId).toBe((await eventsOf('ProjectKeyCreated'))[0]?.data.keyId);
    expect(replaced?.data.secretServerKey).toEqual({ hash: deps.sha256('ssk_two'), lastFour: '_two' });
    expect((await startAgain(changed)).types).toEqual([]);
  });

  test('with sign-up opened or closed changes only sign-up, including anonymous sign-up', async () => {
    const { startAgain, eventsOf } = await seeded();
    for (const isSignUpOpen of [true, false]) {
      const { types } = await startAgain({ isSignUpOpen });
      expect(types).toEqual(['ProjectConfigChanged', 'ProjectSettingsChanged']);
      expect((await eventsOf('ProjectConfigChanged')).at(-1)?.data.changed).toEqual(['signUpEnabled']);
      expect((await eventsOf('ProjectSettingsChanged')).at(-1)?.data).toMatchObject({
        settings: { anonymousSignUpEnabled: isSignUpOpen },
        changed: ['anonymousSignUpEnabled'],
      });
    }
  });

  test('is one action', async () => {
    const { startAgain, eventsOf } = await seeded();
    for (const isSignUpOpen of [true, false]) await startAgain({ isSignUpOpen });
    const actions = (await eventsOf('ProjectConfigChanged')).map(({ metadata }) => metadata.requestId);
    expect(new Set(actions).size).toBe(actions.length);
  });

  test('closes an anonymous sign-up that an owner opened', async () => {
    const { deps, startAgain } = await seeded();
    await updateProject(deps, startContext(deps), { settings: { anonymousSignUpEnabled: true } });
    expect((await startAgain()).types).toEqual(['ProjectSettingsChanged']);
  });

  test('at a public URL trusts it once and keeps the domains of owners', async () => {
    const { deps, startAgain, lastConfig } = await seeded();
    const own = { domain: 'https://own.example', handlerPath: '/x' };
    await updateProject(deps, startContext(deps), { config: { domains: [own] } });
    const move = { dashboardUrl: 'https://auth.example' };
    expect((await startAgain(move)).types).toEqual(['ProjectConfigChanged']);
    expect((await lastConfig())?.domains).toEqual([{ domain: 'https://auth.example', handlerPath: '/handler' }, own]);
    expect((await startAgain(move)).types).toEqual([]);
  });

  test.each([
    ['https://auth.example', false],
    ['https://localhost.example', false],
    ['http://192.168.0.4:8102', false],
    ['http://localhost:8102', true],
    ['http://127.0.0.1:8102', true],
  ])('sends codes of the dashboard to localhost only where it is served there: %s', async (dashboardUrl, allowed) => {
    const { startAgain, lastConfig } = await seeded();
    await startAgain({ dashboardUrl });
    expect((await lastConfig())?.allowLocalhost ?? true).toBe(allowed);
    expect((await startAgain({ dashboardUrl })).types).toEqual([]);
  });

  test('resets what the configuration controls and keeps the changes of owners', async () => {
    const { deps, startAgain, lastConfig } = await seeded();
    const config = { magicLinkEnabled: false, allowLocalhost: false, signUpEnabled: true, passkeyEnabled: false };
    await updateProject(deps, startContext(deps), { displayName: 'Ours', config });
    expect((await startAgain()).types).toEqual(['ProjectConfigChanged']);
    const back = { magicLinkEnabled: true, allowLocalhost: true, signUpEnabled: false, passkeyEnabled: false };
    expect(await lastConfig()).toMatchObject(back);
  });

  test('does not restore revoked keys; new texts create a new set', async () => {
    const { deps, startAgain, eventsOf } = await seeded();
    const keyId = (await eventsOf('ProjectKeyCreated'))[0]?.data.keyId ?? '';
    await revokeProjectKey(deps, startContext(deps), { keyId });
    expect(await startAgain()).toEqual({ areKeysRevoked: true, position: null, types: [] });
    const fresh = { keys: { ...keys, publishableClientKey: 'pck_two' } };
    expect(await startAgain(fresh)).toMatchObject({ areKeysRevoked: false, types: ['ProjectKeyCreated'] });
    expect((await eventsOf('ProjectKeyCreated')).at(-1)?.data.keyId).not.toBe(keyId);
    expect((await startAgain(fresh)).types).toEqual([]);
    expect((await startAgain()).areKeysRevoked).toBe(true);
  });
});
