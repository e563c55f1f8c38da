/** The apps of browsers. Servers import `@gatebook/js/server`, operators `@gatebook/js/admin`. */
export type { DeprecatedOAuthConnection, OAuthConnection, OAuthProvider } from './app/accounts.ts';
export type { TeamApiKey, TeamApiKeyFirstView, UserApiKey, UserApiKeyFirstView } from './app/api-keys.ts';
export type { AuthJson, TokenPartialUser } from './app/auth-methods.ts';
export type { Read, Resource, Snapshot } from './app/cache.ts';
export { fromClientJson, GatebookClientApp } from './app/client-app.ts';
export type { ContactChannel } from './app/contact-channels.ts';
export type { CurrentUser } from './app/current-user.ts';
export type { ClientAppInternals, ClientAppJson } from './app/internals.ts';
export { NotOfferedError } from './app/not-offered.ts';
export { type GatebookClientAppOptions, gatebookInternals } from './app/options.ts';
export type { Project, ProjectConfig } from './app/projects.ts';
export type { UseResource } from './app/reads.ts';
export type { Result } from './app/result.ts';
export type { Auth } from './app/session-methods.ts';
export type {
  EditableTeamMemberProfile,
  ReceivedTeamInvitation,
  SentTeamInvitation,
  Team,
  TeamCreateOptions,
  TeamMemberProfile,
  TeamUpdateOptions,
  TeamUser,
} from './app/teams.ts';
export type { RequestLike, TokenStoreInit } from './app/token-stores.ts';
export type { GetUserOptions } from './app/user-lookup.ts';
export type {
  ActiveSession,
  NotificationCategory,
  RestrictedReason,
  TeamPermission,
  User,
  UserUpdateOptions,
} from './app/users.ts';
export type { PasskeySignInOptions } from './auth/passkey.ts';
export {
  AnswerError,
  ConnectionError,
  type ErrorFamily,
  isKnownError,
  KnownError,
  type KnownErrorCode,
  ReauthenticationRequiredError,
  UnknownErrorCode,
} from './errors.ts';
export type { Json } from './json.ts';
export { createMemoryTokenStore } from './token-store/memory.ts';
export type { StoredTokens, TokenStore } from './token-store/store.ts';
export type { UrlName, Urls } from './urls.ts';
