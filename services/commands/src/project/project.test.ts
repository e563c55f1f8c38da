import { defaultProjectConfig, defaultProjectSettings, noProjectSecrets } from '@gatebook/domain/project/config';
import { describe, expect, test } from 'vitest';
import { testProject } from '../testing/people.ts';
import { contextOf, createWorld, expectRejection } from '../testing/world.ts';
import { createUser } from '../user/create-user.ts';
import { deleteUser } from '../user/delete-user.ts';
import { deleteProject, eraseDueProject, restoreProject } from './delete-project.ts';
import { addOwner, createProject, updateProject } from './project.ts';

const internal = contextOf('internal');
const emailConfig = {
  ...({ type: 'standard', host: 'mail.example', port: 587, username: 'shop' } as const),
  senderName: 'Shop',
  senderEmail: 'shop@example.com',
};

async function withProject() {
  const world = await createWorld();
  const owner = await createUser(world.deps, internal, { project: testProject });
  const input = { displayName: 'Shop', ownerUserId: owner.userId };
  const made = await createProject(world.deps, internal, input);
  return { ...world, ...made, owner, ctx: contextOf(made.projectId) };
}

describe('a new project', () => {
  test('has defaults and its first owner, in one append under its own project ID', async () => {
    const { deps, projectId, owner, position, eventsOf } = await withProject();
    const [created] = await eventsOf('ProjectCreated');
    expect(created?.data).toMatchObject({
      projectId,
      displayName: 'Shop',
      description: '',
      isProductionMode: false,
      config: defaultProjectConfig,
      secrets: noProjectSecrets,
      settings: defaultProjectSettings,
    });
    expect(created?.metadata.projectId).toBe(projectId);
    expect((await eventsOf('ProjectOwnerAdded'))[0]?.data).toMatchObject({ projectId, userId: owner.userId });
    expect(position).toBe(await deps.store.head());
  });

  test('takes the given fields and ignores undefined ones', async () => {
    const { deps, eventsOf } = await createWorld();
    const config = { magicLinkEnabled: true, signUpEnabled: undefined };
    const said = { displayName: '', description: 'ours', isProductionMode: true, config };
    await createProject(deps, internal, {
      ...said,
      settings: { keylessClientsAllowed: false },
      ownerUserId: deps.newId(),
    });
    expect((await eventsOf('ProjectCreated'))[0]?.data).toMatchObject({
      displayName: '',
      description: 'ours',
      isProductionMode: true,
      config: { ...defaultProjectConfig, magicLinkEnabled: true },
      settings: { ...defaultProjectSettings, keylessClientsAllowed: false },
    });
  });

  test('with an invalid configuration is rejected', async () => {
    const { deps } = await createWorld();
    const create = (config: Parameters<typeof createProject>[2]['config']) =>
      createProject(deps, internal, { displayName: 'x', ownerUserId: deps.newId(), config });
    await expectRejection(create({ userDefaultPermissions: ['x'] }), 'DEFAULT_PERMISSION_UNKNOWN', {
      permission_id: 'x',
    });
    await expectRejection(
      create({ oauthProviders: [{ id: 'x', type: 'shared' }] }),
      'INVALID_SHARED_OAUTH_PROVIDER_ID',
      {
        provider_id: 'x',
      },
    );
    expect(await deps.store.head()).toBe(0n);
  });
});

describe('an update of a project', () => {
  test('changes details, configuration, secrets and settings in one append', async () => {
    const { deps, ctx, typesAfter, eventsOf } = await withProject();
    const head = await deps.store.head();
    const settings = { anonymousSignUpEnabled: true };
    await updateProject(deps, ctx, {
      displayName: 'Store',
      config: { emailConfig },
      secrets: { emailPassword: 'swordfish' },
      settings,
    });
    expect(await typesAfter(head)).toEqual(['ProjectDetailsChanged', 'ProjectConfigChanged', 'ProjectSettingsChanged']);
    const [changed] = await eventsOf('ProjectConfigChanged');
    expect(changed?.data.changed).toEqual(['emailConfig', 'emailPassword']);
    expect(changed?.data.secrets?.emailPassword).toBe('swordfish');
    expect(JSON.stringify(changed?.data.config)).not.toContain('swordfish');
  });

  test('without changes appends nothing', async () => {
    const { deps, ctx } = await withProject();
    expect((await updateProject(deps, ctx, {})).position).toBeNull();
    expect((await updateProject(deps, ctx, { displayName: 'Shop', config: {}, settings: {} })).position).toBeNull();
  });

  test('with one invalid field changes nothing', async () => {
    const { deps, ctx } = await withProject();
    const head = await deps.store.head();
    const update = updateProject(deps, ctx, { displayName: 'x', config: { teamMemberDefaultPermissions: ['x'] } });
    await expectRejection(update, 'DEFAULT_PERMISSION_UNKNOWN', { permission_id: 'x' });
    expect(await deps.store.head()).toBe(head);
  });

  test('of an unknown project is rejected', async () => {
    const { deps } = await createWorld();
    await expectRejection(updateProject(deps, contextOf('x'), { displayName: 'x' }), 'PROJECT_NOT_FOUND');
  });
});

