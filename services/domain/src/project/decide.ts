import { type Decider, unreachable } from '../decider.ts';
import type { TemplateType } from '../email/events.ts';
import { reject } from '../errors.ts';
import { initialPermissions } from '../permission/definition.ts';
import { byUpperCase, type Definitions, definitionOf } from '../permission/effective.ts';
import {
  defaultProjectConfig,
  defaultProjectSettings,
  noProjectSecrets,
  type ProjectConfig,
  type ProjectSecrets,
  type ProjectSettings,
  sharedProviderIds,
} from './config.ts';
import type { ProjectEvent } from './events.ts';
import { decidePermission, type PermissionCommand } from './permissions.ts';
import { quotaOf } from './quotas.ts';
import {
  type ActiveProject,
  type EmailTemplate,
  evolveProject,
  initialState,
  type ProjectDetails,
  type ProjectState,
} from './state.ts';

/** The project whose users own the others; it can't be deleted (protocol, projects §2.3). */
export const internalProjectId = 'internal';

/** What is left out takes the defaults of a new project. */
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
/** Fields left out stay; lists and the e-mail configuration are replaced whole. */
type ChangeConfig = {
  type: 'ChangeConfig';
  config: Partial<ProjectConfig>;
  secrets: Partial<ProjectSecrets>;
  at: string;
};
type ChangeSettings = { type: 'ChangeSettings'; settings: Partial<ProjectSettings>; at: string };
/** Parts left out stay as they are; an empty subject too. `content` was judged by whoever renders it. */
type ChangeEmailTemplate = {
  type: 'ChangeEmailTemplate';
  templateType: TemplateType;
  subject?: string | undefined;
  content?: EmailTemplate['content'] | undefined;
  at: string;
};
type ResetEmailTemplate = { type: 'ResetEmailTemplate'; templateType: TemplateType; at: string };
type AddOwner = { type: 'AddOwner'; userId: string; at: string };
type RemoveOwner = { type: 'RemoveOwner'; userId: string; at: string };
/** The first owner of `internal`, by the set-up link. */
type AddFirstOwner = { type: 'AddFirstOwner'; userId: string; at: string };
type DeleteProject = { type: 'DeleteProject'; at: string };

export type ProjectCommand =
  | CreateProject
  | ChangeDetails
  | ChangeConfig
  | ChangeSettings
  | ChangeEmailTemplate
  | ResetEmailTemplate
  | PermissionCommand
  | AddOwner
  | RemoveOwner
  | AddFirstOwner
  | DeleteProject;

export function decideProject(command: ProjectCommand, state: ProjectState): readonly ProjectEvent[] {
  if (command.type === 'CreateProject') return createProject(command, state);
  if (state.status !== 'active') {
    return reject('PROJECT_NOT_FOUND', state.status === 'deleted' ? { project_id: state.projectId } : {});
  }
  const { projectId } = state;
  switch (command.type) {
    case 'ChangeDetails':
      return changeDetails(command, state);
    case 'ChangeConfig':
      return changeConfig(command, state);
    case 'ChangeSettings':
      return changeSettings(command, state);
    case 'ChangeEmailTemplate':
      return changeEmailTemplate(command, state);
    case 'ResetEmailTemplate':
      if (!state.emailTemplates.has(command.templateType)) return reject('EMAIL_TEMPLATE_IS_DEFAULT');
      return [{ type: 'EmailTemplateReset', data: { projectId, templateType: command.templateType, at: command.at } }];
    case 'DefinePermission':
    case 'RedefinePermission':
    case 'DeletePermission':
      return decidePermission(command, state);
    case 'AddOwner':
      return addOwner(command.userId, command.at, state);
    case 'AddFirstOwner':
      if (state.owners.size > 0) return reject('SETUP_IS_DONE');
      return addOwner(command.userId, command.at, state);
    case 'RemoveOwner':
      if (!state.owners.has(command.userId)) return [];
      return [{ type: 'ProjectOwnerRemoved', data: { projectId, userId: command.userId, at: command.at } }];
    case 'DeleteProject':
      if (projectId === internalProjectId) return reject('INTERNAL_PROJECT_STAYS');
      return [{ type: 'ProjectDeleted', data: { projectId, at: command.at } }];
    default:
      return unreachable(command);
  }
}

function createProject(command: CreateProject, state: ProjectState): readonly ProjectEvent[] {
  if (state.status !== 'absent') throw new Error(`project ${command.projectId} exists already`);
  const { projectId, subjectId, at } = command;
  const { displayName } = command.details;
  const details = { description: '', isProductionMode: false, ...withoutUndefined(command.details), displayName };
  const config = sorted({ ...defaultProjectConfig, ...withoutUndefined(command.config) });
  const settings = { ...defaultProjectSettings, ...withoutUndefined(command.settings) };
  checkConfig(config, initialPermissions);
  checkDomains(config, settings, 0);
  const secrets = needed({ ...noProjectSecrets, ...withoutUndefined(command.secrets) }, config);
  return [{ type: 'ProjectCreated', data: { projectId, subjectId, ...details, config, secrets, settings, at } }];
}

function changeDetails({ details, at }: ChangeDetails, { projectId, details: before }: ActiveProject) {
  const after = { ...before, ...withoutUndefined(details) };
  const changed = differences(before, after);
  if (changed.length === 0) return [];
  return [{ type: 'ProjectDetailsChanged' as const, data: { projectId, ...after, changed, at } }];
}

