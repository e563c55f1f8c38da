import type {
  DomainTestBody,
  DomainTestView,
  ProviderTestBody,
  ProviderTestView,
} from '@gatebook/contract/connection-tests';
import type { DeletedProjectListView } from '@gatebook/contract/deleted-projects';
import type { ProjectSettingsPatch, ProjectSettingsView } from '@gatebook/contract/project-settings';
import type {
  NewProject,
  ProjectOverviewList,
  ProjectPatch,
  ProjectTransfer,
  ProjectView,
} from '@gatebook/contract/projects';
import type { PreviewedCall } from './changes.ts';
import type { MailServer } from './emails.ts';
import { type ListPage, type PageQuery, toListPage, toPageParams } from './list-pages.ts';
import type { OwnTeam } from './own-teams.ts';
import type { ProjectRole } from './project-members.ts';
import { type Branding, brandingFromWire, type PublicConfig, publicConfigFromWire } from './public-config.ts';
import { type QuotaChanges, type Quotas, quotasFromWire, quotasToWire } from './quotas.ts';
import type { Send } from './transport.ts';

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
export type Project = {
  id: string;
  displayName: string;
  description: string;
  createdAt: Date;
  userCount: number;
  isProductionMode: boolean;
  /** The team of `internal` whose members own the project; null if users own it directly. */
  ownerTeamId: string | null;
  /** The role of the caller in the project. A project key acts as an owner. */
  role: ProjectRole;
  config: ProjectConfig;
};
/** A project in a list, without its configuration. `lastActiveAt`: of any of its users. */
export type ProjectOverview = Omit<Project, 'config' | 'ownerTeamId'> & { lastActiveAt: Date | null };
export type ProjectOrder = 'displayName' | 'createdAt' | 'userCount' | 'lastActiveAt';
/** `query`: part of a name or an ID. `id`: of the only project. */
export type SearchProjects = PageQuery & { query?: string; id?: string; orderBy?: ProjectOrder; desc?: boolean };
/** A project that its owners can restore until `erasedAt`, with everything in it. */
export type DeletedProject = { id: string; displayName: string; createdAt: Date; deletedAt: Date; erasedAt: Date };
export type ProjectChanges = {
  displayName?: string;
  description?: string;
  isProductionMode?: boolean;
  config?: ProjectConfigChanges;
};
/** Settings that are not part of the protocol's project configuration. */
export type ProjectSettings = {
  anonymousSignUpEnabled: boolean;
  keylessClientsAllowed: boolean;
  /** Emails users when their sign-in methods change. */
  securityNoticesEnabled: boolean;
  /** Rejects new passwords that are on the list of common and breached passwords. */
  breachedPasswordsRejected: boolean;
  /** How many characters a password needs that a user chooses from now on, from 8 to 64. */
  minPasswordLength: number;
  /** Sensitive changes of the user's own account require a sign-in within the last ten minutes. */
  reauthenticationRequired: boolean;
  /** Users without a verified primary address are restricted. */
  emailVerificationRequired: boolean;
  /** For how many hours a session lasts that starts from now on, from 1 to 8,760 (a year). */
  sessionLifetimeHours: number;
  /** For how many seconds an access token lasts, from 61 to 3,600; null: as long as the installation says. */
  accessTokenLifetimeSeconds: number | null;
  /** For how many days failed sign-ins and other rejections are kept, from 1 to 365. */
  rejectionRetentionDays: number;
  /** For how many days a deleted user can be restored, 0 to 90; 0: not at all. */
  userDeletionGraceDays: number;
  /** The same for teams. */
  teamDeletionGraceDays: number;
  /** The same for the project itself. */
  projectDeletionGraceDays: number;
  branding: Branding;
  quotas: Quotas;
};
export type ProjectSettingsChanges = Partial<Omit<ProjectSettings, 'quotas' | 'branding'>> & {
  quotas?: QuotaChanges;
  branding?: Partial<Branding>;
};

/** Projects of the signed-in owner; requires a client of `internal`. */
export type OwnedProjectsClient = {
  /** Projects in which the caller has a role, by name unless `orderBy` says otherwise. */
  search(query: SearchProjects): Promise<ListPage<ProjectOverview>>;
  /** `ownerTeamId`: a team of the caller, which becomes the owner instead of the caller. */
  create(input: ProjectChanges & { displayName: string; ownerTeamId?: string | null }): Promise<Project>;
  /** Makes a team of the caller the only owner. */
  transfer(projectId: string, teamId: string): Promise<void>;
  /** Teams of the caller, which can own projects. Oldest first. */
  listOwnerTeams(): Promise<readonly OwnTeam[]>;
  /** Those first that are erased first. */
  listDeleted(): Promise<readonly DeletedProject[]>;
};

