import { z } from 'zod';
import { TemplateType } from '../email/events.ts';
import { languages } from '../email/languages.ts';
import { defineEvents, type EventOf, type Upcast } from '../event.ts';
import { PermissionScope } from '../permission/definition.ts';
import {
  ConfigLevel,
  ConfigSource,
  defaultBranding,
  minPasswordLength,
  ProjectConfig,
  ProjectSecrets,
  ProjectSettings,
  rejectionRetention,
  sessionLifetime,
} from './config.ts';
import { CustomMetricDefinition } from './metric-definition.ts';
import { memberRoles } from './roles.ts';

export const AuditExportFormat = z.enum(['jsonl', 'csv', 'ocsf', 'cloudevents']);
export type AuditExportFormat = z.infer<typeof AuditExportFormat>;

export const UserExportFormat = z.enum(['csv', 'jsonl']);
export type UserExportFormat = z.infer<typeof UserExportFormat>;

/** A UUID, or `internal`: the project whose users own all other projects. */
const projectId = z.string();
const at = z.iso.datetime();
/** `contained`: keys of definitions with the same scope. */
const permission = {
  projectId,
  key: z.string(),
  id: z.string(),
  scope: PermissionScope,
  description: z.string().nullable(),
  contained: z.array(z.string()),
  at,
};

/** Version 1 lacks these settings. */
const addSettings: Upcast = (data) => ({
  ...data,
  settings: {
    rejectionRetentionDays: rejectionRetention.standard,
    userDeletionGraceDays: 0,
    ...(data.settings as object),
  },
});

/** Earlier versions lack grace periods of teams and projects. */
const addGracePeriods: Upcast = (data) => ({
  ...data,
  settings: { teamDeletionGraceDays: 0, projectDeletionGraceDays: 0, ...(data.settings as object) },
});

/** Earlier versions lack lifetimes of sessions and access tokens, and the minimum length of passwords. */
const addSecuritySettings: Upcast = (data) => ({
  ...data,
  settings: {
    sessionLifetimeHours: sessionLifetime.standard,
    accessTokenLifetimeSeconds: null,
    minPasswordLength: minPasswordLength.standard,
    ...(data.settings as object),
  },
});

/** Earlier versions lack the branding. */
const addBranding: Upcast = (data) => ({
  ...data,
  settings: { branding: defaultBranding, ...(data.settings as object) },
});

/** Earlier versions lack providers of type `openid`, or the quota of webhook endpoints. */
const unchanged: Upcast = (data) => data;

/** A template, or a version of it for one language; null: the default version. */
const templateVersion = { templateType: TemplateType, language: z.enum(languages).nullable() };

/** Version 1 knows only the default version. */
const addLanguage: Upcast = (data) => ({ ...data, language: null });

