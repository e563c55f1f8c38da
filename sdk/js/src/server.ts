/** The app of servers. */

export type { ServerContactChannel } from './app/contact-channels.ts';
export type { Moment } from './app/past-app.ts';
export {
  type CreateOAuthProviderOptions,
  type CurrentServerUser,
  GatebookServerApp,
  type GatebookServerAppOptions,
  type ListUsersOptions,
  type SendEmailOptions,
} from './app/server-app.ts';
export type {
  EmailDeliveryInfo,
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