/** What `transfer` calls, for a preview by `OwnerClient.changes`. */
export const callOfProjectTransfer = (projectId: string, teamId: string): PreviewedCall => ({
  method: 'POST',
  path: '/internal/projects/transfer',
  body: { project_id: projectId, new_team_id: teamId } satisfies ProjectTransfer,
});

const wireOrders = {
  displayName: 'display_name',
  createdAt: 'created_at',
  userCount: 'user_count',
  lastActiveAt: 'last_active_at',
} as const satisfies Record<ProjectOrder, string>;

export const ownedProjectsClient = (send: Send): OwnedProjectsClient => ({
  search: async ({ query, id, orderBy, desc, ...page }) => {
    const search = new URLSearchParams({
      ...toPageParams(page),
      ...(query && { query }),
      ...(id !== undefined && { id }),
      ...(orderBy && { order_by: wireOrders[orderBy] }),
      ...(desc && { desc: 'true' }),
    });
    return toListPage(await send<ProjectOverviewList>('GET', `/internal/projects/search?${search}`), (view) => ({
      id: view.id,
      displayName: view.display_name,
      description: view.description,
      isProductionMode: view.is_production_mode,
      userCount: view.user_count,
      role: view.role,
      createdAt: new Date(view.created_at_millis),
      lastActiveAt: view.last_active_at_millis === null ? null : new Date(view.last_active_at_millis),
    }));
  },
  create: async (input) => {
    const { displayName: display_name, ownerTeamId: owner_team_id } = input;
    const body: NewProject = { ...toWire(input), display_name, owner_team_id };
    return fromWire(await send<ProjectView>('POST', '/internal/projects', body));
  },
  transfer: async (projectId, teamId) => {
    const { method, path, body } = callOfProjectTransfer(projectId, teamId);
    await send(method, path, body);
  },
  listOwnerTeams: async () => (await import('./own-teams.ts')).ownTeamsClient(send).list(),
  listDeleted: async () =>
    (await send<DeletedProjectListView>('GET', '/internal/deleted-projects')).items.map((view) => ({
      id: view.id,
      displayName: view.display_name,
      createdAt: new Date(view.created_at_millis),
      deletedAt: new Date(view.deleted_at_millis),
      erasedAt: new Date(view.erased_at_millis),
    })),
});

export type PasswordMigration = { url: string | null; secret: string | null };
/** The project of the request headers; requires admin access. */
export type ProjectClient = {
  find(): Promise<Project>;
  update(changes: ProjectChanges): Promise<Project>;
  /** Erases the project at once, or after its grace period. */
  delete(): Promise<void>;
  /** Takes a deletion back. Requires the token of an owner, because keys of a deleted project are rejected. */
  restore(): Promise<void>;
  /** Erases the project at once, without a grace period. */
  erase(): Promise<void>;
  findSettings(): Promise<ProjectSettings>;
  /** Where passwords of unknown users are checked, and the secret that signs the requests; nulls if nowhere. */
  findPasswordMigration(): Promise<PasswordMigration>;
  /** A URL gets a new secret; null ends the migration. */
  setPasswordMigration(url: string | null): Promise<PasswordMigration>;
  updateSettings(changes: ProjectSettingsChanges): Promise<ProjectSettings>;
  /** Whether a provider accepts client ID and secret, saved or not. */
  testProvider(provider: TestedProvider): Promise<ProviderTest>;
  /** Whether the sign-in page of a trusted domain answers, saved or not. */
  testDomain(domain: { domain: string; handlerPath: string }): Promise<DomainTest>;
};

/** Client ID and secret of one of the known providers, or of an OpenID Connect provider. */
export type TestedProvider =
  | (OAuthProvider & { type: 'standard'; clientId: string; clientSecret: string })
  | { type: 'openid'; id: string; issuer: string; clientId: string; clientSecret: string };
/** `unclear`: the answer of the provider does not say. */
export type ProviderTest = 'accepted' | 'keys_rejected' | 'unreachable' | 'unclear';
/** `status` is null if there was no answer, for the `reason`. */
export type DomainTest = {
  url: string;
  status: number | null;
  reason: 'not_allowed' | 'unreachable' | 'timeout' | null;
};

const current = '/internal/projects/current';

/** What `update` calls, for a preview. */
export const callOfProjectUpdate = (changes: ProjectChanges): PreviewedCall => ({
  method: 'PATCH',
  path: current,
  body: toWire(changes),
});

/** What `updateSettings` calls, for a preview. */
export const callOfSettingsUpdate = (changes: ProjectSettingsChanges): PreviewedCall => ({
  method: 'PATCH',
  path: `${current}/settings`,
  body: settingsToWire(changes),
});

