/** What the handler pages are built of, as long as they do not use the apps. */
export {
  type ApiKey,
  type ApiKeyOwner,
  type ApiKeyRotation,
  type ApiKeysClient,
  type CreateApiKey,
  callOfApiKeyRotation,
  whyKeyInvalid,
} from './api-keys.ts';
export { wantedUser } from './app/user-lookup.ts';
export { type CliLogin, type CliLoginClient, type CliLoginPrompt, promptCliLogin } from './auth/cli-login.ts';
export type { OAuthClient } from './auth/oauth.ts';
export type { PasskeySignInOptions } from './auth/passkey.ts';
export { attemptCodeName, attemptCodeOf } from './auth/second-factor.ts';
export type { AuthClient, Credentials, SignedIn } from './auth.ts';
export {
  type ClientApp,
  type ClientAppOptions,
  type ConnectionOptions,
  clientOfApp,
  createClientApp,
} from './client-app.ts';
export type { ConnectedAccount, GetConnectedAccount } from './connected-accounts.ts';
export type {
  ContactChannel,
  ContactChannelChanges,
  ContactChannelsClient,
} from './contact-channels.ts';
export type { CurrentProject, CurrentProjectClient } from './current-project.ts';
export type { GetUser, OrElse } from './current-user.ts';
export { errorText } from './error-text.ts';
export * from './errors.ts';
export { fillText, type TextValues, type Translate } from './fill-text.ts';
export { findImpersonation, type Impersonation, startImpersonation } from './impersonation.ts';
export type { Json } from './json.ts';
export { followLive, type LiveItem, type LiveOptions, type OpenLive } from './live.ts';
export type { CurrentUser, MeClient, OwnChanges } from './me.ts';
export { type Network, realNetwork } from './network.ts';
export type { OwnTeam, OwnTeamMember, OwnTeamsClient } from './own-teams.ts';
export { type EnabledProvider, providerName } from './provider-names.ts';
export type { Branding, PublicConfig } from './public-config.ts';
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
export {
  commonPasswordText,
  emailFault,
  newPasswordFault,
  passwordLength,
  rejectedPasswordFault,
  requiredFault,
} from './validation.ts';
