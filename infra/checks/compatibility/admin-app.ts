import { newEmail } from '@gatebook/api/testing/requests';
import { expect } from 'vitest';
import { emailCases } from './admin-emails.ts';
import { idsOf, newPermissionId } from './expectations.ts';
import { type Cases, type Kind, unrelated } from './kinds.ts';
import { webhookCases } from './webhook-cases.ts';
import type { World } from './world.ts';

const keyOptions = {
  description: 'by the library',
  expiresAt: new Date('2090-01-01'),
  hasPublishableClientKey: true,
  hasSecretServerKey: true,
  hasSuperSecretAdminKey: false,
};

const definitionCases: Cases = {
  createTeamPermissionDefinition: async (world) => {
    const app = world.adminApp();
    const definition = { id: newPermissionId(), description: 'Pays', containedPermissionIds: ['$read_members'] };
    await app.createTeamPermissionDefinition(definition);
    expect(await app.listTeamPermissionDefinitions()).toContainEqual(expect.objectContaining(definition));
    const again = app.createTeamPermissionDefinition(definition);
    await expect(again).rejects.toMatchObject({ errorCode: 'PERMISSION_ID_ALREADY_EXISTS' });
  },
  listTeamPermissionDefinitions: async (world) => {
    expect(idsOf(await world.adminApp().listTeamPermissionDefinitions())).toContain('$delete_team');
  },
  listTeamPermissionDefinitionsPaginated: async (world) => {
    const app = world.adminApp();
    const first = await app.listTeamPermissionDefinitionsPaginated({ limit: 2 });
    expect(first).toMatchObject({ items: [{}, {}], nextCursor: expect.any(String) });
    const next = await app.listTeamPermissionDefinitionsPaginated({ limit: 2, cursor: first.nextCursor ?? '' });
    expect(idsOf(next.items)).not.toEqual(idsOf(first.items));
    const found = await app.listTeamPermissionDefinitionsPaginated({ limit: 10, query: 'delete_team' });
    expect(idsOf(found.items)).toEqual(['$delete_team']);
  },
  updateTeamPermissionDefinition: async (world) => {
    const app = world.adminApp();
    const id = newPermissionId();
    await app.createTeamPermissionDefinition({ id, containedPermissionIds: [] });
    await app.updateTeamPermissionDefinition(id, { description: 'Pays and reads' });
    const changed = expect.objectContaining({ id, description: 'Pays and reads' });
    expect(await app.listTeamPermissionDefinitions()).toContainEqual(changed);
  },
  deleteTeamPermissionDefinition: async (world) => {
    const app = world.adminApp();
    const id = newPermissionId();
    await app.createTeamPermissionDefinition({ id, containedPermissionIds: [] });
    await app.deleteTeamPermissionDefinition(id);
    expect(idsOf(await app.listTeamPermissionDefinitions())).not.toContain(id);
  },
  createProjectPermissionDefinition: async (world) => {
    const app = world.adminApp();
    const id = newPermissionId();
    await app.createProjectPermissionDefinition({ id, containedPermissionIds: [] });
    expect(idsOf(await app.listProjectPermissionDefinitions())).toContain(id);
  },
  listProjectPermissionDefinitions: async (world) => {
    expect(await world.adminApp().listProjectPermissionDefinitions()).toEqual(expect.any(Array));
  },
  updateProjectPermissionDefinition: async (world) => {
    const app = world.adminApp();
    const id = newPermissionId();
    await app.createProjectPermissionDefinition({ id, containedPermissionIds: [] });
    await app.updateProjectPermissionDefinition(id, { description: 'Pays' });
    const changed = expect.objectContaining({ id, description: 'Pays' });
    expect(await app.listProjectPermissionDefinitions()).toContainEqual(changed);
  },
  deleteProjectPermissionDefinition: async (world) => {
    const app = world.adminApp();
    const id = newPermissionId();
    await app.createProjectPermissionDefinition({ id, containedPermissionIds: [] });
    await app.deleteProjectPermissionDefinition(id);
    expect(idsOf(await app.listProjectPermissionDefinitions())).not.toContain(id);
  },
};

type Preview = { affectedUsers: readonly object[]; totalAffectedCount: number };
type Previewer = {
  previewAffectedUsersByOnboardingChange(
    change: { requireEmailVerification: boolean },
    limit?: number,
  ): Promise<Preview>;
};

/** The types of the client leave the method out. */
const previewer = (world: World) => world.adminApp() as unknown as Previewer;

