/** The client of owners: projects, their settings, users, teams, keys, emails, and operations of the installation. */
export { type AdminClient, createOwnerClient, type OwnerClient, type OwnerClientOptions } from './client.ts';
export type * from './emails.ts';
export type * from './history.ts';
export type * from './metrics.ts';
export type * from './operations.ts';
export {
  containedThrough,
  type PermissionChanges,
  type PermissionDefinition,
  type PermissionHolder,
  type PermissionScope,
  type PermissionsClient,
} from './permissions.ts';
export type * from './project-config.ts';
export {
  type CreateProjectKey,
  type NewProjectKey,
  type ProjectKey,
  type ProjectKeyKind,
  type ProjectKeysClient,
  whyInvalid,
} from './project-keys.ts';
export type * from './projects.ts';
export { findProductionModeFaults } from './projects.ts';
export type { QuotaChanges, QuotaName, Quotas } from './quotas.ts';
export type { SetupClient } from './setup.ts';
export type { Team, TeamChanges, TeamInvitation, TeamMember, TeamsClient } from './teams.ts';
export type {
  DeletedUser,
  DeletedUserPage,
  ListUsers,
  RestrictionType,
  User,
  UserChanges,
  UserPage,
  UsersClient,
} from './users.ts';
