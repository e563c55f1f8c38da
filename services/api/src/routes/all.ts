import type { FastifyPluginAsyncZod } from 'fastify-type-provider-zod';
import type { Deps } from '../deps.ts';
import { apiKeyRoutes } from './api-keys/key-routes.ts';
import { revokeLeakedApiKeyRoute } from './api-keys/leaked-key.ts';
import { anonymousSignUpRoute } from './auth/anonymous-sign-up.ts';
import { checkResetCodeRoute, checkSignInCodeRoute, checkVerificationCodeRoute } from './auth/check-code.ts';
import { completeCliLoginRoute, pollCliLoginRoute, startCliLoginRoute } from './auth/cli-login.ts';
import { jwksRoute } from './auth/jwks.ts';
import { mfaSignInRoute } from './auth/mfa-sign-in.ts';
import { oauthTokenRoute } from './auth/oauth-token.ts';
import { registerPasskeyRoute, startPasskeyRegistrationRoute } from './auth/passkey-registration.ts';
import { signInWithPasskeyRoute, startPasskeySignInRoute } from './auth/passkey-sign-in.ts';
import { resetPasswordRoute, sendResetCodeRoute } from './auth/password-reset.ts';
import { passwordSetRoute } from './auth/password-set.ts';
import { passwordSignInRoute } from './auth/password-sign-in.ts';
import { passwordSignUpRoute } from './auth/password-sign-up.ts';
import { passwordUpdateRoute } from './auth/password-update.ts';
import { reportActivityRoute } from './auth/report-activity.ts';
import { sendSignInCodeRoute, signInWithCodeRoute } from './auth/sign-in-code.ts';
import { getContactChannelRoute, listContactChannelsRoute } from './contact-channels/list-contact-channels.ts';
import {
  sendPrimaryVerificationCodeRoute,
  sendVerificationCodeRoute,
  verifyEmailRoute,
} from './contact-channels/verification.ts';
import {
  createContactChannelRoute,
  deleteContactChannelRoute,
  updateContactChannelRoute,
} from './contact-channels/write-contact-channels.ts';
import { listSentEmailsRoute, listUndeliveredEmailsRoute, retryEmailRoute } from './emails/sent-emails.ts';
import {
  getEmailTemplateRoute,
  listEmailTemplatesRoute,
  previewEmailRoute,
  resetEmailTemplateRoute,
  updateEmailTemplateRoute,
} from './emails/templates.ts';
import { testEmailRoute } from './emails/test-email.ts';
import { exportUserRoute } from './export/export-user.ts';
import { checkFeatureSupportRoute, checkVersionRoute } from './health/checks.ts';
import { greetingRoute } from './health/greeting.ts';
import { healthRoute, readyRoute } from './health/health.ts';
import { userHistoryRoute } from './history/user-history.ts';
import { projectMetricsRoute } from './metrics/project-metrics.ts';
import { authorizeRoute } from './oauth/authorize.ts';
import { oauthCallbackRoute } from './oauth/callback.ts';
import { connectedAccessTokenRoute } from './oauth/connected-accounts.ts';
import { operationsRoute } from './operations/operations.ts';
import {
  askForRebuildRoute,
  compareProjectionVersionRoute,
  dropProjectionVersionRoute,
  promoteProjectionVersionRoute,
} from './operations/rebuilds.ts';
import { permissionDefinitionRoutes } from './permissions/definitions.ts';
import {
  grantProjectPermissionRoute,
  listProjectPermissionsRoute,
  revokeProjectPermissionRoute,
} from './permissions/project-permissions.ts';
import {
  grantTeamPermissionRoute,
  listTeamPermissionsRoute,
  revokeTeamPermissionRoute,
} from './permissions/team-permissions.ts';
import { createProjectKeyRoute } from './project-keys/create-project-key.ts';
import { getProjectKeyRoute, listProjectKeysRoute } from './project-keys/list-project-keys.ts';
import { updateProjectKeyRoute } from './project-keys/update-project-key.ts';
import { currentProjectRoute } from './projects/current-project.ts';
import { deleteProjectRoute, getProjectRoute, updateProjectRoute } from './projects/managed-project.ts';
import { createProjectRoute, listOwnedProjectsRoute } from './projects/owned-projects.ts';
import { getSettingsRoute, updateSettingsRoute } from './projects/settings.ts';
import { createSessionRoute } from './sessions/create-session.ts';
import { deleteSessionRoute } from './sessions/delete-session.ts';
import { listSessionsRoute } from './sessions/list-sessions.ts';
import { refreshSessionRoute } from './sessions/refresh-session.ts';
import { signOutRoute } from './sessions/sign-out.ts';
import { checkSetupRoute } from './setup/check-setup.ts';
import { dashboardConfigRoute } from './setup/dashboard-config.ts';
import { completeSetupRoute } from './setup/setup.ts';
import {
  acceptInvitationRoute,
  checkInvitationRoute,
  invitationDetailsRoute,
  inviteToTeamRoute,
  listInvitationsRoute,
  revokeInvitationRoute,
} from './teams/invitations.ts';
import { getProfileRoute, listProfilesRoute, updateProfileRoute } from './teams/member-profiles.ts';
import { addTeamMemberRoute, removeTeamMemberRoute } from './teams/memberships.ts';
import { getTeamRoute, listTeamsRoute } from './teams/read-teams.ts';
import { createTeamRoute, deleteTeamRoute, updateTeamRoute } from './teams/write-teams.ts';
import { createUserRoute } from './users/create-user.ts';
import { listUsersRoute } from './users/list-users.ts';
import { deleteUserRoute, getUserRoute, updateUserRoute } from './users/one-user.ts';
import { deleteOwnUserRoute, getOwnUserRoute, updateOwnUserRoute } from './users/own-user.ts';

