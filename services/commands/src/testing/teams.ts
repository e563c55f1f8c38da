import { createProject } from '../project/project.ts';
import { createTeam } from '../team/team.ts';
import { createUser } from '../user/create-user.ts';
import { testProject } from './people.ts';
import { contextOf, createWorld, type World } from './world.ts';

/** A project in the log, with a team of it whose creator may do everything, and a way to make more users. */
export async function withTeam(given?: World) {
  const world = given ?? (await createWorld());
  const { deps } = world;
  const ownerUserId = deps.newId();
  const made = await createProject(deps, contextOf('internal'), { displayName: 'Shop', ownerUserId });
  const ctx = contextOf(made.projectId);
  const newUser = async () => (await createUser(deps, ctx, { project: testProject })).userId;
  const creatorId = await newUser();
  const { team } = await createTeam(deps, ctx, { displayName: 'Crew', creatorId, project: testProject });
  return { ...world, ctx, newUser, creatorId, teamId: team.teamId, project: testProject };
}
