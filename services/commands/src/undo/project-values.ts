import { parseVersionId } from '@gatebook/domain/email/template-versions';
import type { PermissionScope } from '@gatebook/domain/permission/definition';
import type {
  ConfigLevel,
  ConfigSource,
  ProjectConfig,
  ProjectSecrets,
  ProjectSettings,
} from '@gatebook/domain/project/config';
import type { Layer } from '@gatebook/domain/project/config-document/layers';
import { type ProjectCommand, projectDecider } from '@gatebook/domain/project/decide';
import { rolesOf } from '@gatebook/domain/project/members';
import type { ProjectRole } from '@gatebook/domain/project/roles';
import {
  type ActiveProject,
  type EmailTemplate,
  existingProject,
  type PasswordMigration,
  type ProjectState,
} from '@gatebook/domain/project/state';
import type { LoadedAggregate, UnitOfWork } from '../execute.ts';
import { decideMember, type LoadedProject } from '../project/members.ts';
import { streamOf } from '../streams.ts';
import { keyed, type Restorable, requireGraceLeft } from './restorable.ts';
import { isSameValue } from './restore-values.ts';

type Definition = { permission_id: string; scope: PermissionScope; description: string | null; contained: Set };
type Set = Record<string, true>;
type Template = { subject: string | null; content: readonly [EmailTemplate['content']] };

/** Lists are kept by the IDs of their entries, so that entries are restored one by one. */
type ProjectValues = {
  display_name: string;
  description: string;
  is_production_mode: boolean;
  config: ReturnType<typeof configValues>;
  settings: Record<string, unknown>;
  permission_definitions: Record<string, Definition>;
  /** By the ID of the version. The content is in a list so that it is restored as a whole. */
  email_templates: Partial<Record<string, Template>>;
  config_overrides: Record<ConfigLevel, Layer>;
  config_source: ConfigSource;
  password_migration: PasswordMigration | null;
  members: Record<string, ProjectRole>;
  scheduled_deletion: { erased_at: string } | null;
};

function configValues({ config, secrets }: Pick<ActiveProject, 'config' | 'secrets'>) {
  const { oauthProviders, domains, emailConfig, ...rest } = config;
  const { teamCreatorDefaultPermissions, teamMemberDefaultPermissions, userDefaultPermissions, ...switches } = rest;
  const providers = oauthProviders.map(({ id, ...provider }) => {
    return [id, { ...provider, clientSecret: secrets.oauthClientSecrets[id] }] as const;
  });
  const emailPassword = emailConfig.type === 'standard' ? secrets.emailPassword : undefined;
  return {
    switches,
    oauth_providers: Object.fromEntries(providers) as Record<string, Omit<Provider, 'id'> & { clientSecret?: string }>,
    domains: Object.fromEntries(domains.map(({ domain, handlerPath }) => [domain, handlerPath])),
    email_config: { ...emailConfig, password: emailPassword } as ProjectConfig['emailConfig'] & {
      password?: string | null;
    },
    team_creator_default_permissions: keyed(teamCreatorDefaultPermissions),
    team_member_default_permissions: keyed(teamMemberDefaultPermissions),
    user_default_permissions: keyed(userDefaultPermissions),
  };
}
type Provider = ProjectConfig['oauthProviders'][number];

function toConfig(values: ProjectValues['config']): { config: ProjectConfig; secrets: ProjectSecrets } {
  const { password = null, ...emailConfig } = values.email_config;
  const providers = Object.entries(values.oauth_providers);
  const secrets = providers.flatMap(([id, { clientSecret }]) =>
    clientSecret === undefined ? [] : [[id, clientSecret]],
  );
  const config = {
    ...values.switches,
    oauthProviders: providers.map(([id, { clientSecret: _, ...provider }]) => ({ ...provider, id }) as Provider),
    domains: Object.entries(values.domains).map(([domain, handlerPath]) => ({ domain, handlerPath })),
    emailConfig: (emailConfig.type === 'shared' ? { type: 'shared' } : emailConfig) as ProjectConfig['emailConfig'],
    teamCreatorDefaultPermissions: Object.keys(values.team_creator_default_permissions),
    teamMemberDefaultPermissions: Object.keys(values.team_member_default_permissions),
    userDefaultPermissions: Object.keys(values.user_default_permissions),
  };
  return { config, secrets: { oauthClientSecrets: Object.fromEntries(secrets), emailPassword: password } };
}

export const restorableProject: Restorable<ProjectState, ProjectValues> = {
  valuesOf: (state) => {
    const project = existingProject(state);
    const deletion = state.status === 'awaiting_deletion' ? { erased_at: state.deleteAt } : null;
    return project && { ...projectValues(project), scheduled_deletion: deletion };
  },
  restore: async (work, projectId, { from, to }, { at }) => {
    const project = await work.load(projectDecider, streamOf.project(projectId));
    if (from.scheduled_deletion !== null && to.scheduled_deletion === null) {
      project.decide({ type: 'RestoreProject', at });
    }
    for (const command of definitionCommands(from, to, at)) project.decide(withCurrentIds(project, command));
    for (const command of otherCommands(from, to, at)) project.decide(command);
    await restoreMembers(work, project, { from: from.members, to: to.members });
    const deletion = to.scheduled_deletion;
    if (deletion === null || isSameValue(from.scheduled_deletion, deletion)) return;
    project.decide({ type: 'ScheduleDeletion', graceDays: requireGraceLeft(deletion.erased_at, at), at });
  },
};

