import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { given } from '../spec.ts';
import { defaultProjectConfig, defaultProjectSettings, noProjectSecrets, type ProjectConfig } from './config.ts';
import { decideProject, projectDecider } from './decide.ts';
import type { ProjectEvent } from './events.ts';
import { initialState } from './state.ts';

const at = '2026-01-15T12:00:00.000Z';
const projectId = '00000000-0000-4000-8000-000000000001';
const subjectId = '00000000-0000-4000-8000-000000000002';
const ann = '00000000-0000-4000-8000-000000000003';
const bo = '00000000-0000-4000-8000-000000000004';
const details = { displayName: 'Shop', description: '', isProductionMode: false };
const parts = { config: defaultProjectConfig, secrets: noProjectSecrets, settings: defaultProjectSettings };
const create = { type: 'CreateProject', projectId, subjectId, details, ...parts, at } as const;
const created: ProjectEvent = { type: 'ProjectCreated', data: { projectId, subjectId, ...details, ...parts, at } };
const internal: ProjectEvent = { type: 'ProjectCreated', data: { ...created.data, projectId: 'internal' } };
const scheduled: ProjectEvent = {
  type: 'ProjectDeletionScheduled',
  data: { projectId, deleteAt: '2026-02-14T12:00:00.000Z', at },
};
const canceled: ProjectEvent = { type: 'ProjectDeletionCanceled', data: { projectId, at } };
const deleted: ProjectEvent = { type: 'ProjectDeleted', data: { projectId, at } };
const ownerAdded: ProjectEvent = { type: 'ProjectOwnerAdded', data: { projectId, userId: ann, at } };
const ownerRemoved: ProjectEvent = { type: 'ProjectOwnerRemoved', data: { projectId, userId: ann, at } };
const sender = { senderName: 'Shop', senderEmail: 'shop@example.com' };
const changeConfig = (config: Partial<ProjectConfig>, secrets = {}) =>
  ({ type: 'ChangeConfig', config, secrets, at }) as const;
const configChanged = (
  config: Partial<ProjectConfig>,
  changed: string[],
  secrets = noProjectSecrets,
): ProjectEvent => ({
  type: 'ProjectConfigChanged',
  data: { projectId, subjectId, config: { ...defaultProjectConfig, ...config }, secrets, changed, at },
});