type Route = (deps: Deps) => FastifyPluginAsyncZod;

/** Served at the root of the origin. */
export const rootRoutes: readonly Route[] = [healthRoute, readyRoute, dashboardConfigRoute];

/** Served under `/api/v1`. */
export const apiRoutes: readonly Route[] = [
  greetingRoute,
  checkVersionRoute,
  checkFeatureSupportRoute,
  jwksRoute,
  passwordSignUpRoute,
  passwordSignInRoute,
  passwordSetRoute,
  passwordUpdateRoute,
  sendResetCodeRoute,
  resetPasswordRoute,
  reportActivityRoute,
  checkResetCodeRoute,
  sendSignInCodeRoute,
  signInWithCodeRoute,
  checkSignInCodeRoute,
  mfaSignInRoute,
  startPasskeyRegistrationRoute,
  registerPasskeyRoute,
  startPasskeySignInRoute,
  signInWithPasskeyRoute,
  anonymousSignUpRoute,
  startCliLoginRoute,
  completeCliLoginRoute,
  pollCliLoginRoute,
  listContactChannelsRoute,
  createContactChannelRoute,
  getContactChannelRoute,
  updateContactChannelRoute,
  deleteContactChannelRoute,
  sendVerificationCodeRoute,
  sendPrimaryVerificationCodeRoute,
  verifyEmailRoute,
  checkVerificationCodeRoute,
  oauthTokenRoute,
  authorizeRoute,
  oauthCallbackRoute,
  connectedAccessTokenRoute,
  listSessionsRoute,
  createSessionRoute,
  deleteSessionRoute,
  signOutRoute,
  refreshSessionRoute,
  getOwnUserRoute,
  updateOwnUserRoute,
  deleteOwnUserRoute,
  exportUserRoute,
  listUsersRoute,
  createUserRoute,
  getUserRoute,
  updateUserRoute,
  deleteUserRoute,
  listTeamsRoute,
  createTeamRoute,
  getTeamRoute,
  updateTeamRoute,
  deleteTeamRoute,
  addTeamMemberRoute,
  removeTeamMemberRoute,
  listProfilesRoute,
  getProfileRoute,
  updateProfileRoute,
  inviteToTeamRoute,
  listInvitationsRoute,
  revokeInvitationRoute,
  acceptInvitationRoute,
  checkInvitationRoute,
  invitationDetailsRoute,
  ...permissionDefinitionRoutes,
  listTeamPermissionsRoute,
  grantTeamPermissionRoute,
  revokeTeamPermissionRoute,
  listProjectPermissionsRoute,
  grantProjectPermissionRoute,
  revokeProjectPermissionRoute,
  ...apiKeyRoutes('user'),
  ...apiKeyRoutes('team'),
  revokeLeakedApiKeyRoute,
  currentProjectRoute,
  listOwnedProjectsRoute,
  createProjectRoute,
  getProjectRoute,
  updateProjectRoute,
  deleteProjectRoute,
  getSettingsRoute,
  updateSettingsRoute,
  listProjectKeysRoute,
  createProjectKeyRoute,
  getProjectKeyRoute,
  updateProjectKeyRoute,
  listEmailTemplatesRoute,
  getEmailTemplateRoute,
  updateEmailTemplateRoute,
  resetEmailTemplateRoute,
  previewEmailRoute,
  listSentEmailsRoute,
  listUndeliveredEmailsRoute,
  retryEmailRoute,
  testEmailRoute,
  projectMetricsRoute,
  userHistoryRoute,
  operationsRoute,
  askForRebuildRoute,
  compareProjectionVersionRoute,
  promoteProjectionVersionRoute,
  dropProjectionVersionRoute,
  checkSetupRoute,
  completeSetupRoute,
];
