import type { ProjectSettingsPatch, ProjectSettingsView } from '@gatebook/contract/project-settings';
import type { quotaWireNames } from '@gatebook/contract/quota-names';

const wireNames = {
  teamsPerUser: 'teams_per_user',
  membershipsPerUser: 'memberships_per_user',
  apiKeysPerUser: 'api_keys_per_user',
  apiKeysPerTeam: 'api_keys_per_team',
  contactChannelsPerUser: 'contact_channels_per_user',
  providerAccountsPerUser: 'provider_accounts_per_user',
  sessionsPerUser: 'sessions_per_user',
  projectKeys: 'project_keys',
  domains: 'domains',
  permissionDefinitions: 'permission_definitions',
  webhookEndpoints: 'webhook_endpoints',
  projectsPerOwner: 'projects_per_owner',
} as const satisfies typeof quotaWireNames;

export type QuotaName = keyof typeof wireNames;
/** Upper limits by name. */
export type Quotas = Readonly<Record<QuotaName, number>>;
/** Null restores the default. */
export type QuotaChanges = Readonly<Partial<Record<QuotaName, number | null>>>;

const names = Object.keys(wireNames) as readonly QuotaName[];

export const quotasFromWire = (view: ProjectSettingsView['quotas']): Quotas =>
  Object.fromEntries(names.map((name) => [name, view[wireNames[name]]])) as Quotas;

export const quotasToWire = (changes: QuotaChanges): NonNullable<ProjectSettingsPatch['quotas']> =>
  Object.fromEntries(names.map((name) => [wireNames[name], changes[name]]));