const projectCases: Cases = {
  getProject: async (world) => {
    const project = await world.adminApp().getProject();
    expect(project).toMatchObject({ id: world.project.projectId, config: { allowLocalhost: true } });
    return project;
  },
  previewAffectedUsersByOnboardingChange: async (world) => {
    await world.serverApp().createUser({ primaryEmail: newEmail() });
    const change = { requireEmailVerification: true };
    const preview = await previewer(world).previewAffectedUsersByOnboardingChange(change, 1);
    expect(preview).toMatchObject({ affectedUsers: [{ restrictedReason: { type: 'email_not_verified' } }] });
    expect(preview.totalAffectedCount).toBeGreaterThan(0);
    const none = await previewer(world).previewAffectedUsersByOnboardingChange({ requireEmailVerification: false });
    expect(none).toEqual({ affectedUsers: [], totalAffectedCount: 0 });
  },
  createInternalApiKey: async (world) => {
    const key = await world.adminApp().createInternalApiKey(keyOptions);
    expect(key.publishableClientKey).toMatch(/^pck_[0-9a-z]{45}$/);
    expect(key.superSecretAdminKey).toBeFalsy();
    return key;
  },
  listInternalApiKeys: async (world) => {
    const app = world.adminApp();
    const { id, secretServerKey } = await app.createInternalApiKey(keyOptions);
    const keys = await app.listInternalApiKeys();
    expect(keys.find((key) => key.id === id)?.secretServerKey).toEqual({ lastFour: secretServerKey?.slice(-4) });
    return keys;
  },
};

const unrelatedCases: Cases = {
  listTransactions: unrelated('payments'),
  refundTransaction: unrelated('payments'),
  setupPayments: unrelated('payments'),
  createStripeWidgetAccountSession: unrelated('payments'),
  getStripeAccountInfo: unrelated('payments'),
  getPaymentMethodConfigs: unrelated('payments'),
  updatePaymentMethodConfigs: unrelated('payments'),
  createItemQuantityChange: unrelated('payments'),
  queryAnalytics: unrelated('analytics queries'),
  listSessionReplays: unrelated('session replay'),
  getSessionReplay: unrelated('session replay'),
  listSessionReplayChunks: unrelated('session replay'),
  getSessionReplayChunkEvents: unrelated('session replay'),
  getSessionReplayEvents: unrelated('session replay'),
  saveChatMessage: unrelated('AI'),
  listChatMessages: unrelated('AI'),
  rewriteTemplateSourceWithAI: unrelated('AI'),
  listEmailThemes: unrelated('email design in TSX'),
  createEmailTheme: unrelated('email design in TSX'),
  updateEmailTheme: unrelated('email design in TSX'),
  deleteEmailTheme: unrelated('email design in TSX'),
  listEmailDrafts: unrelated('email design in TSX'),
  createEmailDraft: unrelated('email design in TSX'),
  updateEmailDraft: unrelated('email design in TSX'),
  deleteEmailDraft: unrelated('email design in TSX'),
  refreshEmailDrafts: unrelated('email design in TSX'),
  createEmailTemplate: unrelated('email design in TSX'),
  deleteEmailTemplate: unrelated('email design in TSX'),
  getEmailPreview: unrelated('email design in TSX'),
  getEmailPreviewWithEditableMarkers: unrelated('email design in TSX'),
  setupManagedEmailProvider: unrelated('managed email domains'),
  checkManagedEmailStatus: unrelated('managed email domains'),
  listManagedEmailDomains: unrelated('managed email domains'),
  applyManagedEmailProvider: unrelated('managed email domains'),
  deleteManagedEmailDomain: unrelated('managed email domains'),
};

const adminApp: Kind = {
  name: 'StackAdminApp',
  sample: async (world) => world.adminApp(),
  extends: async (world) => world.serverApp(),
  cases: { ...projectCases, ...definitionCases, ...emailCases, ...webhookCases, ...unrelatedCases },
};

const created = async (world: World) => {
  const app = world.adminApp();
  const first = await app.createInternalApiKey(keyOptions);
  return { first, find: async () => (await app.listInternalApiKeys()).find(({ id }) => id === first.id) };
};

const internalApiKey: Kind = {
  name: 'InternalApiKey',
  sample: async (world) => (await created(world)).first,
  cases: {
    isValid: async (world) => {
      const { first, find } = await created(world);
      expect(first.isValid()).toBe(true);
      await (await find())?.revoke();
      expect((await find())?.isValid()).toBe(false);
    },
    whyInvalid: async (world) => {
      const { first, find } = await created(world);
      expect(first.whyInvalid()).toBeNull();
      await (await find())?.revoke();
      expect((await find())?.whyInvalid()).toBe('manually-revoked');
    },
    revoke: async (world) => {
      const { first } = await created(world);
      await first.revoke();
      const app = world.serverApp({ secretServerKey: first.secretServerKey });
      await expect(app.listUsers()).rejects.toMatchObject({ errorCode: 'INVALID_SECRET_SERVER_KEY' });
    },
  },
};

export const adminKinds = [adminApp, internalApiKey];
