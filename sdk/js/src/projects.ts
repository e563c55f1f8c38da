import type {
  DomainTestBody,
  DomainTestView,
  ProviderTestBody,
  ProviderTestView,
} from '@gatebook/contract/connection-tests';
import type { ProjectSettingsView } from '@gatebook/contract/project-settings';
import type { ProjectPatch, ProjectView } from '@gatebook/contract/projects';
import type { PreviewedCall } from './changes.ts';
import {
  configFromWire,
  configToWire,
  type OAuthProvider,
  type ProjectConfig,
  type ProjectConfigChanges,
  providerToWire,
} from './project-config-fields.ts';
import type { ProjectRole } from './project-members.ts';
import {
  type ProjectSettings,
  type ProjectSettingsChanges,
  settingsFromWire,
  settingsToWire,
} from './project-settings.ts';
import type { Send } from './transport.ts';

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
export type ProjectChanges = {
  displayName?: string;
  description?: string;
  isProductionMode?: boolean;
  config?: ProjectConfigChanges;
};

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
  body: projectToWire(changes),
});

export const projectClient = (send: Send): ProjectClient => ({
  find: async () => projectFromWire(await send<ProjectView>('GET', current)),
  update: async (changes) => projectFromWire(await send<ProjectView>('PATCH', current, projectToWire(changes))),
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

export function projectFromWire(view: ProjectView): Project {
  return {
    id: view.id,
    displayName: view.display_name,
    description: view.description,
    createdAt: new Date(view.created_at_millis),
    userCount: view.user_count,
    isProductionMode: view.is_production_mode,
    ownerTeamId: view.owner_team_id ?? null,
    role: view.role ?? 'owner',
    config: configFromWire(view.config),
  };
}

export function projectToWire({ displayName, description, isProductionMode, config }: ProjectChanges): ProjectPatch {
  return {
    ...(displayName !== undefined && { display_name: displayName }),
    ...(description !== undefined && { description }),
    ...(isProductionMode !== undefined && { is_production_mode: isProductionMode }),
    ...(config !== undefined && { config: configToWire(config) }),
  };
}
