import { type TemplateVersionId, versionIdOf } from '../email/template-versions.ts';
import { initialPermissions, type PermissionDefinition } from '../permission/definition.ts';
import {
  type ConfigSource,
  noProjectSecrets,
  type ProjectConfig,
  type ProjectSecrets,
  type ProjectSettings,
} from './config.ts';
import { type ConfigLayers, noLayers } from './config-document/document.ts';
import type { ProjectEvent } from './events.ts';
import type { CustomMetric } from './metric-definition.ts';
import type { MemberRole } from './roles.ts';

export type ProjectDetails = { displayName: string; description: string; isProductionMode: boolean };
export type EmailTemplate = Pick<
  Extract<ProjectEvent, { type: 'EmailTemplateChanged' }>['data'],
  'subject' | 'content'
>;
/** `secret` signs the requests. */
export type PasswordMigration = { url: string; secret: string };
export type ActiveProject = {
  status: 'active';
  projectId: string;
  subjectId: string;
  details: ProjectDetails;
  config: ProjectConfig;
  secrets: ProjectSecrets;
  settings: ProjectSettings;
  /** User ID to the ISO time at which the user became an owner. */
  owners: ReadonlyMap<string, string>;
  /** User ID to role, of members who are not owners. */
  members: ReadonlyMap<string, MemberRole>;
  /** The team of `internal` whose members own the project too. It may be deleted by now. */
  ownerTeamId: string | null;
  /** By version: the default version of a type, and versions for languages. */
  emailTemplates: ReadonlyMap<TemplateVersionId, EmailTemplate>;
  /** The configuration document as written, by level. The settings above decide; they may have changed since. */
  configLayers: ConfigLayers;
  configSource: ConfigSource;
  /** The former system that checks first passwords of unknown users; null: there is none. */
  passwordMigration: PasswordMigration | null;
  /** The project's own definitions. System permissions exist in addition. */
  permissions: readonly PermissionDefinition[];
  /** Oldest first. */
  customMetrics: readonly CustomMetric[];
};
/** Counts as deleted, but can be restored. */
export type ProjectAwaitingDeletion = { status: 'awaiting_deletion'; project: ActiveProject; deleteAt: string };
export type ProjectState =
  | { status: 'absent' }
  | ActiveProject
  | ProjectAwaitingDeletion
  | { status: 'deleted'; projectId: string; subjectId: string };

export const initialState: ProjectState = { status: 'absent' };
const unlinked = { type: 'unlinked' } as const;

