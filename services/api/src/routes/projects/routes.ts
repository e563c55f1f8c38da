import type { Route } from '../../http/define-route.ts';
import {
  getConfigOverrideRoute,
  getConfigRoute,
  getConfigSourceRoute,
  replaceConfigOverrideRoute,
  resetConfigKeysRoute,
  unlinkConfigSourceRoute,
  updateConfigOverrideRoute,
  updateConfigRoute,
} from './config.ts';
import { testDomainRoute, testProviderRoute } from './connection-tests.ts';
import { currentProjectRoute } from './current-project.ts';
import { eraseProjectRoute, listDeletedProjectsRoute, restoreProjectRoute } from './deleted-projects.ts';
import {
  acceptProjectInvitationRoute,
  inviteToProjectRoute,
  listProjectInvitationsRoute,
  projectInvitationDetailsRoute,
  resendProjectInvitationRoute,
  revokeProjectInvitationRoute,
  signUpWithInvitationRoute,
  transferByEmailRoute,
} from './invitations.ts';
import {
  deleteProjectRoute,
  getProjectRoute,
  oldDeleteProjectRoute,
  oldUpdateProjectRoute,
  updateProjectRoute,
} from './managed-project.ts';
import { changeMemberRoleRoute, leaveProjectRoute, listMembersRoute, removeMemberRoute } from './members.ts';
import { previewOnboardingRoute } from './onboarding-preview.ts';
import {
  deleteOpenIdProviderRoute,
  listOpenIdProvidersRoute,
  putOpenIdProviderRoute,
  testIssuerRoute,
} from './openid-providers.ts';
import { createProjectRoute, listOwnedProjectsRoute, transferProjectRoute } from './owned-projects.ts';
import { getPasswordMigrationRoute, putPasswordMigrationRoute } from './password-migration.ts';
import { searchProjectsRoute } from './search-projects.ts';
import { getSettingsRoute, updateSettingsRoute } from './settings.ts';

export const projectRoutes: readonly Route[] = [
  currentProjectRoute,
  listOwnedProjectsRoute,
  searchProjectsRoute,
  createProjectRoute,
  transferProjectRoute,
  getProjectRoute,
  updateProjectRoute,
  oldUpdateProjectRoute,
  deleteProjectRoute,
  oldDeleteProjectRoute,
  listDeletedProjectsRoute,
  restoreProjectRoute,
  eraseProjectRoute,
  getSettingsRoute,
  updateSettingsRoute,
  getPasswordMigrationRoute,
  putPasswordMigrationRoute,
  listOpenIdProvidersRoute,
  putOpenIdProviderRoute,
  deleteOpenIdProviderRoute,
  testIssuerRoute,
  previewOnboardingRoute,
  listMembersRoute,
  leaveProjectRoute,
  changeMemberRoleRoute,
  removeMemberRoute,
  listProjectInvitationsRoute,
  inviteToProjectRoute,
  transferByEmailRoute,
  resendProjectInvitationRoute,
  revokeProjectInvitationRoute,
  projectInvitationDetailsRoute,
  acceptProjectInvitationRoute,
  signUpWithInvitationRoute,
  testProviderRoute,
  testDomainRoute,
  getConfigRoute,
  getConfigOverrideRoute,
  replaceConfigOverrideRoute,
  updateConfigOverrideRoute,
  updateConfigRoute,
  resetConfigKeysRoute,
  getConfigSourceRoute,
  unlinkConfigSourceRoute,
];
