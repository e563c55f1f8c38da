import type { QuotaName } from '@gatebook/domain/project/quotas';

/** The quotas of a project by their names on the wire. */
export const quotaWireNames = {
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
} as const satisfies Record<QuotaName, string>;

export type QuotaWireName = (typeof quotaWireNames)[QuotaName];
