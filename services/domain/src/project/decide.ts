import { type Decider, unreachable } from '../decider.ts';
import { type TemplateVersion, versionIdOf } from '../email/template-versions.ts';
import { reject } from '../errors.ts';
import { initialPermissions } from '../permission/definition.ts';
import { type Definitions, findDefinition } from '../permission/effective.ts';
import { stateVersions } from '../state-versions.ts';
import {
  defaultProjectConfig,
  defaultProjectSettings,
  noProjectSecrets,
  type ProjectConfig,
  type ProjectSecrets,
  type ProjectSettings,
  sharedProviderIds,
} from './config.ts';
import { findChangedFields, removeUnusedSecrets, sortLists, withoutUndefined } from './config-changes.ts';
import { type ConfigDocumentCommand, decideConfigDocument } from './config-document/decide.ts';
import { type CustomMetricCommand, decideCustomMetric } from './custom-metrics.ts';
import { type DeletionCommand, decideDeletion } from './deletion.ts';
import type { AuditExportFormat, ProjectEvent, UserExportFormat } from './events.ts';
import { decideMember, type MemberCommand } from './members.ts';
import {
  applyOpenIdProvider,
  checkOpenIdProviders,
  keepOpenIdProviders,
  type RemoveOpenIdProvider,
  type SetOpenIdProvider,
} from './openid-providers.ts';
import { decidePermission, type PermissionCommand } from './permissions.ts';
import { quotaOf } from './quotas.ts';
import {
  type ActiveProject,
  type EmailTemplate,
  evolveProject,
  initialState,
  type PasswordMigration,
  type ProjectDetails,
  type ProjectState,
} from './state.ts';

/** The project whose users own all other projects. It can't be deleted (protocol, projects §2.3). */
export const internalProjectId = 'internal';

/** Missing fields take the defaults of a new project. */
type CreateProject = {
  type: 'CreateProject';
  projectId: string;
  subjectId: string;
  details: Pick<ProjectDetails, 'displayName'> & Partial<ProjectDetails>;
  config: Partial<ProjectConfig>;
  secrets: Partial<ProjectSecrets>;
  settings: Partial<ProjectSettings>;
  at: string;
};
type ChangeDetails = { type: 'ChangeDetails'; details: Partial<ProjectDetails>; at: string };
/**
 * Missing fields do not change; lists and the email configuration are replaced as a whole. `keepsOpenIdProviders`: the
 * list of providers has no OpenID providers, and leaves them as they are.
 */
type ChangeConfig = {
  type: 'ChangeConfig';
  config: Partial<ProjectConfig>;
  secrets: Partial<ProjectSecrets>;
  keepsOpenIdProviders?: boolean;
  at: string;
};
type ChangeSettings = { type: 'ChangeSettings'; settings: Partial<ProjectSettings>; at: string };
/** null: first passwords are not checked elsewhere anymore. */
type ChangePasswordMigration = { type: 'ChangePasswordMigration'; migration: PasswordMigration | null; at: string };
/** Missing parts and an empty subject do not change. `content` was validated by the renderer. */
type ChangeEmailTemplate = TemplateVersion & {
  type: 'ChangeEmailTemplate';
  subject?: string | undefined;
  content?: EmailTemplate['content'] | undefined;
  at: string;
};
type ResetEmailTemplate = TemplateVersion & { type: 'ResetEmailTemplate'; at: string };
type AddOwner = { type: 'AddOwner'; userId: string; at: string };
type RemoveOwner = { type: 'RemoveOwner'; userId: string; at: string };
/** Adds the first owner of `internal`, with the setup link. `awaitingDeletion`: owners who can't act, and stay. */
type AddFirstOwner = { type: 'AddFirstOwner'; userId: string; awaitingDeletion: readonly string[]; at: string };
/** Makes a team of `internal` the only owner. */
type TransferProject = { type: 'TransferProject'; teamId: string; at: string };
/** `filters`: names of the filters that limit the export. */
type ExportUsers = { type: 'ExportUsers'; format: UserExportFormat; filters: readonly string[]; at: string };
type ExportAuditLog = { type: 'ExportAuditLog'; format: AuditExportFormat; filters: readonly string[]; at: string };

export type ProjectCommand =
  | CreateProject
  | ChangeDetails
  | ChangeConfig
  | SetOpenIdProvider
  | RemoveOpenIdProvider
  | ChangeSettings
  | ChangePasswordMigration
  | ChangeEmailTemplate
  | ResetEmailTemplate
  | PermissionCommand
  | CustomMetricCommand
  | AddOwner
  | RemoveOwner
  | AddFirstOwner
  | MemberCommand
  | TransferProject
  | ConfigDocumentCommand
  | ExportAuditLog
  | ExportUsers
  | DeletionCommand;

