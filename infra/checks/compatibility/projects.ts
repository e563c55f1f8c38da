import { newEmail, password } from '@gatebook/api/testing/requests';
import type * as newest from 'stack-js-2-8-108';
import { expect } from 'vitest';
import { expectOk } from './expectations.ts';
import type { Cases, Kind } from './kinds.ts';
import { quietly, type World } from './world.ts';

async function owner(world: World): Promise<newest.CurrentInternalUser> {
  const app = world.internalApp();
  expectOk(await app.signUpWithCredential({ email: newEmail(), password, ...quietly }));
  return app.getUser({ or: 'throw' });
}

export async function ownedProject(world: World) {
  const user = await owner(world);
  const project = await user.createProject({ displayName: 'Shop', teamId: null as never });
  return { user, project };
}

/** A team of project `internal`, where only servers create teams. */
async function teamOf(world: World, creator_user_id: string): Promise<string> {
  const body = { display_name: 'Owners', creator_user_id };
  return (await world.send('POST', '/teams', { access: 'server', body, keys: world.api.keys })).body.id;
}

const ownerCases: Cases = {
  createProject: async (world) => {
    const { project } = await ownedProject(world);
    expect(project).toMatchObject({ displayName: 'Shop', config: { signUpEnabled: true } });
    const customer = await project.app.createUser({ displayName: 'First customer' });
    expect((await project.app.listUsers()).map(({ id }) => id)).toEqual([customer.id]);
    return project;
  },
  listOwnedProjects: async (world) => {
    const { user, project } = await ownedProject(world);
    const projects = await user.listOwnedProjects();
    expect(projects.map(({ id }) => id)).toEqual([project.id]);
    return projects;
  },
  transferProject: async (world) => {
    const user = await owner(world);
    const [from, to] = [await teamOf(world, user.id), await teamOf(world, user.id)];
    const project = await user.createProject({ displayName: 'Shop', teamId: from });
    await user.transferProject(project.id, to);
    expect(await project.app.getProject()).toMatchObject({ id: project.id, ownerTeamId: to });
  },
};

const projectCases: Cases = {
  update: async (world) => {
    const { project } = await ownedProject(world);
    await project.update({ description: 'changed', config: { clientUserDeletionEnabled: true } });
    const changed = { description: 'changed', config: { clientUserDeletionEnabled: true } };
    expect(await project.app.getProject()).toMatchObject(changed);
  },
  delete: async (world) => {
    const { user, project } = await ownedProject(world);
    await project.delete();
    expect(await user.listOwnedProjects()).toEqual([]);
  },
  getProductionModeErrors: async (world) => {
    const { project } = await ownedProject(world);
    const errors = await project.getProductionModeErrors();
    expect(errors).toContainEqual({ message: expect.any(String), relativeFixUrl: expect.any(String) });
  },
  getConfig: async (world) => {
    const { project } = await ownedProject(world);
    expect(await project.getConfig()).toMatchObject({ auth: { password: { allowSignIn: true } } });
  },
  updateConfig: async (world) => {
    const { project } = await ownedProject(world);
    await project.updateConfig({ 'auth.otp.allowSignIn': true });
    expect(await project.getConfig()).toMatchObject({ auth: { otp: { allowSignIn: true } } });
    expect(await project.app.getProject()).toMatchObject({ config: { magicLinkEnabled: true } });
  },
  pushConfig: async (world) => {
    const { project } = await ownedProject(world);
    await project.pushConfig({ 'auth.otp.allowSignIn': true }, { source: { type: 'pushed-from-unknown' } });
    expect(await project.app.getProject()).toMatchObject({ config: { magicLinkEnabled: true } });
  },
  updatePushedConfig: async (world) => {
    const { project } = await ownedProject(world);
    await project.pushConfig({ 'auth.otp.allowSignIn': true }, { source: { type: 'pushed-from-unknown' } });
    await project.updatePushedConfig({ 'auth.passkey.allowSignIn': true });
    expect(await project.getConfigOverride('branch')).toEqual({
      'auth.otp.allowSignIn': true,
      'auth.passkey.allowSignIn': true,
    });
  },
  getPushedConfigSource: async (world) => {
    const { project } = await ownedProject(world);
    expect(await project.getPushedConfigSource()).toEqual({ type: 'unlinked' });
    await project.pushConfig({}, { source: { type: 'pushed-from-unknown' } });
    expect(await project.getPushedConfigSource()).toEqual({ type: 'pushed-from-unknown' });
  },
  unlinkPushedConfigSource: async (world) => {
    const { project } = await ownedProject(world);
    await project.pushConfig({}, { source: { type: 'pushed-from-unknown' } });
    await project.unlinkPushedConfigSource();
    expect(await project.getPushedConfigSource()).toEqual({ type: 'unlinked' });
  },
  resetConfigOverrideKeys: async (world) => {
    const { project } = await ownedProject(world);
    await project.updateConfig({ 'auth.otp.allowSignIn': true, 'auth.passkey.allowSignIn': true });
    await project.resetConfigOverrideKeys('environment', ['auth.otp']);
    expect(await project.getConfigOverride('environment')).toEqual({ 'auth.passkey.allowSignIn': true });
  },
  getConfigOverride: async (world) => {
    const { project } = await ownedProject(world);
    expect(await project.getConfigOverride('environment')).toEqual({});
  },
  replaceConfigOverride: async (world) => {
    const { project } = await ownedProject(world);
    await project.updateConfig({ 'auth.otp.allowSignIn': true });
    await project.replaceConfigOverride('environment', { 'auth.passkey.allowSignIn': true });
    expect(await project.getConfigOverride('environment')).toEqual({ 'auth.passkey.allowSignIn': true });
  },
};

const currentInternalUser: Kind = {
  name: 'CurrentInternalUser',
  sample: owner,
  extends: async (world) => (await world.signedUp()).user,
  cases: ownerCases,
};

const adminProject: Kind = {
  name: 'AdminProject',
  sample: (world) => world.adminApp().getProject(),
  cases: projectCases,
};

export const projectKinds = [currentInternalUser, adminProject];
