import { defaultPermissions } from '@gatebook/domain/permission/effective';
import { defaultTeamName } from '@gatebook/domain/team/state';
import { type UserCommand, userDecider } from '@gatebook/domain/user/decide';
import { primaryChannel, type UserState } from '@gatebook/domain/user/state';
import type { LoadedAggregate, UnitOfWork } from '../execute.ts';
import type { ProjectFacts } from '../project/project-facts.ts';
import { streamOf } from '../streams.ts';
import { addTeam } from '../team/team.ts';

type NewUser = Omit<Extract<UserCommand, { type: 'CreateUser' }>, 'type' | 'projectId' | 'permissions'>;

/** What nobody has who just signed up. */
export const emptyProfile = {
  profileImageUrl: null,
  clientMetadata: null,
  clientReadOnlyMetadata: null,
  serverMetadata: null,
} as const;

/**
 * A user with what the project gives everybody: permissions, and a team of their own where it says so, which is selected
 * (protocol, resources §1.4). The user comes first: a team that is selected and not there yet is as good as none.
 */
export function addUser(
  work: UnitOfWork,
  project: ProjectFacts,
  newUser: NewUser,
): LoadedAggregate<UserState, UserCommand> {
  const { userId, at } = newUser;
  const user = work.create(userDecider, streamOf.user(userId));
  const permissions = defaultPermissions(project, 'userDefaultPermissions');
  user.decide({ type: 'CreateUser', ...newUser, projectId: work.ctx.projectId, permissions });
  if (project.config.createTeamOnSignUp) {
    const teamId = work.deps.newId();
    user.decide({ type: 'SelectTeam', teamId, at });
    // The name tells of the user, so it is erased with them.
    const displayName = teamNameFor(user.state);
    addTeam(work, project, { teamId, subjectId: userId, displayName, creatorId: userId, how: 'sign_up', at });
  }
  return user;
}

function teamNameFor(user: UserState): string {
  const name = user.status === 'active' ? (user.displayName ?? primaryChannel(user)?.value) : null;
  return name ? `${name}'s Team` : defaultTeamName;
}
