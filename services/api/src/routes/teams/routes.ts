import type { Route } from '../../http/define-route.ts';
import { eraseTeamRoute, listDeletedTeamsRoute, restoreTeamRoute } from './deleted-teams.ts';
import {
  acceptInvitationRoute,
  checkInvitationRoute,
  invitationDetailsRoute,
  inviteToTeamRoute,
  listInvitationsRoute,
  revokeInvitationRoute,
} from './invitations.ts';
import { getProfileRoute, listProfilesRoute, updateProfileRoute } from './member-profiles.ts';
import { addTeamMemberRoute, removeTeamMemberRoute } from './memberships.ts';
import { getTeamRoute, listTeamsRoute } from './read-teams.ts';
import { acceptReceivedInvitationRoute } from './received-invitations.ts';
import { searchTeamsRoute } from './search-teams.ts';
import { createTeamRoute, deleteTeamRoute, updateTeamRoute } from './write-teams.ts';

export const teamRoutes: readonly Route[] = [
  listTeamsRoute,
  searchTeamsRoute,
  createTeamRoute,
  getTeamRoute,
  updateTeamRoute,
  deleteTeamRoute,
  listDeletedTeamsRoute,
  restoreTeamRoute,
  eraseTeamRoute,
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
  acceptReceivedInvitationRoute,
];
