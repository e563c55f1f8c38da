import { productionModeFaults } from '@gatebook/contract/production-mode';
import type { ProjectView } from '@gatebook/contract/projects';
import type { ConfigDocument } from '../project-config.ts';
import type { Read } from './cache.ts';
import { fromWire, toWire } from './fields.ts';
import { NotOfferedError } from './not-offered.ts';
import type { Project, ProjectConfig } from './projects.ts';
import { type Context, createRead, withHooks } from './reads.ts';

export type AdminOAuthProviderConfig =
  | { id: string; type: 'shared' }
  | {
      id: string;
      type: 'standard';
      clientId: string;
      clientSecret: string;
      facebookConfigId?: string;
      microsoftTenantId?: string;
    };
export type AdminEmailConfig =
  | { type: 'shared' }
  | {
      type: 'standard';
      host: string;
      port: number;
      username: string;
      password: string;
      senderName: string;
      senderEmail: string;
    };
type Permissions = readonly { id: string }[];
export type AdminProjectConfig = Omit<ProjectConfig, 'oauthProviders'> & {
  readonly oauthProviders: readonly AdminOAuthProviderConfig[];
  readonly allowLocalhost: boolean;
  readonly createTeamOnSignUp: boolean;
  readonly oauthAccountMergeStrategy: 'link_method' | 'raise_error' | 'allow_duplicates';
  readonly domains: readonly { domain: string; handlerPath: string }[];
  readonly emailConfig: AdminEmailConfig;
  readonly teamCreatorDefaultPermissions: Permissions;
  readonly teamMemberDefaultPermissions: Permissions;
  readonly userDefaultPermissions: Permissions;
};
export type AdminProjectUpdateOptions = {
  displayName?: string;
  description?: string | null;
  isProductionMode?: boolean;
  /** Whether clients need a publishable key. */
  requirePublishableClientKey?: boolean;
  config?: Partial<AdminProjectConfig>;
};
/** Where the pushed configuration comes from. */
export type PushedConfigSource =
  | {
      type: 'pushed-from-github';
      owner: string;
      repo: string;
      branch: string;
      commitHash: string;
      configFilePath: string;
      workflowPath?: string;
    }
  | { type: 'pushed-from-unknown' }
  | { type: 'unlinked' };
type Level = 'branch' | 'environment';

/** A project, with admin access. */
export type AdminProject = Omit<Project, 'config'> & {
  readonly description: string | null;
  readonly createdAt: Date;
  readonly userCount: number;
  readonly isProductionMode: boolean;
  readonly isDevelopmentEnvironment: false;
  readonly ownerTeamId: string | null;
  readonly config: AdminProjectConfig;
  update(options: AdminProjectUpdateOptions): Promise<void>;
  delete(): Promise<void>;
  /** Why production mode cannot be enabled; empty if it can. */
  getProductionModeErrors: Read<[], { message: string; relativeFixUrl: string }[]>;
  /** The settings in force. */
  getConfig: Read<[], ConfigDocument>;
  /** Settings of this environment, which take precedence over pushed ones. Keys are paths with dots, or objects. */
  updateConfig(config: ConfigDocument): Promise<void>;
  /** Replaces the pushed configuration. */
  pushConfig(config: ConfigDocument, options: { source: PushedConfigSource }): Promise<void>;
  /** Lasts until the next push. */
  updatePushedConfig(config: ConfigDocument): Promise<void>;
  getPushedConfigSource: Read<[], PushedConfigSource>;
  unlinkPushedConfigSource(): Promise<void>;
  resetConfigOverrideKeys(level: Level, keys: string[]): Promise<void>;
  getConfigOverride: Read<[level: Level], ConfigDocument>;
  replaceConfigOverride(level: Level, config: ConfigDocument): Promise<void>;
};

const configPath = '/internal/config';
const overridePath = (level: Level | 'project') => `${configPath}/override/${level}`;

export function toAdminProject(context: Context, view: ProjectView): AdminProject {
  const { send, cache } = context;
  const { enabledOauthProviders: _, ...config } = fromWire(view.config);
  const change = async (...request: Parameters<typeof send>): Promise<void> => {
    await send(...request);
    await cache.refresh('/internal/projects', '/projects', configPath);
  };
  const readConfig = async (path: string): Promise<ConfigDocument> =>
    JSON.parse((await send<{ config_string: string }>('GET', path)).config_string);
  const patchLevel = (level: Level | 'project', changes: ConfigDocument) =>
    change('PATCH', overridePath(level), { config_override_string: JSON.stringify(changes) });
  const errors = productionModeFaults(view.id, config).map((fault) => ({ ...fault }));
  return withHooks(context, {
    ...fromWire(view),
    config: config as AdminProjectConfig,
    isDevelopmentEnvironment: false,
    ownerTeamId: view.owner_team_id ?? null,
    update: async ({ requirePublishableClientKey: isRequired, ...options }) => {
      const unknown = Object.keys(options).find((name) => !updatable.has(name));
      if (unknown !== undefined) throw new NotOfferedError(`update({ ${unknown} })`);
      if (isRequired !== undefined) await patchLevel('project', { 'project.requirePublishableClientKey': isRequired });
      await change('PATCH', '/internal/projects/current', toWire(options));
    },
    delete: () => change('DELETE', '/internal/projects/current', {}),
    getProductionModeErrors: createRead(
      context,
      () => '/internal/projects/current#errors',
      async () => errors,
    ),
    getConfig: createRead(
      context,
      () => configPath,
      () => readConfig(configPath),
    ),
    getConfigOverride: createRead(context, overridePath, (level: Level) => readConfig(overridePath(level))),
    updateConfig: (changes) => patchLevel('environment', changes),
    updatePushedConfig: (changes) => patchLevel('branch', changes),
    pushConfig: (pushed, { source }) =>
      change('PUT', overridePath('branch'), { config_string: JSON.stringify(pushed), source: toWire(source) }),
    replaceConfigOverride: (level, replacement) =>
      change('PUT', overridePath(level), { config_string: JSON.stringify(replacement) }),
    resetConfigOverrideKeys: (level, keys) => change('POST', `${overridePath(level)}/reset-keys`, { keys }),
    getPushedConfigSource: createRead(
      context,
      () => `${configPath}/source`,
      async () =>
        fromWire((await send<{ source: object }>('GET', `${configPath}/source`)).source) as PushedConfigSource,
    ),
    unlinkPushedConfigSource: () => change('DELETE', `${configPath}/source`, {}),
  });
}

/** Newer clients have options, such as logos, that Gatebook leaves out. */
const updatable: ReadonlySet<string> = new Set(['displayName', 'description', 'isProductionMode', 'config']);
