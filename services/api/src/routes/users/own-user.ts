import { updateUser } from '@gatebook/commands/user/update-user';
import { Success } from '@gatebook/contract/common';
import { OwnUserPatch, OwnUserView, UserPatch, UsersQuery } from '@gatebook/contract/users';
import { reject } from '@gatebook/domain/errors';
import { findOwnUser, findUser, type OwnUserRow, type UserRow } from '@gatebook/readmodel/users/queries';
import type { FastifyRequest } from 'fastify';
import { clientAndUp, ownUser, ownUserErrors, type SessionRule } from '../../access.ts';
import type { Caller } from '../../caller.ts';
import type { Deps } from '../../deps.ts';
import { answerSuccess, defineRoute } from '../../http/define-route.ts';
import { deleteUserOf } from './deleted-users.ts';
import { checkImage, checkPasskeySwitch, userPatchErrors, userPatchRole } from './rules.ts';
import { toClientUserView, toServerUserView, toUserInput, withChanges } from './wire.ts';

const toView = (request: FastifyRequest, user: OwnUserRow | UserRow) =>
  'serverMetadata' in user ? toServerUserView(request, user) : toClientUserView(request, user);

/** Clients get the row that authentication already read. Servers get more fields, which takes another query. */
async function rowFor(
  { db }: Deps,
  { accessType, projectId }: Caller,
  user: OwnUserRow,
): Promise<OwnUserRow | UserRow> {
  return accessType === 'client' ? user : findUser(db, projectId, user.id);
}
const tags = ['Users'];

export const getOwnUserRoute = defineRoute({
  method: 'GET',
  path: '/users/me',
  access: clientAndUp,
  isQueryIgnored: true,
  errors: ownUserErrors,
  tags,
  summary: 'Get the signed-in user',
  description: 'Servers get more fields than client access.',
  query: UsersQuery,
  response: { 200: OwnUserView },
  handle: async ({ deps, request, caller }) => {
    return toView(request, await rowFor(deps, caller, ownUser(caller)));
  },
});

const userFieldRules = {
  display_name: 'any',
  profile_image_url: 'any',
  client_metadata: 'any',
  client_read_only_metadata: 'any',
  server_metadata: 'any',
  selected_team_id: 'any',
  otp_auth_enabled: 'recent',
  passkey_auth_enabled: 'recent',
  totp_secret_base64: 'recent',
  primary_email: 'recent',
  primary_email_verified: 'recent',
  primary_email_auth_enabled: 'recent',
  password: 'recent',
  password_hash: 'recent',
  is_anonymous: 'own',
  restricted_by_admin: 'own',
  restricted_by_admin_reason: 'own',
  restricted_by_admin_private_details: 'own',
  country_code: 'any',
  risk_scores: 'any',
} as const satisfies Record<keyof UserPatch, SessionRule>;

export const updateOwnUserRoute = defineRoute({
  method: 'PATCH',
  path: '/users/me',
  bodySize: 'large',
  access: clientAndUp,
  // As for any other user: an address that is marked as verified can give rights in the app.
  role: userPatchRole,
  session: userFieldRules,
  bodyFor: { client: OwnUserPatch },
  isQueryIgnored: true,
  errors: [...ownUserErrors, ...userPatchErrors],
  tags,
  summary: 'Update the signed-in user',
  description: 'Omitted fields are unchanged. A base64 TOTP secret enables the second factor; null disables it.',
  query: UsersQuery,
  body: UserPatch,
  response: { 200: OwnUserView },
  handle: async ({ deps, request, caller, context, body }) => {
    checkImage(caller, body.profile_image_url);
    const user = ownUser(caller);
    checkPasskeySwitch(body);
    const { project } = caller;
    const before = await rowFor(deps, caller, user);
    const input = { userId: user.id, project, ...toUserInput(body) };
    const { position } = await updateUser(deps, context, input);
    return {
      position,
      body: async () =>
        toView(
          request,
          await (caller.accessType === 'client' ? findOwnUser : findUser)(deps.db, caller.projectId, user.id),
        ),
      stale: () => toView(request, withChanges(before, body)),
    };
  },
});

export const deleteOwnUserRoute = defineRoute({
  method: 'DELETE',
  path: '/users/me',
  access: clientAndUp,
  session: 'recent',
  isQueryIgnored: true,
  errors: [...ownUserErrors, 'CLIENT_USER_DELETION_DISABLED'],
  tags,
  summary: 'Delete the signed-in user',
  description:
    'Ends all sessions and erases all personal data permanently, after the grace period if the project has one. Client access can do this if the project allows users to delete their accounts.',
  query: UsersQuery,
  response: { 200: Success },
  handle: async ({ deps, caller, context }) => {
    const { clientUserDeletionEnabled } = caller.project.config;
    if (caller.accessType === 'client' && !clientUserDeletionEnabled) reject('CLIENT_USER_DELETION_DISABLED');
    const user = ownUser(caller);
    return answerSuccess((await deleteUserOf(deps, caller, context, user.id)).position);
  },
});