export const projectEvents = defineEvents({
  ProjectCreated: {
    version: 7,
    data: z.object({
      projectId,
      /** Random subject ID under whose key the project's secrets are encrypted. */
      subjectId: z.uuid(),
      displayName: z.string(),
      description: z.string(),
      isProductionMode: z.boolean(),
      config: ProjectConfig,
      secrets: ProjectSecrets.nullable(),
      settings: ProjectSettings,
      at,
    }),
    personal: { subject: 'subjectId', fields: ['secrets'] },
    upcast: { 1: addSettings, 2: unchanged, 3: addGracePeriods, 4: unchanged, 5: addSecuritySettings, 6: addBranding },
    large: ['config'],
  },
  /** `changed` names the fields that differ, for the audit log. The other fields are complete. */
  ProjectDetailsChanged: {
    version: 1,
    data: z.object({
      projectId,
      displayName: z.string(),
      description: z.string(),
      isProductionMode: z.boolean(),
      changed: z.array(z.string()),
      at,
    }),
  },
  ProjectConfigChanged: {
    version: 2,
    data: z.object({
      projectId,
      subjectId: z.uuid(),
      config: ProjectConfig,
      secrets: ProjectSecrets.nullable(),
      changed: z.array(z.string()),
      at,
    }),
    personal: { subject: 'subjectId', fields: ['secrets'] },
    upcast: { 1: unchanged },
    large: ['config'],
  },
  ProjectSettingsChanged: {
    version: 6,
    data: z.object({ projectId, settings: ProjectSettings, changed: z.array(z.string()), at }),
    upcast: { 1: addSettings, 2: addGracePeriods, 3: unchanged, 4: addSecuritySettings, 5: addBranding },
  },
  /** Where first passwords of unknown users are checked; both are null if nowhere (docs/decisions/0074). */
  ProjectPasswordMigrationChanged: {
    version: 1,
    data: z.object({ projectId, subjectId: z.uuid(), url: z.string().nullable(), secret: z.string().nullable(), at }),
    personal: { subject: 'subjectId', fields: ['secret'] },
  },
  /** The project's own template for one type of email. Parts that are null are Gatebook's. */
  EmailTemplateChanged: {
    version: 2,
    data: z.object({
      projectId,
      ...templateVersion,
      subject: z.string().nullable(),
      content: z.record(z.string(), z.json()).nullable(),
      at,
    }),
    upcast: { 1: addLanguage },
    large: ['content'],
  },
  EmailTemplateReset: {
    version: 2,
    data: z.object({ projectId, ...templateVersion, at }),
    upcast: { 1: addLanguage },
  },
  PermissionDefinitionCreated: { version: 1, data: z.object(permission) },
  /** The complete new definition. Key and scope never change. */
  PermissionDefinitionChanged: { version: 1, data: z.object(permission) },
  /** Grants of the permission have no effect from now on. */
  PermissionDefinitionDeleted: { version: 1, data: z.object({ projectId, key: z.string(), at }) },
  CustomMetricDefined: {
    version: 1,
    data: z.object({ projectId, metricId: z.uuid(), ...CustomMetricDefinition.shape, at }),
  },
  /** The complete new definition. `changed` names the fields that differ. */
  CustomMetricChanged: {
    version: 1,
    data: z.object({
      projectId,
      metricId: z.uuid(),
      ...CustomMetricDefinition.shape,
      changed: z.array(z.string()),
      at,
    }),
  },
  CustomMetricDeleted: { version: 1, data: z.object({ projectId, metricId: z.uuid(), at }) },
  ProjectOwnerAdded: { version: 1, data: z.object({ projectId, userId: z.uuid(), at }) },
  ProjectOwnerRemoved: { version: 1, data: z.object({ projectId, userId: z.uuid(), at }) },
  /** The user is a member with this role from now on, and no owner (docs/decisions/0107). */
  ProjectMemberRoleChanged: {
    version: 1,
    data: z.object({ projectId, userId: z.uuid(), role: z.enum(memberRoles), at }),
  },
  ProjectMemberRemoved: { version: 1, data: z.object({ projectId, userId: z.uuid(), at }) },
  /** The members of this team of `internal` own the project from now on. */
  ProjectOwnerTeamChanged: { version: 1, data: z.object({ projectId, teamId: z.uuid(), at }) },
  /**
   * What a level of the configuration document says from now on, complete. `source`: where the level `branch` was
   * pushed from; null at other levels.
   */
  ConfigOverrideChanged: {
    version: 1,
    data: z.object({
      projectId,
      subjectId: z.uuid(),
      level: ConfigLevel,
      override: z.record(z.string(), z.json()).nullable(),
      source: ConfigSource.nullable(),
      at,
    }),
    personal: { subject: 'subjectId', fields: ['override'] },
    large: ['override'],
  },
  /** The pushed configuration stays, but belongs to no file any more. */
  ConfigSourceUnlinked: { version: 1, data: z.object({ projectId, at }) },
  /** The metadata names the actor. `filters`: names of the filters that limited the export. */
  AuditLogExported: {
    version: 1,
    data: z.object({ projectId, format: AuditExportFormat, filters: z.array(z.string()), at }),
  },
  /** A client was about to write users to a file. Otherwise like `AuditLogExported`. */
  UsersExported: {
    version: 1,
    data: z.object({ projectId, format: UserExportFormat, filters: z.array(z.string()), at }),
  },
  /** The project counts as deleted, and can be restored until `deleteAt` (docs/decisions/0093). */
  ProjectDeletionScheduled: { version: 1, data: z.object({ projectId, deleteAt: at, at }) },
  ProjectDeletionCanceled: { version: 1, data: z.object({ projectId, at }) },
  ProjectDeleted: { version: 1, data: z.object({ projectId, at }) },
});
export type ProjectEvent = EventOf<typeof projectEvents>;