/** Owners first, so that one remains. */
async function restoreMembers(work: UnitOfWork, project: LoadedProject, { from, to }: { from: Members; to: Members }) {
  const userIds = [...new Set([...Object.keys(to), ...Object.keys(from)])];
  const changes = userIds
    .filter((userId) => from[userId] !== to[userId])
    .map((userId) => ({ userId, role: to[userId] ?? null }));
  for (const change of changes.filter(({ role }) => role === 'owner')) await decideMember(work, project, change);
  for (const change of changes.filter(({ role }) => role !== 'owner')) await decideMember(work, project, change);
}
type Members = Readonly<Record<string, ProjectRole>>;

function projectValues(project: ActiveProject): Omit<ProjectValues, 'scheduled_deletion'> {
  const { details, settings, permissions, emailTemplates, configLayers, configSource, passwordMigration } = project;
  const definitions = permissions.map(({ key, id, scope, description, contained }) => {
    return [key, { permission_id: id, scope, description, contained: keyed(contained) }] as const;
  });
  const templates = [...emailTemplates].map(([id, { subject, content }]) => {
    return [id, { subject, content: [content] as const }] as const;
  });
  return {
    display_name: details.displayName,
    description: details.description,
    is_production_mode: details.isProductionMode,
    config: configValues(project),
    settings,
    permission_definitions: Object.fromEntries(definitions),
    email_templates: Object.fromEntries(templates),
    config_overrides: configLayers,
    config_source: configSource,
    password_migration: passwordMigration,
    members: Object.fromEntries(rolesOf(project)),
  };
}

type DefinitionCommand = Extract<ProjectCommand, { type: `${string}Permission` }>;

/** Deletions first, so that the IDs are free. `contained` holds keys until `withCurrentIds`. */
function definitionCommands(
  { permission_definitions: from }: ProjectValues,
  { permission_definitions: to }: ProjectValues,
  at: string,
): DefinitionCommand[] {
  const deleted = Object.entries(from).filter(([key]) => !Object.hasOwn(to, key));
  const restored = Object.entries(to).filter(([key]) => !Object.hasOwn(from, key));
  const changed = Object.entries(to).flatMap(([key, after]) => {
    const before = from[key];
    return before === undefined || isSameValue(before, after) ? [] : [{ before, after }];
  });
  return [
    ...deleted.map(([, { scope, permission_id: id }]): DefinitionCommand => {
      return { type: 'DeletePermission', scope, id, at };
    }),
    ...restored.map(([key, { permission_id: id, scope, description, contained }]): DefinitionCommand => {
      return { type: 'RestorePermission', key, id, scope, description, contained: Object.keys(contained), at };
    }),
    ...changed.map(({ before, after }): DefinitionCommand => {
      const { permission_id: id, description, contained } = after;
      const change = { id, description, contained: Object.keys(contained) };
      return { type: 'RedefinePermission', scope: before.scope, id: before.permission_id, change, at };
    }),
  ];
}

/** Permissions that were deleted since are left out. */
function withCurrentIds(
  { state }: LoadedAggregate<ProjectState, ProjectCommand>,
  command: DefinitionCommand,
): DefinitionCommand {
  if (command.type !== 'RedefinePermission' || state.status !== 'active') return command;
  const contained = command.change.contained?.flatMap((key) => {
    if (key.startsWith('$')) return [key];
    return state.permissions.find((definition) => definition.key === key)?.id ?? [];
  });
  return { ...command, change: { ...command.change, contained } };
}

function otherCommands(from: ProjectValues, to: ProjectValues, at: string): ProjectCommand[] {
  const differs = (name: keyof ProjectValues) => !isSameValue(from[name], to[name]);
  const { display_name: displayName, description, is_production_mode: isProductionMode } = to;
  const levels = Object.keys(to.config_overrides) as ConfigLevel[];
  const migration = to.password_migration;
  return [
    ...levels
      .filter(
        (level) => differs('config_source') || !isSameValue(from.config_overrides[level], to.config_overrides[level]),
      )
      .map((level): ProjectCommand => {
        const override = to.config_overrides[level];
        return { type: 'ChangeConfigOverride', level, override, source: to.config_source, at };
      }),
    { type: 'ChangeDetails', details: { displayName, description, isProductionMode }, at },
    ...when(differs('config'), { type: 'ChangeConfig', ...toConfig(to.config), at }),
    ...when(differs('settings'), { type: 'ChangeSettings', settings: to.settings as Partial<ProjectSettings>, at }),
    ...when(differs('password_migration'), { type: 'ChangePasswordMigration', migration, at }),
    ...templateCommands(from, to, at),
  ];
}

/** Resets a version first, because a change keeps the parts that it does not name. */
function templateCommands(from: ProjectValues, to: ProjectValues, at: string): ProjectCommand[] {
  const ids = [...new Set([...Object.keys(from.email_templates), ...Object.keys(to.email_templates)])];
  return ids.flatMap((id): ProjectCommand[] => {
    const version = parseVersionId(id);
    const [before, after] = [from.email_templates[id], to.email_templates[id]];
    if (version === null || isSameValue(before, after)) return [];
    const reset: ProjectCommand[] = before ? [{ type: 'ResetEmailTemplate', ...version, at }] : [];
    if (!after) return reset;
    const [subject, content] = [after.subject ?? undefined, after.content[0] ?? undefined];
    return [...reset, { type: 'ChangeEmailTemplate', ...version, subject, content, at }];
  });
}

const when = (condition: boolean, command: ProjectCommand): ProjectCommand[] => (condition ? [command] : []);
