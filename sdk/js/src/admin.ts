/** The app of operators, and the client of owners: projects, settings, users, teams, keys, emails, operations. */
export { GatebookAdminApp, type GatebookAdminAppOptions, type UserCounts } from './app/admin-app.ts';
export type {
  AdminEmailOutbox,
  AdminEmailTemplate,
  AdminSentEmail,
  EmailOutboxListOptions,
  EmailOutboxUpdateOptions,
} from './app/admin-emails.ts';
export type { InternalApiKey, InternalApiKeyCreateOptions, InternalApiKeyFirstView } from './app/admin-keys.ts';
export type { AdminPermissionDefinition, PermissionDefinitionUpdateOptions } from './app/admin-permissions.ts';
export type {
  AdminEmailConfig,
  AdminOAuthProviderConfig,
  AdminProject,
  AdminProjectConfig,
  AdminProjectUpdateOptions,
  PushedConfigSource,
} from './app/admin-projects.ts';
export type { AdminOwnedProject, AdminProjectCreateOptions, DeletedOwnedProject } from './app/internal-user.ts';
export { type CurrentInternalUser, GatebookOwnerApp } from './app/owner-app.ts';
export type { Moment } from './app/past-app.ts';
export type * from './audit.ts';
export type * from './changes.ts';
export type * from './custom-metrics.ts';
export type { DeletedItemsClient, DeletedPage, DeletedPageQuery } from './deleted.ts';
export type * from './emails.ts';
export { callOfTemplate, callOfTemplateVersion, callOfVersionReset, emailLanguages } from './emails.ts';
export type * from './explanations.ts';
export type * from './history.ts';
export type * from './imports.ts';
export { findInsecureDomains, type InsecureDomain, type InsecureDomainKind } from './insecure-domains.ts';
export type { ListPage, PageQuery } from './list-pages.ts';
export type { RestrictionType } from './me.ts';
export type { DroppedItem, MergeEffect, MergeItem, UserMerge, UserMergePreview } from './merge-users.ts';
export type * from './metrics.ts';
export type * from './openid-providers.ts';
export type * from './operations.ts';
export {
  callOfProjectTransfer,
  type DeletedProject,
  type OwnedProjectsClient,
  type ProjectOrder,
  type ProjectOverview,
  type SearchProjects,
} from './owned-projects.ts';
export {
  callOfGrant,
  containedThrough,
  type HeldPermission,
  type HolderCount,
  type HolderPage,
  type PermissionChanges,
  type PermissionDefinition,
  type PermissionHolder,
  type PermissionScope,
  type PermissionsClient,
} from './permissions.ts';
export type * from './project-config.ts';
export type {
  EmailConfig,
  MergeStrategy,
  OAuthProvider,
  OAuthProviderId,
  ProjectConfig,
  ProjectConfigChanges,
} from './project-config-fields.ts';
export {
  type CreateProjectKey,
  callOfKeyRotation,
  endsSoon,
  type FirstRequest,
  type KeyRotation,
  type NewProjectKey,
  type ProjectKey,
  type ProjectKeyKind,
  type ProjectKeysClient,
  whyInvalid,
} from './project-keys.ts';
export {
  callOfRoleChange,
  type HandoverRole,
  type InvitationLink,
  type ProjectInvitation,
  type ProjectInvitationsClient,
  type ProjectMember,
  type ProjectMembersClient,
  type ProjectRole,
  type ReceivedInvitation,
} from './project-members.ts';
export { callOfSettingsUpdate, type ProjectSettings, type ProjectSettingsChanges } from './project-settings.ts';
export {
  callOfProjectUpdate,
  type DomainTest,
  type PasswordMigration,
  type Project,
  type ProjectChanges,
  type ProjectClient,
  type ProviderTest,
  type TestedProvider,
} from './projects.ts';
export type { QuotaChanges, QuotaName, Quotas } from './quotas.ts';
export type { SetupClient } from './setup.ts';
export type {
  DeletedTeam,
  DeletedTeamPage,
  SearchTeams,
  Team,
  TeamChanges,
  TeamInvitation,
  TeamMember,
  TeamOrder,
  TeamOverview,
  TeamsClient,
} from './teams.ts';
export type * from './user-batches.ts';
export type { UserFilters } from './user-filters.ts';
export type {
  DeletedUser,
  DeletedUserPage,
  LinkedAccount,
  ListUsers,
  SearchUsers,
  User,
  UserChanges,
  UserCount,
  UserOrder,
  UserPage,
  UsersClient,
} from './users.ts';
export { callOfUserUpdate } from './users.ts';
export type * from './webhooks.ts';
export { callOfSecretRotation } from './webhooks.ts';
