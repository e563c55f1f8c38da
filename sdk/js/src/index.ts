/** The apps of browsers. Servers import `@gatebook/js/server`, operators `@gatebook/js/admin`. */

export { type ApiKey, type ApiKeyOwner, type ApiKeysClient, type CreateApiKey, whyKeyInvalid } from './api-keys.ts';
export type { DeprecatedOAuthConnection, OAuthConnection, OAuthProvider } from './app/accounts.ts';
export type { TeamApiKey, TeamApiKeyFirstView, UserApiKey, UserApiKeyFirstView } from './app/api-keys.ts';
export type { AuthJson, TokenPartialUser } from './app/auth-methods.ts';
export type { Read, Resource, Snapshot } from './app/cache.ts';
export { fromClientJson, GatebookClientApp } from './app/client-app.ts';
export type { ContactChannel } from './app/contact-channels.ts';
export type { CurrentInternalUser, CurrentUser } from './app/current-user.ts';
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
export { type CliLogin, type CliLoginClient, type CliLoginPrompt, promptCliLogin } from './auth/cli-login.ts';
export type { OAuthClient } from './auth/oauth.ts';
export { attemptCodeOf } from './auth/second-factor.ts';
export type { AuthClient, Credentials, SignedIn } from './auth.ts';
export { type ClientApp, type ClientAppOptions, type ConnectionOptions, createClientApp } from './client-app.ts';
export type { ConnectedAccount, GetConnectedAccount } from './connected-accounts.ts';
export type {
  ContactChannel as ContactChannelFacts,
  ContactChannelChanges,
  ContactChannelsClient,
} from './contact-channels.ts';
export type { CurrentProject, CurrentProjectClient } from './current-project.ts';
export type { GetUser, OrElse } from './current-user.ts';
export { errorText } from './error-text.ts';
export * from './errors.ts';
export type { Json } from './json.ts';
export { type Network, realNetwork } from './network.ts';
export { providerName } from './provider-names.ts';
export type { PublicConfig } from './public-config.ts';
export {
  continueAfterSignIn,
  createRedirects,
  type RedirectMethod,
  type RedirectOptions,
  type Redirects,
  returnParameter,
} from './redirects.ts';
export type { Session, SessionTokens } from './session.ts';
export type { SessionsClient, UserSession } from './sessions.ts';
export type { TeamInvitationsClient } from './team-invitations.ts';
export { createBrowserTokenStore } from './token-store/browser.ts';
export { createMemoryTokenStore } from './token-store/memory.ts';
export type { StoredTokens, TokenStore } from './token-store/store.ts';
export { isRelativeUrl, resolveUrls, type UrlName, type Urls } from './urls.ts';
export type { CurrentUser as CurrentUserFacts, MeClient, OwnChanges } from './users.ts';
export {
  commonPasswordText,
  emailFault,
  newPasswordFault,
  passwordLength,
  rejectedPasswordFault,
  requiredFault,
} from './validation.ts';
