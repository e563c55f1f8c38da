import { providerIds } from '@gatebook/domain/project/config';
import { trustedDomainFault } from '@gatebook/domain/project/trusted-domains';
import { z } from 'zod';
import { BrandingView } from './branding.ts';
import {
  description,
  email,
  filledTextUpTo,
  flag,
  jsonUpTo,
  listOf,
  name,
  numberOf,
  pagedListOf,
  pageFields,
  textOf,
  textUpTo,
  url,
  uuid,
} from './common.ts';
import { ProjectRole } from './project-members.ts';

const idItems = z.array(z.object({ id: z.string() }));
/** Our own clients also get the names of OpenID Connect providers. */
const enabledProviders = z.array(z.object({ id: z.string(), display_name: z.string().optional() }));
const mergeStrategies = ['link_method', 'raise_error', 'allow_duplicates'] as const;

/** Admins can read client secrets in clear text (protocol, projects §1.3). */
const OAuthProviderView = z.object({
  id: z.enum(providerIds),
  type: z.enum(['shared', 'standard']),
  client_id: z.string().optional(),
  client_secret: z.string().optional(),
  facebook_config_id: z.string().optional(),
  microsoft_tenant_id: z.string().optional(),
});
const EmailConfigView = z.discriminatedUnion('type', [
  z.object({ type: z.literal('shared') }),
  z.object({
    type: z.literal('standard'),
    host: z.string(),
    port: z.number().int(),
    username: z.string(),
    password: z.string(),
    sender_name: z.string(),
    sender_email: z.string(),
  }),
]);

const switches = {
  sign_up_enabled: z.boolean(),
  credential_enabled: z.boolean(),
  magic_link_enabled: z.boolean(),
  passkey_enabled: z.boolean(),
  client_team_creation_enabled: z.boolean(),
  client_user_deletion_enabled: z.boolean(),
  allow_user_api_keys: z.boolean(),
  allow_team_api_keys: z.boolean(),
};

const branding = BrandingView.optional().meta({ description: 'For clients of Gatebook.' });

/** The part of a project that any caller may read (protocol, projects §1.2). */
export const ClientProjectView = z
  .object({
    id: z.string(),
    display_name: z.string(),
    config: z.object({
      ...switches,
      enabled_oauth_providers: enabledProviders,
      min_password_length: z
        .number()
        .int()
        .optional()
        .meta({ description: 'Of passwords that users choose. For clients of Gatebook.' }),
      branding,
    }),
  })
  .meta({ id: 'ClientProject' });
export type ClientProjectView = z.infer<typeof ClientProjectView>;

export const ProjectConfigView = z
  .object({
    ...switches,
    enabled_oauth_providers: enabledProviders,
    allow_localhost: z.boolean(),
    create_team_on_sign_up: z.boolean(),
    oauth_account_merge_strategy: z.enum(mergeStrategies),
    oauth_providers: z.array(OAuthProviderView),
    domains: z.array(z.object({ domain: z.string(), handler_path: z.string() })),
    email_config: EmailConfigView,
    team_creator_default_permissions: idItems,
    team_member_default_permissions: idItems,
    user_default_permissions: idItems,
    branding,
  })
  .meta({ id: 'ProjectConfig' });
export type ProjectConfigView = z.infer<typeof ProjectConfigView>;

export const ProjectView = z
  .object({
    id: z.string(),
    display_name: z.string(),
    description: z.string(),
    created_at_millis: z.number().int(),
    user_count: z.number().int(),
    is_production_mode: z.boolean(),
    owner_team_id: z.string().nullable().optional(),
    role: ProjectRole.optional().meta({
      description: 'Of the caller; a project key acts as an owner. For clients of Gatebook.',
    }),
    config: ProjectConfigView,
  })
  .meta({ id: 'Project' });
export type ProjectView = z.infer<typeof ProjectView>;

export const ProjectListView = listOf(ProjectView).meta({ id: 'ProjectList' });
export type ProjectListView = z.infer<typeof ProjectListView>;

export const ProjectSearchQuery = z.strictObject({
  ...pageFields,
  order_by: textOf(z.enum(['display_name', 'created_at', 'user_count', 'last_active_at'])).optional(),
  desc: flag.optional(),
  query: textUpTo(512).optional().meta({ description: 'Part of a name or an ID.' }),
  id: textUpTo(255).optional().meta({ description: 'Of the only project.' }),
});
export const ProjectOverview = z
  .object({
    id: z.string(),
    display_name: z.string(),
    description: z.string(),
    is_production_mode: z.boolean(),
    user_count: z.number().int(),
    role: ProjectRole,
    created_at_millis: z.number().int(),
    last_active_at_millis: z.number().int().nullable().meta({ description: 'Of any of its users.' }),
  })
  .meta({ id: 'ProjectOverview', description: 'A project without its configuration.' });
