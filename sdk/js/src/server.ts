/** The app of servers. */

export type { ServerContactChannel } from './app/contact-channels.ts';
export {
  type CreateOAuthProviderOptions,
  type CurrentServerUser,
  type EmailDeliveryInfo,
  GatebookServerApp,
  type GatebookServerAppOptions,
  type ListUsersOptions,
  type SendEmailOptions,
} from './app/server-app.ts';
export type {
  ListTeamsOptions,
  Paged,
  RiskScores,
  ServerSession,
  ServerTeam,
  ServerTeamCreateOptions,
  ServerTeamUpdateOptions,
  ServerTeamUser,
  ServerUser,
  ServerUserCreateOptions,
  ServerUserUpdateOptions,
} from './app/server-objects.ts';
export { deletedNewerCookies, readTokenCookies, tokenCookies } from './token-store/cookies.ts';
