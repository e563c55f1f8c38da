import { z } from 'zod';
import { passwordLength } from '../user/password.ts';
import { QuotaSettings } from './quotas.ts';

/**
 * Providers that the protocol defines, and those that the server may have shared keys for (protocol, projects §1.3).
 */
export const providerIds = [
  'google',
  'github',
  'microsoft',
  'spotify',
  'facebook',
  'discord',
  'gitlab',
  'bitbucket',
  'linkedin',
  'apple',
  'x',
] as const;
export const sharedProviderIds = ['google', 'github', 'microsoft', 'spotify'] as const;

export const OAuthProviderConfig = z.discriminatedUnion('type', [
  z.object({
    id: z.enum(providerIds),
    type: z.enum(['shared', 'standard']),
    clientId: z.string().optional(),
    facebookConfigId: z.string().optional(),
    microsoftTenantId: z.string().optional(),
  }),
  /** Added by the owner with its issuer, under an ID of the owner's choice. */
  z.object({
    id: z.string(),
    type: z.literal('openid'),
    issuer: z.string(),
    clientId: z.string(),
    displayName: z.string(),
  }),
]);
export type OAuthProviderConfig = z.infer<typeof OAuthProviderConfig>;

export const EmailConfig = z.discriminatedUnion('type', [
  z.object({ type: z.literal('shared') }),
  z.object({
    type: z.literal('standard'),
    host: z.string(),
    port: z.number().int(),
    username: z.string(),
    senderName: z.string(),
    senderEmail: z.string(),
  }),
]);

/** The configuration of a project (protocol, projects §1.2) without its secrets. */
export const ProjectConfig = z.object({
  signUpEnabled: z.boolean(),
  credentialEnabled: z.boolean(),
  magicLinkEnabled: z.boolean(),
  passkeyEnabled: z.boolean(),
  clientTeamCreationEnabled: z.boolean(),
  clientUserDeletionEnabled: z.boolean(),
  allowUserApiKeys: z.boolean(),
  allowTeamApiKeys: z.boolean(),
  allowLocalhost: z.boolean(),
  createTeamOnSignUp: z.boolean(),
  oauthAccountMergeStrategy: z.enum(['link_method', 'raise_error', 'allow_duplicates']),
  oauthProviders: z.array(OAuthProviderConfig),
  domains: z.array(z.object({ domain: z.string(), handlerPath: z.string() })),
  emailConfig: EmailConfig,
  teamCreatorDefaultPermissions: z.array(z.string()),
  teamMemberDefaultPermissions: z.array(z.string()),
  userDefaultPermissions: z.array(z.string()),
});
export type ProjectConfig = z.infer<typeof ProjectConfig>;

/** Encrypted under the project's key; null once that key is destroyed. */
export const ProjectSecrets = z.object({
  oauthClientSecrets: z.record(z.string(), z.string()),
  emailPassword: z.string().nullable(),
});
export type ProjectSecrets = z.infer<typeof ProjectSecrets>;

/** In days. */
export const rejectionRetention = { min: 1, standard: 90, max: 365 } as const;

/** In hours. */
export const sessionLifetime = { min: 1, standard: 8_760, max: 8_760 } as const;
/** In seconds. Published clients need a minute (protocol, conventions §4.1). */
export const accessTokenLifetime = { min: 61, max: 3_600 } as const;

/** In characters, for passwords that users choose. */
export const minPasswordLength = { min: passwordLength.min, standard: passwordLength.min, max: 64 } as const;

const graceDays = z.number().int().min(0).max(90);

/** How sign-in pages and emails of the project look; null: the default. */
export const ProjectBranding = z.object({
  logoUrl: z.string().nullable(),
  /** For sign-in pages in dark mode; null: `logoUrl`. */
  darkLogoUrl: z.string().nullable(),
  /** Of buttons and links, as #rrggbb. */
  accentColor: z.string().nullable(),
});
export type ProjectBranding = z.infer<typeof ProjectBranding>;
export const defaultBranding: ProjectBranding = { logoUrl: null, darkLogoUrl: null, accentColor: null };

