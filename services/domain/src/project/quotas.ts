import { z } from 'zod';

/**
 * Maximum number of items per owner: `standard` unless the project's settings change it, at most `most`. `access`:
 * which calls the quota applies to and counts.
 */
export const quotaRules = {
  teamsPerUser: { standard: 100, most: 1_000, access: 'client', things: 'teams created by a user' },
  membershipsPerUser: { standard: 500, most: 5_000, access: 'client', things: 'teams joined by a user by invitation' },
  apiKeysPerUser: { standard: 100, most: 1_000, access: 'client', things: 'active API keys of a user' },
  apiKeysPerTeam: { standard: 100, most: 1_000, access: 'client', things: 'active API keys of a team' },
  contactChannelsPerUser: { standard: 50, most: 1_000, access: 'client', things: 'email addresses of a user' },
  providerAccountsPerUser: { standard: 20, most: 100, access: 'client', things: 'connected accounts of a user' },
  sessionsPerUser: { standard: 100, most: 1_000, access: 'all', things: 'sessions of a user' },
  projectKeys: { standard: 100, most: 1_000, access: 'all', things: 'active key sets of a project' },
  domains: { standard: 100, most: 1_000, access: 'all', things: 'trusted domains of a project' },
  permissionDefinitions: { standard: 200, most: 1_000, access: 'all', things: 'permission definitions of a project' },
  webhookEndpoints: { standard: 50, most: 200, access: 'all', things: 'webhook endpoints of a project' },
  projectsPerOwner: { standard: 100, most: 1_000, access: 'client', things: 'projects created by an owner' },
} as const satisfies Record<string, { standard: number; most: number; access: 'client' | 'all'; things: string }>;

export type QuotaName = keyof typeof quotaRules;
export const quotaNames = Object.keys(quotaRules) as readonly QuotaName[] as readonly [QuotaName, ...QuotaName[]];

/** Quotas of a project that differ from the standard. */
export const QuotaSettings = z.partialRecord(z.enum(quotaNames), z.number().int().min(1));
export type QuotaSettings = z.infer<typeof QuotaSettings>;

type Settings = { readonly quotas: QuotaSettings };

export const quotaOf = ({ quotas }: Settings, name: QuotaName): number => quotas[name] ?? quotaRules[name].standard;
