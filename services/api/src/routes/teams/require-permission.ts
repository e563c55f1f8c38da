import { type DomainErrorCode, reject } from '@gatebook/domain/errors';
import { expandPermissions } from '@gatebook/domain/permission/effective';
import { findMember } from '@gatebook/readmodel/teams/queries';
import type { Caller, CurrentUser } from '../../caller.ts';
import type { Deps } from '../../deps.ts';

type NotSignedInError = Extract<DomainErrorCode, 'USER_AUTHENTICATION_REQUIRED' | 'CANNOT_GET_OWN_USER_WITHOUT_USER'>;

/** The user whose permissions a write requires: the signed-in user for client access, null for a server. */
export function requireActingUserId({ accessType, user }: Caller, rejection: NotSignedInError): string | null {
  if (accessType !== 'client') return null;
  return (user ?? reject(rejection)).id;
}

/**
 * Client access can only read teams of the signed-in user and needs the `required` permissions there
 * (protocol, resources §3.5). Servers can read every team.
 * @throws DomainError as `rejection` without a user, TEAM_MEMBERSHIP_NOT_FOUND, TEAM_PERMISSION_REQUIRED
 */
export async function requireTeamAccess(
  deps: Deps,
  caller: Caller,
  { teamId, required, rejection }: { teamId: string; required: readonly string[]; rejection: NotSignedInError },
): Promise<void> {
  if (caller.accessType !== 'client') return;
  const user: CurrentUser = caller.user ?? reject(rejection);
  const { permissions } = await findMember(deps.db, caller.projectId, teamId, user.id);
  const held = expandPermissions(caller.project.permissions, permissions);
  const missing = required.find((permission) => !held.has(permission));
  if (missing !== undefined) {
    reject('TEAM_PERMISSION_REQUIRED', { team_id: teamId, user_id: user.id, permission_id: missing });
  }
}

/** Errors of calls that need a permission in the team. */
export const teamPermissionErrors: readonly DomainErrorCode[] = [
  'TEAM_MEMBERSHIP_NOT_FOUND',
  'TEAM_PERMISSION_REQUIRED',
  'TEAM_NOT_FOUND',
];
