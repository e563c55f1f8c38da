import type {
  ClientProjectView,
  NewProject,
  ProjectConfigView,
  ProjectPatch,
  ProjectView,
} from '@gatebook/contract/projects';
import {
  defaultProjectConfig,
  noProjectSecrets,
  type OAuthProviderConfig,
  type ProjectConfig,
  type ProjectSecrets,
} from '@gatebook/domain/project/config';
import { isOpenIdProvider, isStandardProvider, keepOpenIdProviders } from '@gatebook/domain/project/openid-providers';
import { mayActAs, type ProjectRole } from '@gatebook/domain/project/roles';
import type { ProjectRow } from '@gatebook/readmodel/projects/queries';
import type { FastifyRequest } from 'fastify';
import { isNewerClient, isOwnClient } from '../../http/client-version.ts';
import { roleOf } from '../../roles.ts';
import { toBrandingView } from './branding-wire.ts';

type Configured = { config: ProjectConfig; secrets: ProjectSecrets | null };
const asItems = (ids: readonly string[]) => ids.map((id) => ({ id }));

/** The name of a provider that the owner added, which only our own clients know. */
function toEnabledProvider(provider: OAuthProviderConfig, isForOwnClient: boolean) {
  const { id } = provider;
  return isForOwnClient && isOpenIdProvider(provider) ? { id, display_name: provider.displayName } : { id };
}

function switchesOf(request: FastifyRequest, config: ProjectConfig) {
  return {
    sign_up_enabled: config.signUpEnabled,
    credential_enabled: config.credentialEnabled,
    magic_link_enabled: config.magicLinkEnabled,
    passkey_enabled: config.passkeyEnabled,
    client_team_creation_enabled: config.clientTeamCreationEnabled,
    client_user_deletion_enabled: config.clientUserDeletionEnabled,
    allow_user_api_keys: config.allowUserApiKeys,
    allow_team_api_keys: config.allowTeamApiKeys,
    enabled_oauth_providers: config.oauthProviders.map((provider) => toEnabledProvider(provider, isOwnClient(request))),
  };
}

/** What any caller may read; the same for all access types (protocol, projects §2). */
export function toClientProjectView(
  request: FastifyRequest,
  { id, displayName, config, settings }: Pick<ProjectRow, 'id' | 'displayName' | 'config' | 'settings'>,
): ClientProjectView {
  const policies = isOwnClient(request) ? { min_password_length: settings.minPasswordLength } : {};
  const shown = { ...switchesOf(request, config), ...policies, ...brandingFor(request, settings) };
  return { id, display_name: displayName, config: shown };
}

/** Fields that the past does not know: secrets are kept only as long as they are in use. */
export const omittedOfProjects: readonly string[] = [
  'config.oauth_providers.client_secret',
  'config.email_config.password',
];

/** In the form that the client version understands. `role`: of the reader, who sees secrets only as a developer. */
export function toProjectView(
  request: FastifyRequest,
  project: ProjectRow,
  role = roleOf({ owner: request.caller?.owner ?? null }),
): ProjectView {
  return {
    id: project.id,
    display_name: project.displayName,
    description: project.description,
    created_at_millis: project.createdAt,
    user_count: project.userCount,
    is_production_mode: project.isProductionMode,
    ...ownerTeamFor(request, project.ownerTeamId),
    ...roleFor(request, role),
    config: {
      ...toConfigView(request, mayActAs(role, 'developer') ? project : withoutSecrets(project)),
      ...brandingFor(request, project.settings),
    },
  };
}

const brandingFor = (request: FastifyRequest, settings: ProjectRow['settings']) =>
  isOwnClient(request) ? { branding: toBrandingView(settings) } : {};

const roleFor = (request: FastifyRequest, role: ProjectRole) => (isOwnClient(request) ? { role } : {});

/** Clients expect a text where there is a secret. */
function withoutSecrets({ config, secrets }: ProjectRow): Configured {
  const ids = Object.keys(secrets?.oauthClientSecrets ?? {});
  return {
    config,
    secrets: { oauthClientSecrets: Object.fromEntries(ids.map((id) => [id, ''])), emailPassword: null },
  };
}

/** Older libraries do not know owner teams, and strict ones fail on unknown keys. */
const ownerTeamFor = (request: FastifyRequest, ownerTeamId: string | null) =>
  isNewerClient(request) ? { owner_team_id: ownerTeamId } : {};

function toConfigView(request: FastifyRequest, { config, secrets }: Configured): ProjectConfigView {
  return {
    ...switchesOf(request, config),
    allow_localhost: config.allowLocalhost,
    create_team_on_sign_up: config.createTeamOnSignUp,
    oauth_account_merge_strategy: config.oauthAccountMergeStrategy,
    oauth_providers: config.oauthProviders.filter(isStandardProvider).map((provider) => {
      const secret = secrets?.oauthClientSecrets[provider.id];
      return {
        id: provider.id,
        type: provider.type,
        ...(provider.clientId === undefined ? {} : { client_id: provider.clientId }),
        ...(secret === undefined ? {} : { client_secret: secret }),
        ...(provider.facebookConfigId === undefined ? {} : { facebook_config_id: provider.facebookConfigId }),
        ...(provider.microsoftTenantId === undefined ? {} : { microsoft_tenant_id: provider.microsoftTenantId }),
      };
    }),
    domains: config.domains.map(({ domain, handlerPath }) => ({ domain, handler_path: handlerPath })),
    email_config: toEmailConfigView({ config, secrets }),
    team_creator_default_permissions: asItems(config.teamCreatorDefaultPermissions),
    team_member_default_permissions: asItems(config.teamMemberDefaultPermissions),
    user_default_permissions: asItems(config.userDefaultPermissions),
  };
}