export function evolveProject(state: ProjectState, event: ProjectEvent): ProjectState {
  if (event.type === 'ProjectCreated') {
    const { projectId, subjectId, displayName, description, isProductionMode, config, secrets, settings } = event.data;
    const details = { displayName, description, isProductionMode };
    const owners: ReadonlyMap<string, string> = new Map();
    return {
      status: 'active',
      projectId,
      subjectId,
      details,
      config,
      secrets: secrets ?? noProjectSecrets,
      settings,
      owners,
      members: new Map(),
      ownerTeamId: null,
      emailTemplates: new Map(),
      configLayers: noLayers,
      configSource: unlinked,
      passwordMigration: null,
      permissions: initialPermissions,
      customMetrics: [],
    };
  }
  if (state.status === 'awaiting_deletion') return evolveAwaiting(state, event);
  if (state.status !== 'active') return state;
  switch (event.type) {
    case 'ProjectDetailsChanged': {
      const { displayName, description, isProductionMode } = event.data;
      return { ...state, details: { displayName, description, isProductionMode } };
    }
    case 'ProjectConfigChanged':
      return { ...state, config: event.data.config, secrets: event.data.secrets ?? noProjectSecrets };
    case 'ProjectSettingsChanged':
      return { ...state, settings: event.data.settings };
    case 'ProjectPasswordMigrationChanged': {
      const { url, secret } = event.data;
      return { ...state, passwordMigration: url === null || secret === null ? null : { url, secret } };
    }
    case 'EmailTemplateChanged': {
      const { subject, content } = event.data;
      const emailTemplates = new Map(state.emailTemplates).set(versionIdOf(event.data), { subject, content });
      return { ...state, emailTemplates };
    }
    case 'EmailTemplateReset': {
      const emailTemplates = new Map(state.emailTemplates);
      emailTemplates.delete(versionIdOf(event.data));
      return { ...state, emailTemplates };
    }
    case 'PermissionDefinitionCreated':
      return { ...state, permissions: [...state.permissions, definitionIn(event.data)] };
    case 'PermissionDefinitionChanged': {
      const after = definitionIn(event.data);
      return { ...state, permissions: state.permissions.map((before) => (before.key === after.key ? after : before)) };
    }
    case 'PermissionDefinitionDeleted':
      return { ...state, permissions: state.permissions.filter(({ key }) => key !== event.data.key) };
    case 'CustomMetricDefined':
      return { ...state, customMetrics: [...state.customMetrics, metricIn(event.data)] };
    case 'CustomMetricChanged': {
      const after = metricIn(event.data);
      const { metricId } = after;
      return {
        ...state,
        customMetrics: state.customMetrics.map((before) => (before.metricId === metricId ? after : before)),
      };
    }
    case 'CustomMetricDeleted':
      return {
        ...state,
        customMetrics: state.customMetrics.filter(({ metricId }) => metricId !== event.data.metricId),
      };
    case 'ProjectOwnerAdded':
      return {
        ...withoutMember(state, event.data.userId),
        owners: new Map(state.owners).set(event.data.userId, event.data.at),
      };
    case 'ProjectOwnerRemoved':
    case 'ProjectMemberRemoved':
      return withoutMember(state, event.data.userId);
    case 'ProjectMemberRoleChanged': {
      const { userId, role } = event.data;
      return { ...withoutMember(state, userId), members: new Map(state.members).set(userId, role) };
    }
    case 'ProjectOwnerTeamChanged':
      return { ...state, ownerTeamId: event.data.teamId };
    case 'ConfigOverrideChanged': {
      const { level, override, source } = event.data;
      const configLayers = { ...state.configLayers, [level]: override ?? {} };
      return { ...state, configLayers, configSource: source ?? state.configSource };
    }
    case 'AuditLogExported':
    case 'UsersExported':
      return state;
    case 'ConfigSourceUnlinked':
      return { ...state, configSource: unlinked };
    case 'ProjectDeletionScheduled':
      return { status: 'awaiting_deletion', project: state, deleteAt: event.data.deleteAt };
    case 'ProjectDeletionCanceled':
      return state;
    case 'ProjectDeleted':
      return { status: 'deleted', projectId: state.projectId, subjectId: state.subjectId };
    default:
      event satisfies never;
      return state;
  }
}

function evolveAwaiting(state: ProjectAwaitingDeletion, event: ProjectEvent): ProjectState {
  if (event.type === 'ProjectDeletionCanceled') return state.project;
  return event.type === 'ProjectDeleted' ? evolveProject(state.project, event) : state;
}

function withoutMember(state: ActiveProject, userId: string): ActiveProject {
  const [owners, members] = [new Map(state.owners), new Map(state.members)];
  owners.delete(userId);
  members.delete(userId);
  return { ...state, owners, members };
}

/** A project that is not erased. */
export function existingProject(state: ProjectState): ActiveProject | null {
  if (state.status === 'awaiting_deletion') return state.project;
  return state.status === 'active' ? state : null;
}

function definitionIn(data: PermissionDefinition): PermissionDefinition {
  const { key, id, scope, description, contained } = data;
  return { key, id, scope, description, contained };
}

function metricIn(data: CustomMetric): CustomMetric {
  const { metricId, displayName, eventTypes, filter, groupBy, unit, count } = data;
  return { metricId, displayName, eventTypes, filter, groupBy, unit, count };
}