describe('a project', () => {
  test('is created', () => given(projectDecider).when(create).then(created));
  test('takes defaults for missing fields', () =>
    given(projectDecider)
      .when({
        type: 'CreateProject',
        projectId,
        subjectId,
        details: { displayName: 'Shop' },
        at,
        config: { signUpEnabled: undefined, domains: [] },
        secrets: {},
        settings: {},
      })
      .then(created));
  test('changes its details and keeps missing fields', () =>
    given(projectDecider, created)
      .when({ type: 'ChangeDetails', details: { displayName: 'Store', description: undefined }, at })
      .then({
        type: 'ProjectDetailsChanged',
        data: { projectId, ...details, displayName: 'Store', changed: ['displayName'], at },
      }));
  test('does not change when nothing differs', () => {
    given(projectDecider, created)
      .when({ type: 'ChangeDetails', details: { displayName: 'Shop' }, at })
      .then();
    given(projectDecider, created)
      .when(changeConfig({ signUpEnabled: true, domains: [] }))
      .then();
    given(projectDecider, created).when({ type: 'ChangeSettings', settings: {}, at }).then();
  });
  test('changes one switch and keeps the others', () =>
    given(projectDecider, created)
      .when(changeConfig({ magicLinkEnabled: true }))
      .then(configChanged({ magicLinkEnabled: true }, ['magicLinkEnabled'])));
  test('keeps lists sorted, with the last entry of a repeated ID', () =>
    given(projectDecider, created)
      .when(
        changeConfig({
          oauthProviders: [
            { id: 'spotify', type: 'shared' },
            { id: 'github', type: 'shared' },
            { id: 'github', type: 'standard', clientId: 'id' },
          ],
          domains: [
            { domain: 'https://b.example', handlerPath: '/handler' },
            { domain: 'https://A.example', handlerPath: '/handler' },
          ],
        }),
      )
      .then(
        configChanged(
          {
            oauthProviders: [
              { id: 'github', type: 'standard', clientId: 'id' },
              { id: 'spotify', type: 'shared' },
            ],
            domains: [
              { domain: 'https://A.example', handlerPath: '/handler' },
              { domain: 'https://b.example', handlerPath: '/handler' },
            ],
          },
          ['oauthProviders', 'domains'],
        ),
      ));
  test('stores secrets separately from the configuration', () => {
    const secrets = { ...noProjectSecrets, emailPassword: 'swordfish' };
    const emailConfig = { type: 'standard' as const, host: 'mail.example', port: 587, username: 'shop', ...sender };
    const standard = configChanged({ emailConfig }, ['emailConfig', 'emailPassword'], secrets);
    given(projectDecider, created)
      .when(changeConfig({ emailConfig }, { emailPassword: 'swordfish' }))
      .then(standard);
    given(projectDecider, created, standard)
      .when(changeConfig({ emailConfig }, { emailPassword: 'tuna' }))
      .then(configChanged({ emailConfig }, ['emailPassword'], { ...secrets, emailPassword: 'tuna' }));
  });
  test('removes secrets that are no longer used', () => {
    const github = { id: 'github', type: 'standard', clientId: 'id' } as const;
    const withGithub = configChanged({ oauthProviders: [github] }, ['oauthProviders', 'oauthClientSecrets'], {
      ...noProjectSecrets,
      oauthClientSecrets: { github: 'secret' },
    });
    given(projectDecider, created)
      .when(changeConfig({ oauthProviders: [github] }, { oauthClientSecrets: { github: 'secret', google: 'stray' } }))
      .then(withGithub);
    given(projectDecider, created, withGithub)
      .when(changeConfig({ oauthProviders: [] }))
      .then(configChanged({}, ['oauthProviders', 'oauthClientSecrets']));
    given(projectDecider, created)
      .when(changeConfig({}, { emailPassword: 'swordfish' }))
      .then();
  });
  test('changes its settings', () => {
    const settings = { ...defaultProjectSettings, anonymousSignUpEnabled: true };
    given(projectDecider, created)
      .when({ type: 'ChangeSettings', settings: { anonymousSignUpEnabled: true }, at })
      .then({ type: 'ProjectSettingsChanged', data: { projectId, settings, changed: ['anonymousSignUpEnabled'], at } });
  });
  test('is deleted', () => given(projectDecider, created).when({ type: 'DeleteProject', at }).then(deleted));
  test('that awaits deletion is like a deleted one, until it is restored', () => {
    const schedule = { type: 'ScheduleDeletion', graceDays: 30, at } as const;
    given(projectDecider, created).when(schedule).then(scheduled);
    given(projectDecider, internal).when(schedule).thenRejected('INTERNAL_PROJECT_NOT_DELETABLE');
    for (const command of [schedule, { type: 'AddOwner', userId: ann, at }] as const) {
      given(projectDecider, created, scheduled)
        .when(command)
        .thenRejected('PROJECT_NOT_FOUND', { project_id: projectId });
    }
    given(projectDecider, created, scheduled).when({ type: 'RestoreProject', at }).then(canceled);
    given(projectDecider, created).when({ type: 'RestoreProject', at }).then();
    const events = [created, scheduled, canceled];
    expect(events.reduce(projectDecider.evolve, initialState)).toEqual(projectDecider.evolve(initialState, created));
  });
  test('that awaits deletion can be deleted for good, and then not restored', () => {
    given(projectDecider, created, scheduled).when({ type: 'DeleteProject', at }).then(deleted);
    for (const events of [
      [created, scheduled, deleted],
      [created, deleted],
    ]) {
      given(projectDecider, ...events)
        .when({ type: 'RestoreProject', at })
        .thenRejected('PROJECT_NOT_FOUND', { project_id: projectId });
    }
  });
});

describe('a transfer', () => {
  const teamId = '00000000-0000-4000-8000-000000000004';
  const transfer = { type: 'TransferProject', teamId, at } as const;
  const teamChanged: ProjectEvent = { type: 'ProjectOwnerTeamChanged', data: { projectId, teamId, at } };
  test('makes the team the only owner', () => {
    given(projectDecider, created).when(transfer).then(teamChanged);
    given(projectDecider, created, ownerAdded).when(transfer).then(teamChanged, ownerRemoved);
    given(projectDecider, created, teamChanged, ownerAdded).when(transfer).then(ownerRemoved);
    given(projectDecider, created, teamChanged).when(transfer).then();
  });
  test('of internal is rejected', () =>
    given(projectDecider, internal).when(transfer).thenRejected('INTERNAL_PROJECT_NOT_TRANSFERABLE'));
});

