import type {
  GatebookClientAppOptions,
  OAuthConnection,
  OAuthProvider,
  TeamMemberProfile,
  TeamPermission,
  Urls,
} from '@gatebook/js';
import type {
  AdminEmailOutbox,
  AdminPermissionDefinition,
  AdminProjectUpdateOptions,
  InternalApiKey,
  PermissionDefinitionUpdateOptions,
} from '@gatebook/js/admin';
import type { ListUsersOptions } from '@gatebook/js/server';

/** Accepted, without effect. */
export type AnalyticsOptions = NonNullable<GatebookClientAppOptions['analytics']>;
export type AnalyticsReplayOptions = object;

export type HandlerUrlOptions = NonNullable<GatebookClientAppOptions['urls']>;
export type HandlerUrls = Required<HandlerUrlOptions>;
export type ResolvedHandlerUrls = Urls;
export type OAuthScopesOnSignIn = NonNullable<GatebookClientAppOptions['oauthScopesOnSignIn']>;
export type OAuthProviderConfig = { readonly id: string };
export type Connection = Pick<OAuthConnection, 'id' | 'provider' | 'providerAccountId'>;

export type ServerListUsersOptions = ListUsersOptions;
export type ServerOAuthProvider = OAuthProvider;
export type ServerTeamMemberProfile = TeamMemberProfile;

export type AdminProjectConfigUpdateOptions = NonNullable<AdminProjectUpdateOptions['config']>;
export type AdminDomainConfig = NonNullable<AdminProjectConfigUpdateOptions['domains']>[number];
export type AdminTeamPermission = TeamPermission;
export type AdminTeamPermissionDefinition = AdminPermissionDefinition;
export type AdminTeamPermissionDefinitionCreateOptions = AdminPermissionDefinition;
export type AdminTeamPermissionDefinitionUpdateOptions = PermissionDefinitionUpdateOptions;
export type AdminProjectPermission = TeamPermission;
export type AdminProjectPermissionDefinition = AdminPermissionDefinition;
export type AdminProjectPermissionDefinitionCreateOptions = AdminPermissionDefinition;
export type AdminProjectPermissionDefinitionUpdateOptions = PermissionDefinitionUpdateOptions;
export type AdminEmailOutboxRecipient = AdminEmailOutbox['to'];
export type AdminEmailOutboxStatus = AdminEmailOutbox['status'];
export type AdminEmailOutboxSimpleStatus = AdminEmailOutbox['simpleStatus'];
export type AdminSendAttemptError = NonNullable<AdminEmailOutbox['sendAttemptErrors']>[number];
export type EmailOutboxListResult = { items: AdminEmailOutbox[]; nextCursor: string | null };
export type InternalApiKeyBase = Omit<
  InternalApiKey,
  'publishableClientKey' | 'secretServerKey' | 'superSecretAdminKey'
>;
/** As the API returns it. */
export type InternalApiKeyBaseCrudRead = {
  id: string;
  description: string;
  created_at_millis: number;
  expires_at_millis: number;
  manually_revoked_at_millis?: number | undefined;
};
