import type { ProjectPatch, ProjectView } from '@gatebook/contract/projects';
import type { MailServer } from './emails.ts';
import { type PublicConfig, publicConfigFromWire } from './public-config.ts';

export type ProjectConfig = PublicConfig & {
  allowLocalhost: boolean;
  createTeamOnSignUp: boolean;
  oauthAccountMergeStrategy: MergeStrategy;
  oauthProviders: readonly OAuthProvider[];
  domains: readonly { domain: string; handlerPath: string }[];
  emailConfig: EmailConfig;
  /** IDs of permissions that new users, team members and team creators get. */
  userDefaultPermissions: readonly string[];
  teamMemberDefaultPermissions: readonly string[];
  teamCreatorDefaultPermissions: readonly string[];
};
/** What happens if a provider returns an email address that another account uses for sign-in. */
export type MergeStrategy = 'link_method' | 'raise_error' | 'allow_duplicates';
type ProviderView = ProjectView['config']['oauth_providers'][number];
export type OAuthProviderId =
  | 'google'
  | 'github'
  | 'microsoft'
  | 'spotify'
  | 'facebook'
  | 'discord'
  | 'gitlab'
  | 'bitbucket'
  | 'linkedin'
  | 'apple'
  | 'x';
/** `shared`: uses the keys of this Gatebook; `standard`: uses the project's keys. */
export type OAuthProvider = {
  id: OAuthProviderId;
  type: 'shared' | 'standard';
  clientId?: string;
  clientSecret?: string;
  facebookConfigId?: string;
  microsoftTenantId?: string;
};
/** The mail server of the project: Gatebook's or its own. */
export type EmailConfig = { type: 'shared' } | ({ type: 'standard' } & MailServer);
/** The branding is changed with the settings. */
export type ProjectConfigChanges = Partial<Omit<ProjectConfig, 'branding'>>;

export function configFromWire(config: ProjectView['config']): ProjectConfig {
  return {
    ...publicConfigFromWire(config),
    allowLocalhost: config.allow_localhost,
    createTeamOnSignUp: config.create_team_on_sign_up,
    oauthAccountMergeStrategy: config.oauth_account_merge_strategy,
    oauthProviders: config.oauth_providers.map(providerFromWire),
    domains: config.domains.map(({ domain, handler_path }) => ({ domain, handlerPath: handler_path })),
    emailConfig: emailConfigFromWire(config.email_config),
    userDefaultPermissions: config.user_default_permissions.map(({ id }) => id),
    teamMemberDefaultPermissions: config.team_member_default_permissions.map(({ id }) => id),
    teamCreatorDefaultPermissions: config.team_creator_default_permissions.map(({ id }) => id),
  };
}

/** JSON omits undefined fields, which leaves them unchanged. */
export function configToWire(config: ProjectConfigChanges): NonNullable<ProjectPatch['config']> {
  return {
    sign_up_enabled: config.signUpEnabled,
    credential_enabled: config.credentialEnabled,
    magic_link_enabled: config.magicLinkEnabled,
    passkey_enabled: config.passkeyEnabled,
    client_team_creation_enabled: config.clientTeamCreationEnabled,
    client_user_deletion_enabled: config.clientUserDeletionEnabled,
    allow_user_api_keys: config.allowUserApiKeys,
    allow_team_api_keys: config.allowTeamApiKeys,
    allow_localhost: config.allowLocalhost,
    create_team_on_sign_up: config.createTeamOnSignUp,
    oauth_account_merge_strategy: config.oauthAccountMergeStrategy,
    oauth_providers: config.oauthProviders?.map(providerToWire),
    domains: config.domains?.map(({ domain, handlerPath }) => ({ domain, handler_path: handlerPath })),
    email_config: config.emailConfig && emailConfigToWire(config.emailConfig),
    user_default_permissions: config.userDefaultPermissions?.map((id) => ({ id })),
    team_member_default_permissions: config.teamMemberDefaultPermissions?.map((id) => ({ id })),
    team_creator_default_permissions: config.teamCreatorDefaultPermissions?.map((id) => ({ id })),
  };
}

function providerFromWire(view: ProviderView): OAuthProvider {
  const { id, type, client_id, client_secret, facebook_config_id, microsoft_tenant_id } = view;
  return {
    id,
    type,
    ...(client_id !== undefined && { clientId: client_id }),
    ...(client_secret !== undefined && { clientSecret: client_secret }),
    ...(facebook_config_id !== undefined && { facebookConfigId: facebook_config_id }),
    ...(microsoft_tenant_id !== undefined && { microsoftTenantId: microsoft_tenant_id }),
  };
}

export function providerToWire(provider: OAuthProvider): ProviderView {
  return {
    id: provider.id,
    type: provider.type,
    client_id: provider.clientId,
    client_secret: provider.clientSecret,
    facebook_config_id: provider.facebookConfigId,
    microsoft_tenant_id: provider.microsoftTenantId,
  };
}

function emailConfigFromWire(view: ProjectView['config']['email_config']): EmailConfig {
  if (view.type === 'shared') return { type: 'shared' };
  const { sender_name: senderName, sender_email: senderEmail, ...server } = view;
  return { ...server, senderName, senderEmail };
}

function emailConfigToWire(config: EmailConfig): NonNullable<NonNullable<ProjectPatch['config']>['email_config']> {
  if (config.type === 'shared') return { type: 'shared' };
  const { senderName, senderEmail, ...server } = config;
  return { ...server, sender_name: senderName, sender_email: senderEmail };
}