export const projectClient = (send: Send): ProjectClient => ({
  find: async () => fromWire(await send<ProjectView>('GET', current)),
  update: async (changes) => fromWire(await send<ProjectView>('PATCH', current, toWire(changes))),
  delete: async () => {
    await send('DELETE', current, {});
  },
  restore: async () => {
    await send('POST', `${current}/restore`, {});
  },
  erase: async () => {
    await send('POST', `${current}/erase`, {});
  },
  findPasswordMigration: () => send<PasswordMigration>('GET', `${current}/password-migration`),
  setPasswordMigration: (url) => send<PasswordMigration>('PUT', `${current}/password-migration`, { url }),
  findSettings: async () => settingsFromWire(await send<ProjectSettingsView>('GET', `${current}/settings`)),
  updateSettings: async (changes) =>
    settingsFromWire(await send<ProjectSettingsView>('PATCH', `${current}/settings`, settingsToWire(changes))),
  testProvider: async (provider) => {
    const { clientId: client_id, clientSecret: client_secret } = provider;
    const body: ProviderTestBody =
      provider.type === 'openid'
        ? { type: 'openid', id: provider.id, issuer: provider.issuer, client_id, client_secret }
        : { ...providerToWire(provider), type: 'standard', client_id, client_secret };
    return (await send<ProviderTestView>('POST', `${current}/oauth-providers/test`, body)).result;
  },
  testDomain: ({ domain, handlerPath }) =>
    send<DomainTestView>('POST', `${current}/domains/test`, {
      domain,
      handler_path: handlerPath,
    } satisfies DomainTestBody),
});

const settingsToWire = (changes: ProjectSettingsChanges): ProjectSettingsPatch => ({
  anonymous_sign_up_enabled: changes.anonymousSignUpEnabled,
  keyless_clients_allowed: changes.keylessClientsAllowed,
  quotas: changes.quotas && quotasToWire(changes.quotas),
  security_notices_enabled: changes.securityNoticesEnabled,
  breached_passwords_rejected: changes.breachedPasswordsRejected,
  min_password_length: changes.minPasswordLength,
  reauthentication_required: changes.reauthenticationRequired,
  email_verification_required: changes.emailVerificationRequired,
  session_lifetime_hours: changes.sessionLifetimeHours,
  access_token_lifetime_seconds: changes.accessTokenLifetimeSeconds,
  rejection_retention_days: changes.rejectionRetentionDays,
  user_deletion_grace_days: changes.userDeletionGraceDays,
  team_deletion_grace_days: changes.teamDeletionGraceDays,
  project_deletion_grace_days: changes.projectDeletionGraceDays,
  branding: changes.branding && {
    logo_url: changes.branding.logoUrl,
    dark_logo_url: changes.branding.darkLogoUrl,
    accent_color: changes.branding.accentColor,
  },
});

function settingsFromWire(view: ProjectSettingsView): ProjectSettings {
  return {
    anonymousSignUpEnabled: view.anonymous_sign_up_enabled,
    keylessClientsAllowed: view.keyless_clients_allowed,
    quotas: quotasFromWire(view.quotas),
    securityNoticesEnabled: view.security_notices_enabled,
    breachedPasswordsRejected: view.breached_passwords_rejected,
    minPasswordLength: view.min_password_length,
    reauthenticationRequired: view.reauthentication_required,
    emailVerificationRequired: view.email_verification_required,
    sessionLifetimeHours: view.session_lifetime_hours,
    accessTokenLifetimeSeconds: view.access_token_lifetime_seconds,
    rejectionRetentionDays: view.rejection_retention_days,
    userDeletionGraceDays: view.user_deletion_grace_days,
    teamDeletionGraceDays: view.team_deletion_grace_days,
    projectDeletionGraceDays: view.project_deletion_grace_days,
    branding: brandingFromWire(view.branding),
  };
}

function fromWire(view: ProjectView): Project {
  const { config } = view;
  return {
    id: view.id,
    displayName: view.display_name,
    description: view.description,
    createdAt: new Date(view.created_at_millis),
    userCount: view.user_count,
    isProductionMode: view.is_production_mode,
    ownerTeamId: view.owner_team_id ?? null,
    role: view.role ?? 'owner',
    config: {
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
    },
  };
}

function toWire({ displayName, description, isProductionMode, config }: ProjectChanges): ProjectPatch {
  return {
    ...(displayName !== undefined && { display_name: displayName }),
    ...(description !== undefined && { description }),
    ...(isProductionMode !== undefined && { is_production_mode: isProductionMode }),
    ...(config !== undefined && { config: configToWire(config) }),
  };
}

/** JSON omits undefined fields, which leaves them unchanged. */
function configToWire(config: ProjectConfigChanges): NonNullable<ProjectPatch['config']> {
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

function providerToWire(provider: OAuthProvider): ProviderView {
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