describe('owners', () => {
  test('must be existing users of internal', async () => {
    const { deps, ctx, owner, eventsOf } = await withProject();
    const second = await createUser(deps, internal, { project: testProject });
    await addOwner(deps, ctx, second);
    expect((await addOwner(deps, ctx, second)).position).toBeNull();
    expect((await eventsOf('ProjectOwnerAdded')).map(({ data }) => data.userId)).toEqual([owner.userId, second.userId]);
    const customer = await createUser(deps, ctx, { project: testProject });
    await expectRejection(addOwner(deps, ctx, customer), 'USER_NOT_FOUND');
    await deleteUser(deps, internal, second);
    await expectRejection(addOwner(deps, ctx, second), 'USER_NOT_FOUND');
    await expectRejection(addOwner(deps, contextOf('x'), owner), 'PROJECT_NOT_FOUND');
  });
});

describe('deleting a project', () => {
  test('is recorded and its secrets are erased', async () => {
    const { deps, ctx, projectId, eventsOf } = await withProject();
    await updateProject(deps, ctx, { config: { emailConfig }, secrets: { emailPassword: 'swordfish' } });
    await deleteProject(deps, ctx);
    expect((await eventsOf('ProjectDeleted')).map(({ data }) => data.projectId)).toEqual([projectId]);
    expect((await eventsOf('ProjectConfigChanged'))[0]?.data.secrets).toBeNull();
    await expectRejection(deleteProject(deps, ctx), 'PROJECT_NOT_FOUND', { project_id: projectId });
    await expectRejection(updateProject(deps, ctx, { displayName: 'x' }), 'PROJECT_NOT_FOUND', {
      project_id: projectId,
    });
  });

  test('with a grace period keeps everything until it ends, and can be taken back', async () => {
    const { deps, ctx, projectId, clock, eventsOf } = await withProject();
    const missing = { project_id: projectId };
    await updateProject(deps, ctx, { config: { emailConfig }, secrets: { emailPassword: 'swordfish' } });
    await deleteProject(deps, ctx, { graceDays: 30 });
    await expectRejection(updateProject(deps, ctx, { displayName: 'x' }), 'PROJECT_NOT_FOUND', missing);
    await expectRejection(deleteProject(deps, ctx, { graceDays: 30 }), 'PROJECT_NOT_FOUND', missing);
    await restoreProject(deps, ctx);
    expect((await restoreProject(deps, ctx)).position).toBeNull();
    await updateProject(deps, ctx, { displayName: 'Shop' });
    expect((await eventsOf('ProjectConfigChanged'))[0]?.data.secrets).toMatchObject({ emailPassword: 'swordfish' });
    await deleteProject(deps, ctx, { graceDays: 1 });
    clock.advance(86_400_000 - 1);
    await expectRejection(eraseDueProject(deps, ctx), 'PROJECT_NOT_FOUND', missing);
    clock.advance(1);
    await eraseDueProject(deps, ctx);
    expect((await eventsOf('ProjectConfigChanged'))[0]?.data.secrets).toBeNull();
    expect(await eventsOf('ProjectClosed')).toHaveLength(1);
    await expectRejection(restoreProject(deps, ctx), 'PROJECT_NOT_FOUND', missing);
  });

  test('with a grace period can be ended at once, and counts toward the quota of its owner until then', async () => {
    const { deps, eventsOf } = await createWorld();
    const ownerUserId = deps.newId();
    const create = () => createProject(deps, contextOf('internal'), { displayName: 'Shop', ownerUserId, limit: 1 });
    const ctx = contextOf((await create()).projectId);
    await deleteProject(deps, ctx, { graceDays: 30 });
    await expectRejection(create(), 'QUOTA_EXCEEDED', { quota: 'projectsPerOwner', limit: 1 });
    await deleteProject(deps, ctx);
    expect(await eventsOf('ProjectClosed')).toHaveLength(1);
    await create();
  });

  test('is rejected for an unknown project', async () => {
    const { deps } = await createWorld();
    await expectRejection(deleteProject(deps, contextOf('x')), 'PROJECT_NOT_FOUND');
  });
});