describe('owners', () => {
  const add = { type: 'AddOwner', userId: ann, at } as const;
  const addFirst = { type: 'AddFirstOwner', userId: ann, awaitingDeletion: [], at } as const;
  const remove = { type: 'RemoveOwner', userId: ann, at } as const;
  test('are added once', () => {
    given(projectDecider, created).when(add).then(ownerAdded);
    given(projectDecider, created, ownerAdded).when(add).then();
  });
  test('are removed once', () => {
    given(projectDecider, created, ownerAdded).when(remove).then(ownerRemoved);
    given(projectDecider, created).when(remove).then();
  });
  test('are added with the setup link only once', () => {
    given(projectDecider, created).when(addFirst).then(ownerAdded);
    given(projectDecider, created, ownerAdded).when(addFirst).thenRejected('SETUP_ALREADY_COMPLETED');
    const beside = { ...addFirst, awaitingDeletion: [bo] };
    const boAdded: ProjectEvent = { type: 'ProjectOwnerAdded', data: { projectId, userId: bo, at } };
    given(projectDecider, created, boAdded).when(beside).then(ownerAdded);
    given(projectDecider, created, boAdded, ownerAdded).when(beside).thenRejected('SETUP_ALREADY_COMPLETED');
  });
});

describe('is rejected', () => {
  test('for every command on an unknown project', () =>
    given(projectDecider).when({ type: 'ChangeDetails', details: {}, at }).thenRejected('PROJECT_NOT_FOUND'));
  test('for every command on a deleted project', () =>
    given(projectDecider, created, deleted)
      .when(changeConfig({}))
      .thenRejected('PROJECT_NOT_FOUND', { project_id: projectId }));
  test('deleting internal', () =>
    given(projectDecider, internal).when({ type: 'DeleteProject', at }).thenRejected('INTERNAL_PROJECT_NOT_DELETABLE'));
  test('a shared provider without shared keys', () =>
    given(projectDecider, created)
      .when(changeConfig({ oauthProviders: [{ id: 'discord', type: 'shared' }] }))
      .thenRejected('INVALID_SHARED_OAUTH_PROVIDER_ID', { provider_id: 'discord' }));
  test.each(['teamCreatorDefaultPermissions', 'teamMemberDefaultPermissions', 'userDefaultPermissions'] as const)(
    'an unknown id in %s',
    (list) =>
      given(projectDecider, created)
        .when(changeConfig({ [list]: ['nobody_knows'] }))
        .thenRejected('DEFAULT_PERMISSION_UNKNOWN', { permission_id: 'nobody_knows' }),
  );
  test('a new project with a faulty configuration', () =>
    given(projectDecider)
      .when({ ...create, config: { ...defaultProjectConfig, userDefaultPermissions: ['x'] } })
      .thenRejected('DEFAULT_PERMISSION_UNKNOWN', { permission_id: 'x' }));
});

test('erased secrets of a project are read as none', () => {
  const state = projectDecider.evolve(initialState, {
    type: 'ProjectCreated',
    data: { ...created.data, secrets: null },
  });
  expect(decideProject(changeConfig({}), state)).toEqual([]);
});

test('repeating a configuration change changes nothing', () => {
  const id = fc.constantFrom('google', 'github', 'microsoft', 'spotify');
  const config = fc.record(
    {
      signUpEnabled: fc.boolean(),
      oauthProviders: fc.array(fc.record({ id, type: fc.constantFrom('shared', 'standard') })),
      domains: fc.array(
        fc.record({
          domain: fc.constantFrom('https://a.example', 'https://A.example', 'https://b.example'),
          handlerPath: fc.constant('/handler'),
        }),
      ),
      teamMemberDefaultPermissions: fc.array(fc.constantFrom('team_admin', 'team_member', '$read_members')),
    },
    { requiredKeys: [] },
  ) as fc.Arbitrary<Partial<ProjectConfig>>;
  fc.assert(
    fc.property(config, (change) => {
      const state = projectDecider.evolve(initialState, created);
      const after = decideProject(changeConfig(change), state).reduce(projectDecider.evolve, state);
      expect(decideProject(changeConfig(change), after)).toEqual([]);
    }),
  );
});