function changeConfig({ config, secrets, at }: ChangeConfig, state: ActiveProject): readonly ProjectEvent[] {
  const { projectId, subjectId } = state;
  const after = sorted({ ...state.config, ...withoutUndefined(config) });
  checkConfig(after, state.permissions);
  checkDomains(after, state.settings, state.config.domains.length);
  const secretsAfter = needed({ ...state.secrets, ...withoutUndefined(secrets) }, after);
  const changed = [...differences(state.config, after), ...differences(state.secrets, secretsAfter)];
  if (changed.length === 0) return [];
  return [
    { type: 'ProjectConfigChanged', data: { projectId, subjectId, config: after, secrets: secretsAfter, changed, at } },
  ];
}

function changeSettings({ settings, at }: ChangeSettings, state: ActiveProject): readonly ProjectEvent[] {
  const after = { ...state.settings, ...withoutUndefined(settings) };
  const changed = differences(state.settings, after);
  if (changed.length === 0) return [];
  return [{ type: 'ProjectSettingsChanged', data: { projectId: state.projectId, settings: after, changed, at } }];
}

function changeEmailTemplate(command: ChangeEmailTemplate, state: ActiveProject): readonly ProjectEvent[] {
  if (state.config.emailConfig.type === 'shared') return reject('EMAIL_CONFIG_IS_SHARED');
  const { templateType, at } = command;
  const before = state.emailTemplates.get(templateType) ?? { subject: null, content: null };
  const subject = command.subject || before.subject;
  const content = command.content ?? before.content;
  return [{ type: 'EmailTemplateChanged', data: { projectId: state.projectId, templateType, subject, content, at } }];
}

function addOwner(userId: string, at: string, { projectId, owners }: ActiveProject): readonly ProjectEvent[] {
  return owners.has(userId) ? [] : [{ type: 'ProjectOwnerAdded', data: { projectId, userId, at } }];
}

/** Rules that a schema can't hold (protocol, projects §1.3 and §2.2). */
function checkConfig(config: ProjectConfig, permissions: Definitions): void {
  const shared: readonly string[] = sharedProviderIds;
  for (const { id, type } of config.oauthProviders) {
    if (type === 'shared' && !shared.includes(id)) reject('INVALID_SHARED_OAUTH_PROVIDER_ID', { provider_id: id });
  }
  const teamIds = [...config.teamCreatorDefaultPermissions, ...config.teamMemberDefaultPermissions];
  const unknown =
    teamIds.find((id) => !definitionOf(permissions, 'team', id)) ??
    config.userDefaultPermissions.find((id) => !definitionOf(permissions, 'project', id));
  if (unknown !== undefined) reject('DEFAULT_PERMISSION_UNKNOWN', { permission_id: unknown });
}

/** As many as there are may stay when the quota was lowered. */
function checkDomains({ domains }: ProjectConfig, settings: ProjectSettings, before: number): void {
  const limit = quotaOf(settings, 'domains');
  if (domains.length > Math.max(limit, before)) reject('QUOTA_EXCEEDED', { quota: 'domains', limit });
}

/** Secrets live no longer than what they belong to: listed providers, a mail server of the project's own. */
function needed({ oauthClientSecrets, emailPassword }: ProjectSecrets, config: ProjectConfig): ProjectSecrets {
  const listed = config.oauthProviders.flatMap(({ id }) => {
    const secret = oauthClientSecrets[id];
    return secret === undefined ? [] : [[id, secret]];
  });
  return {
    oauthClientSecrets: Object.fromEntries(listed),
    emailPassword: config.emailConfig.type === 'standard' ? emailPassword : null,
  };
}

/** Lists are kept in the order in which they are read: by id or domain, upper-cased first; of a repeated id the last counts. */
function sorted(config: ProjectConfig): ProjectConfig {
  const ids = (list: readonly string[]) => [...new Set(list)].sort(byUpperCase);
  return {
    ...config,
    oauthProviders: lastOfEach(config.oauthProviders, ({ id }) => id),
    domains: lastOfEach(config.domains, ({ domain }) => domain),
    teamCreatorDefaultPermissions: ids(config.teamCreatorDefaultPermissions),
    teamMemberDefaultPermissions: ids(config.teamMemberDefaultPermissions),
    userDefaultPermissions: ids(config.userDefaultPermissions),
  };
}

function lastOfEach<T>(list: readonly T[], nameOf: (entry: T) => string): T[] {
  const byName = new Map(list.map((entry) => [nameOf(entry), entry]));
  return [...byName.values()].sort((one, other) => byUpperCase(nameOf(one), nameOf(other)));
}

/** Names of the fields whose JSON differs. */
function differences<T extends Record<string, unknown>>(before: T, after: T): string[] {
  return Object.keys(after).filter((name) => JSON.stringify(before[name]) !== JSON.stringify(after[name]));
}

function withoutUndefined<T extends Record<string, unknown>>(values: T): { [K in keyof T]?: Exclude<T[K], undefined> } {
  return Object.fromEntries(Object.entries(values).filter(([, value]) => value !== undefined)) as {
    [K in keyof T]?: Exclude<T[K], undefined>;
  };
}

export const projectDecider: Decider<ProjectState, ProjectCommand, ProjectEvent> = {
  initialState,
  decide: decideProject,
  evolve: evolveProject,
};