export function decideProject(command: ProjectCommand, state: ProjectState): readonly ProjectEvent[] {
  if (command.type === 'CreateProject') return createProject(command, state);
  if (state.status === 'awaiting_deletion') {
    if (command.type === 'RestoreProject' || command.type === 'DeleteProject') return decideDeletion(command, state);
    return reject('PROJECT_NOT_FOUND', { project_id: state.project.projectId });
  }
  if (state.status !== 'active') {
    return reject('PROJECT_NOT_FOUND', state.status === 'deleted' ? { project_id: state.projectId } : {});
  }
  const { projectId } = state;
  switch (command.type) {
    case 'ChangeDetails':
      return changeDetails(command, state);
    case 'ChangeConfig':
      return changeConfig(
        command.keepsOpenIdProviders ? keepOpenIdProviders(command, state) : command,
        command.at,
        state,
      );
    case 'SetOpenIdProvider':
    case 'RemoveOpenIdProvider':
      return changeConfig(applyOpenIdProvider(command, state), command.at, state);
    case 'ChangeSettings':
      return changeSettings(command, state);
    case 'ChangePasswordMigration': {
      const { migration, at } = command;
      const { url, secret } = migration ?? { url: null, secret: null };
      const { passwordMigration: before } = state;
      if ((before?.url ?? null) === url && (before?.secret ?? null) === secret) return [];
      return [
        { type: 'ProjectPasswordMigrationChanged', data: { projectId, subjectId: state.subjectId, url, secret, at } },
      ];
    }
    case 'ChangeEmailTemplate':
      return changeEmailTemplate(command, state);
    case 'ResetEmailTemplate':
      return resetEmailTemplate(command, state);
    case 'DefinePermission':
    case 'RedefinePermission':
    case 'RestorePermission':
    case 'DeletePermission':
      return decidePermission(command, state);
    case 'DefineMetric':
    case 'RedefineMetric':
    case 'DeleteMetric':
      return decideCustomMetric(command, state);
    case 'AddOwner':
      return addOwner(command.userId, command.at, state);
    case 'AddFirstOwner':
      if ([...state.owners.keys()].some((userId) => !command.awaitingDeletion.includes(userId))) {
        return reject('SETUP_ALREADY_COMPLETED');
      }
      return addOwner(command.userId, command.at, state);
    case 'RemoveOwner':
      if (!state.owners.has(command.userId)) return [];
      return [{ type: 'ProjectOwnerRemoved', data: { projectId, userId: command.userId, at: command.at } }];
    case 'SetMemberRole':
    case 'RemoveMember':
      return decideMember(command, state);
    case 'TransferProject':
      return transferProject(command, state);
    case 'ChangeConfigOverride':
    case 'UnlinkConfigSource':
      return decideConfigDocument(command, state);
    case 'ExportAuditLog': {
      const { format, filters, at } = command;
      return [{ type: 'AuditLogExported', data: { projectId, format, filters: [...filters], at } }];
    }
    case 'ExportUsers': {
      const { format, filters, at } = command;
      return [{ type: 'UsersExported', data: { projectId, format, filters: [...filters], at } }];
    }
    case 'ScheduleDeletion':
    case 'DeleteProject':
      if (projectId === internalProjectId) return reject('INTERNAL_PROJECT_NOT_DELETABLE');
      return decideDeletion(command, state);
    case 'RestoreProject':
      return decideDeletion(command, state);
    default:
      return unreachable(command);
  }
}

function createProject(command: CreateProject, state: ProjectState): readonly ProjectEvent[] {
  if (state.status !== 'absent') throw new Error(`project ${command.projectId} exists already`);
  const { projectId, subjectId, at } = command;
  const { displayName } = command.details;
  const details = { description: '', isProductionMode: false, ...withoutUndefined(command.details), displayName };
  const config = sortLists({ ...defaultProjectConfig, ...withoutUndefined(command.config) });
  const settings = { ...defaultProjectSettings, ...withoutUndefined(command.settings) };
  checkConfig(config, initialPermissions);
  checkDomains(config, settings, 0);
  const secrets = removeUnusedSecrets({ ...noProjectSecrets, ...withoutUndefined(command.secrets) }, config);
  return [{ type: 'ProjectCreated', data: { projectId, subjectId, ...details, config, secrets, settings, at } }];
}

function changeDetails({ details, at }: ChangeDetails, { projectId, details: before }: ActiveProject) {
  const after = { ...before, ...withoutUndefined(details) };
  const changed = findChangedFields(before, after);
  if (changed.length === 0) return [];
  return [{ type: 'ProjectDetailsChanged' as const, data: { projectId, ...after, changed, at } }];
}