export const ProjectOverviewList = pagedListOf(ProjectOverview).meta({ id: 'ProjectOverviewList' });
export type ProjectOverviewList = z.infer<typeof ProjectOverviewList>;

const OAuthProviderInput = z
  .strictObject({
    id: textOf(z.enum(providerIds)),
    type: textOf(z.enum(['shared', 'standard'])),
    /** Sent by the first 2.8 libraries; others omit a disabled provider. */
    enabled: flag.optional(),
    client_id: filledTextUpTo(1_024).optional(),
    client_secret: filledTextUpTo(4_096).optional(),
    facebook_config_id: name.optional(),
    microsoft_tenant_id: name.optional(),
  })
  .superRefine(({ type, client_id, client_secret }, context) => {
    if (type === 'shared') return;
    if (client_id === undefined) context.addIssue({ code: 'custom', path: ['client_id'], message: 'is required' });
    if (client_secret === undefined)
      context.addIssue({ code: 'custom', path: ['client_secret'], message: 'is required' });
  });

const dropped = jsonUpTo(8_192).optional();
/** With `shared`, the other fields are accepted and dropped. */
const EmailConfigInput = z.discriminatedUnion('type', [
  z.strictObject({
    type: z.literal('shared'),
    host: dropped,
    port: dropped,
    username: dropped,
    password: dropped,
    sender_name: dropped,
    sender_email: dropped,
  }),
  z.strictObject({
    type: z.literal('standard'),
    host: filledTextUpTo(255),
    port: numberOf(z.number().int().min(0).max(65_535)),
    username: filledTextUpTo(1_024),
    password: textOf(z.string().min(1).max(70)),
    sender_name: filledTextUpTo(256),
    sender_email: email,
  }),
]);

const trustedDomain = textOf(
  z
    .string()
    .max(2_048)
    .superRefine((domain, context) => {
      const fault = trustedDomainFault(domain);
      if (fault !== null) context.addIssue({ code: 'custom', message: fault });
    }),
);
const permissionIds = z
  .array(z.strictObject({ id: textUpTo(255) }))
  .max(1_000)
  .optional();
const ConfigPatch = z.strictObject({
  sign_up_enabled: flag.optional(),
  credential_enabled: flag.optional(),
  magic_link_enabled: flag.optional(),
  passkey_enabled: flag.optional(),
  client_team_creation_enabled: flag.optional(),
  client_user_deletion_enabled: flag.optional(),
  allow_user_api_keys: flag.optional(),
  allow_team_api_keys: flag.optional(),
  allow_localhost: flag.optional(),
  create_team_on_sign_up: flag.optional(),
  oauth_account_merge_strategy: textOf(z.enum(mergeStrategies)).optional(),
  oauth_providers: z.array(OAuthProviderInput).max(100).optional(),
  domains: z
    .array(
      z.strictObject({
        domain: trustedDomain,
        handler_path: textOf(z.string().max(1_024).regex(/^\//, 'must begin with /')),
      }),
    )
    .max(1_000)
    .optional(),
  email_config: EmailConfigInput.optional(),
  team_creator_default_permissions: permissionIds,
  team_member_default_permissions: permissionIds,
  user_default_permissions: permissionIds,
});

const details = {
  description: description.nullable().optional(),
  is_production_mode: flag.optional(),
  config: ConfigPatch.optional(),
};
export const ProjectPatch = z.strictObject({ display_name: name.optional(), ...details }).meta({
  id: 'ProjectPatch',
  description: 'A field that is left out stays; lists and `email_config` replace the old ones whole.',
});
export type ProjectPatch = z.infer<typeof ProjectPatch>;

export const NewProject = z
  .strictObject({ display_name: name, owner_team_id: uuid.nullable().optional(), ...details })
  .meta({ id: 'NewProject' });
export type NewProject = z.infer<typeof NewProject>;

export const ProjectTransfer = z
  .strictObject({ project_id: textUpTo(255), new_team_id: uuid })
  .meta({ id: 'ProjectTransfer' });
export type ProjectTransfer = z.infer<typeof ProjectTransfer>;

/** Where passwords of unknown users are checked; both are null if nowhere. */
export const PasswordMigrationView = z
  .object({ url: z.string().nullable(), secret: z.string().nullable() })
  .meta({ id: 'PasswordMigration' });
export type PasswordMigrationView = z.infer<typeof PasswordMigrationView>;
export const PasswordMigrationBody = z.strictObject({ url: url.nullable() }).meta({ id: 'PasswordMigrationChange' });