/** Gatebook settings that are not part of the protocol (protocol, rules 12 and 15). */
export const ProjectSettings = z.object({
  anonymousSignUpEnabled: z.boolean(),
  keylessClientsAllowed: z.boolean(),
  quotas: QuotaSettings.default({}),
  /** Whether users are emailed when their sign-in methods change. */
  securityNoticesEnabled: z.boolean().default(true),
  /** Whether passwords on the list of common and breached passwords are rejected. */
  breachedPasswordsRejected: z.boolean().default(true),
  /** How many characters a password needs that a user chooses from now on. */
  minPasswordLength: z.number().int().min(minPasswordLength.min).max(minPasswordLength.max),
  /**
   * Whether users need a recent sign-in for sensitive changes to their account, which protocol clients do not support.
   */
  reauthenticationRequired: z.boolean().default(false),
  /** Whether users without a verified primary address are restricted (protocol, resources §1.9). */
  emailVerificationRequired: z.boolean().default(false),
  /** How long a session lasts that starts from now on. */
  sessionLifetimeHours: z.number().int().min(sessionLifetime.min).max(sessionLifetime.max),
  /** How long an access token lasts; null: as long as the installation says. */
  accessTokenLifetimeSeconds: z.number().int().min(accessTokenLifetime.min).max(accessTokenLifetime.max).nullable(),
  /** For how many days failed sign-ins and other rejections are kept. */
  rejectionRetentionDays: z.number().int().min(rejectionRetention.min).max(rejectionRetention.max),
  /** For how many days a deleted user can be restored; 0: not at all. */
  userDeletionGraceDays: graceDays,
  /** The same for teams. */
  teamDeletionGraceDays: graceDays,
  /** The same for the project itself. */
  projectDeletionGraceDays: graceDays,
  branding: ProjectBranding,
});
export type ProjectSettings = z.infer<typeof ProjectSettings>;

/** Levels of the configuration document (protocol, projects §13). The last one takes precedence. */
export const ConfigLevel = z.enum(['project', 'branch', 'environment']);
export type ConfigLevel = z.infer<typeof ConfigLevel>;

/** Where the configuration of the level `branch` was pushed from. */
export const ConfigSource = z.discriminatedUnion('type', [
  z.object({
    type: z.literal('pushed-from-github'),
    owner: z.string(),
    repo: z.string(),
    branch: z.string(),
    commitHash: z.string(),
    configFilePath: z.string(),
    workflowPath: z.string().optional(),
  }),
  z.object({ type: z.literal('pushed-from-unknown') }),
  z.object({ type: z.literal('unlinked') }),
]);
export type ConfigSource = z.infer<typeof ConfigSource>;

/** Configuration of a new project (protocol, projects §1.2). */
export const defaultProjectConfig: ProjectConfig = {
  signUpEnabled: true,
  credentialEnabled: true,
  magicLinkEnabled: false,
  passkeyEnabled: false,
  clientTeamCreationEnabled: false,
  clientUserDeletionEnabled: false,
  allowUserApiKeys: false,
  allowTeamApiKeys: false,
  allowLocalhost: true,
  createTeamOnSignUp: false,
  oauthAccountMergeStrategy: 'link_method',
  oauthProviders: [],
  domains: [],
  emailConfig: { type: 'shared' },
  teamCreatorDefaultPermissions: ['team_admin'],
  teamMemberDefaultPermissions: ['team_member'],
  userDefaultPermissions: [],
};
export const defaultProjectSettings: ProjectSettings = {
  anonymousSignUpEnabled: false,
  keylessClientsAllowed: true,
  quotas: {},
  securityNoticesEnabled: true,
  breachedPasswordsRejected: true,
  minPasswordLength: minPasswordLength.standard,
  reauthenticationRequired: false,
  emailVerificationRequired: false,
  sessionLifetimeHours: sessionLifetime.standard,
  accessTokenLifetimeSeconds: null,
  rejectionRetentionDays: rejectionRetention.standard,
  userDeletionGraceDays: 0,
  teamDeletionGraceDays: 0,
  projectDeletionGraceDays: 0,
  branding: defaultBranding,
};
export const noProjectSecrets: ProjectSecrets = { oauthClientSecrets: {}, emailPassword: null };