function changeConfig(
  { config, secrets }: Pick<ChangeConfig, 'config' | 'secrets'>,
  at: string,
  state: ActiveProject,
): readonly ProjectEvent[] {
  const { projectId, subjectId } = state;
  const after = sortLists({ ...state.config, ...withoutUndefined(config) });
  checkConfig(after, state.permissions);
  checkDomains(after, state.settings, state.config.domains.length);
  const secretsAfter = removeUnusedSecrets({ ...state.secrets, ...withoutUndefined(secrets) }, after);
  const changed = [...findChangedFields(state.config, after), ...findChangedFields(state.secrets, secretsAfter)];
  if (changed.length === 0) return [];
  return [
    { type: 'ProjectConfigChanged', data: { projectId, subjectId, config: after, secrets: secretsAfter, changed, at } },
  ];
}

function changeSettings({ settings, at }: ChangeSettings, state: ActiveProject): readonly ProjectEvent[] {
  const after = { ...state.settings, ...withoutUndefined(settings) };
  const changed = findChangedFields(state.settings, after);
  if (changed.length === 0) return [];
  return [{ type: 'ProjectSettingsChanged', data: { projectId: state.projectId, settings: after, changed, at } }];
}

function changeEmailTemplate(command: ChangeEmailTemplate, state: ActiveProject): readonly ProjectEvent[] {
  const { templateType, language, at } = command;
  const before = state.emailTemplates.get(versionIdOf(command)) ?? { subject: null, content: null };
  const subject = command.subject || before.subject;
  const content = command.content ?? before.content;
  const { projectId } = state;
  return [{ type: 'EmailTemplateChanged', data: { projectId, templateType, language, subject, content, at } }];
}

function resetEmailTemplate(command: ResetEmailTemplate, state: ActiveProject): readonly ProjectEvent[] {
  if (!state.emailTemplates.has(versionIdOf(command))) return reject('EMAIL_TEMPLATE_ALREADY_DEFAULT');
  const { templateType, language, at } = command;
  return [{ type: 'EmailTemplateReset', data: { projectId: state.projectId, templateType, language, at } }];
}

function addOwner(userId: string, at: string, { projectId, owners }: ActiveProject): readonly ProjectEvent[] {
  return owners.has(userId) ? [] : [{ type: 'ProjectOwnerAdded', data: { projectId, userId, at } }];
}

/** The team replaces every other owner and member. */
function transferProject({ teamId, at }: TransferProject, state: ActiveProject): readonly ProjectEvent[] {
  const { projectId, owners, members, ownerTeamId } = state;
  if (projectId === internalProjectId) return reject('INTERNAL_PROJECT_NOT_TRANSFERABLE');
  const removed: ProjectEvent[] = [
    ...[...owners.keys()].map((userId) => ({
      type: 'ProjectOwnerRemoved' as const,
      data: { projectId, userId, at },
    })),
    ...[...members.keys()].map((userId) => ({
      type: 'ProjectMemberRemoved' as const,
      data: { projectId, userId, at },
    })),
  ];
  if (ownerTeamId === teamId) return removed;
  return [{ type: 'ProjectOwnerTeamChanged', data: { projectId, teamId, at } }, ...removed];
}

/** Rules that a schema can't express (protocol, projects §1.3 and §2.2). */
function checkConfig(config: ProjectConfig, permissions: Definitions): void {
  const shared: readonly string[] = sharedProviderIds;
  for (const { id, type } of config.oauthProviders) {
    if (type === 'shared' && !shared.includes(id)) reject('INVALID_SHARED_OAUTH_PROVIDER_ID', { provider_id: id });
  }
  checkOpenIdProviders(config);
  const teamIds = [...config.teamCreatorDefaultPermissions, ...config.teamMemberDefaultPermissions];
  const unknown =
    teamIds.find((id) => !findDefinition(permissions, 'team', id)) ??
    config.userDefaultPermissions.find((id) => !findDefinition(permissions, 'project', id));
  if (unknown !== undefined) reject('DEFAULT_PERMISSION_UNKNOWN', { permission_id: unknown });
}

/** After the quota was lowered, existing domains stay. */
function checkDomains({ domains }: ProjectConfig, settings: ProjectSettings, before: number): void {
  const limit = quotaOf(settings, 'domains');
  if (domains.length > Math.max(limit, before)) reject('QUOTA_EXCEEDED', { quota: 'domains', limit });
}

export const projectDecider: Decider<ProjectState, ProjectCommand, ProjectEvent> = {
  initialState,
  decide: decideProject,
  evolve: evolveProject,
  stateVersion: stateVersions.project,
};