function toEmailConfigView({ config: { emailConfig }, secrets }: Configured): ProjectConfigView['email_config'] {
  if (emailConfig.type === 'shared') return { type: 'shared' };
  const { host, port, username, senderName, senderEmail } = emailConfig;
  const password = secrets?.emailPassword ?? '';
  return { type: 'standard', host, port, username, password, sender_name: senderName, sender_email: senderEmail };
}

type Changes = { config: Partial<ProjectConfig>; secrets: Partial<ProjectSecrets> };

type ConfigPatch = NonNullable<ProjectPatch['config']>;
const enabledProviders = ({ oauth_providers }: ConfigPatch) =>
  oauth_providers?.filter(({ enabled }) => enabled !== false);

/** Omitted fields stay omitted. Secrets are separated, because they are encrypted. */
function toConfigChanges(patch: ConfigPatch): Changes {
  const ids = (items: readonly { id: string }[] | undefined) => items?.map(({ id }) => id);
  const config: { [Name in keyof ProjectConfig]: ProjectConfig[Name] | undefined } = {
    signUpEnabled: patch.sign_up_enabled,
    credentialEnabled: patch.credential_enabled,
    magicLinkEnabled: patch.magic_link_enabled,
    passkeyEnabled: patch.passkey_enabled,
    clientTeamCreationEnabled: patch.client_team_creation_enabled,
    clientUserDeletionEnabled: patch.client_user_deletion_enabled,
    allowUserApiKeys: patch.allow_user_api_keys,
    allowTeamApiKeys: patch.allow_team_api_keys,
    allowLocalhost: patch.allow_localhost,
    createTeamOnSignUp: patch.create_team_on_sign_up,
    oauthAccountMergeStrategy: patch.oauth_account_merge_strategy,
    oauthProviders: enabledProviders(patch)?.map((provider) => ({
      id: provider.id,
      type: provider.type,
      ...(provider.client_id === undefined ? {} : { clientId: provider.client_id }),
      ...(provider.facebook_config_id === undefined ? {} : { facebookConfigId: provider.facebook_config_id }),
      ...(provider.microsoft_tenant_id === undefined ? {} : { microsoftTenantId: provider.microsoft_tenant_id }),
    })),
    domains: patch.domains?.map(({ domain, handler_path }) => ({ domain, handlerPath: handler_path })),
    emailConfig: toEmailConfig(patch.email_config),
    teamCreatorDefaultPermissions: ids(patch.team_creator_default_permissions),
    teamMemberDefaultPermissions: ids(patch.team_member_default_permissions),
    userDefaultPermissions: ids(patch.user_default_permissions),
  };
  return { config: withoutUndefined(config), secrets: toSecrets(patch) };
}

function toEmailConfig(
  given: NonNullable<ProjectPatch['config']>['email_config'],
): ProjectConfig['emailConfig'] | undefined {
  if (given?.type !== 'standard') return given && { type: 'shared' };
  const { host, port, username, sender_name, sender_email } = given;
  return { type: 'standard', host, port, username, senderName: sender_name, senderEmail: sender_email };
}

/** Lists and the email configuration are replaced as a whole, with their secrets. */
function toSecrets({ email_config, ...patch }: ConfigPatch): Partial<ProjectSecrets> {
  const secrets: Partial<ProjectSecrets> = {};
  const providers = enabledProviders(patch);
  if (providers) {
    const given = providers.flatMap(({ id, client_secret }) => (client_secret ? [[id, client_secret]] : []));
    secrets.oauthClientSecrets = Object.fromEntries(given);
  }
  if (email_config) secrets.emailPassword = email_config.type === 'standard' ? email_config.password : null;
  return secrets;
}

function withoutUndefined(config: { [Name in keyof ProjectConfig]: ProjectConfig[Name] | undefined }) {
  const given = Object.entries(config).filter(([, value]) => value !== undefined);
  return Object.fromEntries(given) as Partial<ProjectConfig>;
}

/** The input of commands from the body of a create or update request. */
export function toProjectInput(body: ProjectPatch) {
  return {
    ...(body.display_name === undefined ? {} : { displayName: body.display_name }),
    ...(body.description === undefined ? {} : { description: body.description ?? '' }),
    ...(body.is_production_mode === undefined ? {} : { isProductionMode: body.is_production_mode }),
    ...(body.config === undefined ? {} : toConfigChanges(body.config)),
  };
}

/** The future row of a project that was just decided. */
export function decidedProject(
  request: FastifyRequest,
  projectId: string,
  body: NewProject,
  createdAt: string,
): ProjectView {
  const {
    displayName = '',
    description = '',
    isProductionMode = false,
    config,
    secrets,
  } = toProjectInput(body) as {
    displayName?: string;
    description?: string;
    isProductionMode?: boolean;
  } & Partial<Changes>;
  return {
    id: projectId,
    display_name: displayName,
    description,
    created_at_millis: Date.parse(createdAt),
    user_count: 0,
    is_production_mode: isProductionMode,
    ...ownerTeamFor(request, body.owner_team_id ?? null),
    ...roleFor(request, 'owner'),
    config: toConfigView(request, {
      config: { ...defaultProjectConfig, ...config },
      secrets: { ...noProjectSecrets, ...secrets },
    }),
  };
}

/** The future row after a patch. */
export function withProjectChanges(project: ProjectRow, body: ProjectPatch): ProjectRow {
  const { config = {}, secrets = {}, ...details } = toProjectInput(body) as Partial<Changes>;
  const before = { config: project.config, secrets: { ...noProjectSecrets, ...project.secrets } };
  const after = keepOpenIdProviders({ config, secrets }, before);
  return {
    ...project,
    ...details,
    config: { ...before.config, ...after.config },
    secrets: { ...before.secrets, ...after.secrets },
  };
}
