import { z } from 'zod';
import { type PermissionDefinition, PermissionScope } from '../../permission/definition.ts';
import { idsOf } from '../../permission/effective.ts';
import type { ConfigLevel, ProjectConfig, ProjectSecrets, ProjectSettings } from '../config.ts';
import { type Document, isObject, isSameJson, type Json } from './layers.ts';
import {
  DomainRecord,
  domainsOf,
  EmailServer,
  emailOf,
  enabledProviders,
  ProviderRecord,
  providersOf,
  serverOf,
} from './records.ts';

/** What the document describes. Definitions are by ID, and contain IDs. */
export type DocumentedProject = {
  config: ProjectConfig;
  secrets: ProjectSecrets;
  settings: ProjectSettings;
  permissions: Readonly<Record<string, DocumentedPermission>>;
};
export type DocumentedPermission = Pick<PermissionDefinition, 'scope' | 'description' | 'contained'>;

/**
 * A field of the document and the project setting that it stands for. `level`: the first level that can set it; `read`
 * takes the document that was read before, whose names of entries stay.
 */
export type Field = {
  path: string;
  level: ConfigLevel;
  /** A record: whether entries join those of a new project, or replace them. */
  entries?: 'join' | 'replace';
  /** Keys of entries that only the level `environment` can set. */
  environmentKeys?: readonly string[];
  schema: z.ZodType;
  read: (project: DocumentedProject, named: Document) => Json | undefined;
  write: (project: DocumentedProject, value: never) => DocumentedProject;
};

const maxIdLength = 255;
const PermissionId = z
  .string()
  .max(maxIdLength)
  .regex(/^\$?[a-z0-9_:]+$/, 'must be a permission ID');
const OwnPermissionId = z
  .string()
  .max(maxIdLength)
  .regex(/^[a-z0-9_:]+$/, 'must be an ID of lower-case letters, digits, _ and :');
const IdSet = z.record(PermissionId, z.literal(true));
const Permissions = z.record(
  OwnPermissionId,
  z.strictObject({
    description: z.string().max(2_000).optional(),
    scope: PermissionScope,
    containedPermissionIds: IdSet.default({}),
  }),
);

const asSet = (ids: readonly string[]) => Object.fromEntries(ids.map((id) => [id, true]));

type Flag<T> = { [Key in keyof T]: T[Key] extends boolean ? Key : never }[keyof T];
const configFlag = (path: string, name: Flag<ProjectConfig>, level: ConfigLevel = 'branch'): Field => ({
  path,
  level,
  schema: z.boolean(),
  read: ({ config }) => config[name],
  write: (project, value: boolean) => ({ ...project, config: { ...project.config, [name]: value } }),
});

type DefaultList = 'teamCreatorDefaultPermissions' | 'teamMemberDefaultPermissions' | 'userDefaultPermissions';
const defaultList = (path: string, name: DefaultList): Field => ({
  path,
  level: 'branch',
  entries: 'replace',
  schema: IdSet,
  read: ({ config }) => asSet(config[name]),
  write: (project, value: z.output<typeof IdSet>) => ({
    ...project,
    config: { ...project.config, [name]: Object.keys(value) },
  }),
});

/** A field of the hosted service that Gatebook does not offer: it can only be what it reads as. */
function notOffered(path: string, value?: Json, level: ConfigLevel = 'branch'): Field {
  const schema = z.custom((given) => isSameJson(given, value), 'is not offered by Gatebook');
  return {
    path,
    level,
    ...(isObject(value) && { entries: 'join' as const }),
    schema: value === undefined ? schema.optional() : schema,
    read: () => value,
    write: (project) => project,
  };
}

/** Apps of the hosted service that stand for what Gatebook always has. */
const ownApps = ['authentication', 'teams', 'rbac', 'api-keys', 'emails', 'onboarding'];
const Apps = z
  .record(z.string().max(63), z.strictObject({ enabled: z.boolean().default(false) }))
  .superRefine((apps, context) => {
    for (const [id, { enabled }] of Object.entries(apps)) {
      if (enabled === ownApps.includes(id)) continue;
      const message = enabled ? 'is not offered by Gatebook' : 'is always on in Gatebook';
      context.addIssue({ code: 'custom', path: [id, 'enabled'], message });
    }
  });

