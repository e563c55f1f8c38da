import { defaultPermissions } from '@gatebook/domain/permission/effective';
import { defaultTeamName } from '@gatebook/domain/team/state';
import { type UserCommand, userDecider } from '@gatebook/domain/user/decide';
import { primaryChannel, type UserState } from '@gatebook/domain/user/state';
import type { LoadedAggregate, UnitOfWork } from '../execute.ts';
import type { ProjectFacts } from '../project/project-facts.ts';
import { streamOf } from '../streams.ts';
import { addTeam } from '../team/team.ts';

type NewUser = Omit<Extract<UserCommand, { type: 'CreateUser' }>, 'type' | 'projectId' | 'permissions'>;

/** Fields that are empty for a user who just signed up. */
export const emptyProfile = {
  profileImageUrl: null,
  clientMetadata: null,
  clientReadOnlyMetadata: null,
  serverMetadata: null,
} as const;

/**
 * Creates a user with the default permissions of the project and, if the project is configured so, a personal team,
 * which is selected (protocol, resources §1.4). The user comes first: a selected team that does not exist yet has no
 * effect.
 */
export function addUser(
  work: UnitOfWork,
  project: ProjectFacts,
  newUser: NewUser,
): LoadedAggregate<UserState, UserCommand> {
  const { userId, at } = newUser;
  const user = work.create(userDecider, streamOf.user(userId));
  const permissions = defaultPermissions(project, 'userDefaultPermissions');
  const { projectId, endUser } = work.ctx;
  // A server that creates a user is not that user.
  const signUp = newUser.method === 'server' ? {} : endUser;
  user.decide({ type: 'CreateUser', ...newUser, ...signUp, projectId, permissions });
  if (project.config.createTeamOnSignUp) {
    const teamId = work.deps.newId();
    user.decide({ type: 'SelectTeam', teamId, at });
    // The name is derived from the user, so it is erased with them.
    const displayName = createTeamName(user.state);
    addTeam(work, project, { teamId, subjectId: userId, displayName, creatorId: userId, how: 'sign_up', at });
  }
  return user;
}

function createTeamName(user: UserState): string {
  const name = user.status === 'active' ? (user.displayName ?? primaryChannel(user)?.value) : null;
  return name ? `${name}'s Team` : defaultTeamName;
}