/** The one table of fields: it reads the document from a project, and writes a document to a project. */
export const fields: readonly Field[] = [
  {
    path: 'project.requirePublishableClientKey',
    level: 'project',
    schema: z.boolean(),
    read: ({ settings }) => !settings.keylessClientsAllowed,
    write: (project, value: boolean) => ({
      ...project,
      settings: { ...project.settings, keylessClientsAllowed: !value },
    }),
  },
  configFlag('auth.allowSignUp', 'signUpEnabled'),
  configFlag('auth.password.allowSignIn', 'credentialEnabled'),
  configFlag('auth.otp.allowSignIn', 'magicLinkEnabled'),
  configFlag('auth.passkey.allowSignIn', 'passkeyEnabled'),
  {
    path: 'auth.oauth.accountMergeStrategy',
    level: 'branch',
    schema: z.enum(['link_method', 'raise_error', 'allow_duplicates']),
    read: ({ config }) => config.oauthAccountMergeStrategy,
    write: (project, oauthAccountMergeStrategy: ProjectConfig['oauthAccountMergeStrategy']) => ({
      ...project,
      config: { ...project.config, oauthAccountMergeStrategy },
    }),
  },
  {
    path: 'auth.oauth.providers',
    level: 'branch',
    entries: 'join',
    environmentKeys: [
      'isShared',
      'clientId',
      'clientSecret',
      'issuer',
      'facebookConfigId',
      'microsoftTenantId',
      'appleBundles',
    ],
    schema: ProviderRecord,
    read: ({ config, secrets }) => providersOf(config, secrets),
    write: (project, value: z.output<typeof ProviderRecord>) => {
      const { oauthProviders, oauthClientSecrets } = enabledProviders(value);
      return {
        ...project,
        config: { ...project.config, oauthProviders },
        secrets: { ...project.secrets, oauthClientSecrets },
      };
    },
  },
  configFlag('teams.allowClientTeamCreation', 'clientTeamCreationEnabled'),
  configFlag('teams.createPersonalTeamOnSignUp', 'createTeamOnSignUp'),
  configFlag('users.allowClientUserDeletion', 'clientUserDeletionEnabled'),
  configFlag('apiKeys.enabled.user', 'allowUserApiKeys'),
  configFlag('apiKeys.enabled.team', 'allowTeamApiKeys'),
  {
    path: 'onboarding.requireEmailVerification',
    level: 'branch',
    schema: z.boolean(),
    read: ({ settings }) => settings.emailVerificationRequired,
    write: (project, emailVerificationRequired: boolean) => ({
      ...project,
      settings: { ...project.settings, emailVerificationRequired },
    }),
  },
  configFlag('domains.allowLocalhost', 'allowLocalhost', 'environment'),
  {
    path: 'domains.trustedDomains',
    level: 'environment',
    entries: 'join',
    schema: DomainRecord,
    read: ({ config }, named) => domainsOf(config.domains, named),
    write: (project, value: z.output<typeof DomainRecord>) => ({
      ...project,
      config: {
        ...project.config,
        domains: Object.values(value).map(({ baseUrl, handlerPath }) => ({ domain: baseUrl, handlerPath })),
      },
    }),
  },
  {
    path: 'emails.server',
    level: 'environment',
    schema: EmailServer,
    read: ({ config, secrets }) => serverOf(config.emailConfig, secrets),
    write: (project, server: z.output<typeof EmailServer>) => ({
      ...project,
      config: { ...project.config, emailConfig: emailOf(server) },
      secrets: { ...project.secrets, emailPassword: server.isShared ? null : (server.password ?? null) },
    }),
  },
  {
    path: 'rbac.permissions',
    level: 'branch',
    entries: 'join',
    schema: Permissions,
    read: ({ permissions }) =>
      Object.fromEntries(
        Object.entries(permissions).map(([id, { scope, description, contained }]) => [
          id,
          { ...(description === null ? {} : { description }), scope, containedPermissionIds: asSet(contained) },
        ]),
      ),
    write: (project, value: z.output<typeof Permissions>) => ({
      ...project,
      permissions: Object.fromEntries(
        Object.entries(value).map(([id, { description = null, scope, containedPermissionIds }]) => [
          id,
          { scope, description, contained: Object.keys(containedPermissionIds) },
        ]),
      ),
    }),
  },
  defaultList('rbac.defaultPermissions.teamCreator', 'teamCreatorDefaultPermissions'),
  defaultList('rbac.defaultPermissions.teamMember', 'teamMemberDefaultPermissions'),
  defaultList('rbac.defaultPermissions.signUp', 'userDefaultPermissions'),
  {
    path: 'apps.installed',
    level: 'branch',
    entries: 'join',
    schema: Apps,
    read: () => Object.fromEntries(ownApps.map((id) => [id, { enabled: true }])),
    write: (project) => project,
  },
  notOffered('sourceOfTruth.type', 'hosted', 'project'),
  notOffered('auth.signUpRules', {}),
  notOffered('auth.signUpRulesDefaultAction', 'allow'),
  notOffered('emails.selectedThemeId'),
  notOffered('emails.themes', {}),
  notOffered('emails.templates', {}),
  notOffered('payments.blockNewPurchases', false),
  notOffered('payments.autoPay'),
  notOffered('payments.productLines', {}),
  notOffered('payments.products', {}),
  notOffered('payments.items', {}),
  notOffered('payments.testMode', true, 'environment'),
  notOffered('dbSync.externalDatabases', {}),
  notOffered('dataVault.stores', {}),
  notOffered('analytics.queryFolders', {}, 'environment'),
  notOffered('customDashboards', {}, 'environment'),
];

/** Reads a project's definitions, whose keys are of no concern to the document. */
export function documentPermissions(permissions: readonly PermissionDefinition[]): DocumentedProject['permissions'] {
  return Object.fromEntries(
    permissions.map(({ id, scope, description, contained }) => [
      id,
      { scope, description, contained: idsOf(permissions, contained) },
    ]),
  );
}
