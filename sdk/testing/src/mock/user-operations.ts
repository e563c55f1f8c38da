import { type Call, done, listOf, type Operations, ok, pageOf, type Reply, reject } from './operations.ts';
import { addTeam, addUser, type MockedUser, type State, type View } from './state.ts';

const noUser = reject('CANNOT_GET_OWN_USER_WITHOUT_USER', 400);
const withUser =
  (reply: (call: Call, user: MockedUser) => Reply) =>
  (call: Call): Reply => {
    const { user_id: id } = call.params;
    if (id === undefined || id === 'me') return call.user ? reply(call, call.user) : noUser;
    const user = call.state.users.get(id);
    return user ? reply(call, user) : reject('USER_NOT_FOUND', 404);
  };
const withTeam =
  (reply: (call: Call, team: View) => Reply) =>
  (call: Call): Reply => {
    const team = call.state.teams.get(call.params.team_id ?? '');
    return team ? reply(call, team) : reject('TEAM_NOT_FOUND', 404, { team_id: call.params.team_id });
  };

/** The user of the query, such as `user_id=me`, if they exist; null for all users. */
function queriedUsers({ state, query, user }: Call): readonly MockedUser[] | null {
  const id = query.get('user_id');
  if (id === null) return null;
  const found = id === 'me' ? user : state.users.get(id);
  return found ? [found] : [];
}

function changeUser({ state, body }: Call, { view }: MockedUser): Reply {
  const { password: _, ...fields } = body;
  Object.assign(view, fields);
  if ('selected_team_id' in body) view.selected_team = state.teams.get(String(body.selected_team_id)) ?? null;
  return ok(view);
}

function deleteUser({ state }: Call, { view }: MockedUser): Reply {
  state.users.delete(view.id);
  return done;
}

function teamsOf(call: Call): View[] {
  const users = queriedUsers(call);
  return [...call.state.teams.values()].filter(({ id }) => !users || users.some(({ teamIds }) => teamIds.has(id)));
}

const membersOf = (state: State, teamId: string): MockedUser[] =>
  [...state.users.values()].filter(({ teamIds }) => teamIds.has(teamId));

function listProfiles(call: Call): Reply {
  const teamId = call.query.get('team_id') ?? '';
  const users = queriedUsers(call);
  const members = membersOf(call.state, teamId).filter((member) => users?.includes(member) ?? true);
  return listOf(
    members.map(({ view }) => ({
      ...{ team_id: teamId, user_id: view.id, user: view },
      ...{ display_name: view.display_name, profile_image_url: view.profile_image_url },
    })),
  );
}

function listTeamPermissions(call: Call): Reply {
  const { query, state } = call;
  const holders = queriedUsers(call) ?? [...state.users.values()];
  return listOf(
    holders.flatMap(({ view, teamPermissions }) =>
      [...teamPermissions]
        .filter(([teamId]) => teamId === (query.get('team_id') ?? teamId))
        .flatMap(([team_id, ids]) => [...ids].map((id) => ({ id, team_id, user_id: view.id }))),
    ),
  );
}

const permissionsIn = ({ teamPermissions }: MockedUser, teamId = ''): Set<string> => {
  const known = teamPermissions.get(teamId) ?? new Set<string>();
  teamPermissions.set(teamId, known);
  return known;
};

export const userOperations: Operations = {
  'GET /projects/current': ({ state }) => ok(state.project),
  'GET /users/me': withUser((_, { view }) => ok(view)),
  'PATCH /users/me': withUser(changeUser),
  'DELETE /users/me': withUser(deleteUser),
  'GET /users': ({ state }) => pageOf([...state.users.values()].map(({ view }) => view)),
  'POST /users': ({ state, body: { password, ...fields } }) =>
    ok(addUser(state, fields, typeof password === 'string' ? password : null).view),
  'GET /users/{user_id}': withUser((_, { view }) => ok(view)),
  'PATCH /users/{user_id}': withUser(changeUser),
  'DELETE /users/{user_id}': withUser(deleteUser),
  'GET /contact-channels': (call) => {
    const holders = queriedUsers(call) ?? [...call.state.users.values()];
    return listOf(
      holders.flatMap(({ view: { id, primary_email: value, primary_email_verified: is_verified } }) =>
        value ? [{ id, user_id: id, type: 'email', value, is_primary: true, is_verified, used_for_auth: true }] : [],
      ),
    );
  },

  'GET /teams': (call) => listOf(teamsOf(call)),
  'POST /teams': ({ state, user, body: { creator_user_id: creator, ...fields } }) =>
    ok(addTeam(state, fields, creator === 'me' ? user : (state.users.get(String(creator)) ?? null))),
  'GET /teams/{team_id}': withTeam((_, team) => ok(team)),
  'PATCH /teams/{team_id}': withTeam(({ body }, team) => ok(Object.assign(team, body))),
  'DELETE /teams/{team_id}': withTeam(({ state }, { id }) => {
    state.teams.delete(id);
    for (const { teamIds } of membersOf(state, id)) teamIds.delete(id);
    return done;
  }),
  'POST /team-memberships/{team_id}/{user_id}': withUser(({ params }, { teamIds, view }) => {
    teamIds.add(params.team_id ?? '');
    return ok({ team_id: params.team_id, user_id: view.id });
  }),
  'DELETE /team-memberships/{team_id}/{user_id}': withUser(({ params }, { teamIds }) => {
    teamIds.delete(params.team_id ?? '');
    return done;
  }),
  'GET /team-member-profiles': listProfiles,
  'GET /team-invitations': () => listOf([]),

  'GET /team-permissions': listTeamPermissions,
  'POST /team-permissions/{team_id}/{user_id}/{permission_id}': withUser(({ params }, user) => {
    permissionsIn(user, params.team_id).add(params.permission_id ?? '');
    return ok({ id: params.permission_id, team_id: params.team_id, user_id: user.view.id });
  }),
  'DELETE /team-permissions/{team_id}/{user_id}/{permission_id}': withUser(({ params }, user) => {
    permissionsIn(user, params.team_id).delete(params.permission_id ?? '');
    return done;
  }),
  'GET /project-permissions': (call) => {
    const holders = queriedUsers(call) ?? [...call.state.users.values()];
    return listOf(holders.flatMap(({ view, permissions }) => [...permissions].map((id) => ({ id, user_id: view.id }))));
  },
  'POST /project-permissions/{user_id}/{permission_id}': withUser(({ params }, { permissions, view }) => {
    permissions.add(params.permission_id ?? '');
    return ok({ id: params.permission_id, user_id: view.id });
  }),
  'DELETE /project-permissions/{user_id}/{permission_id}': withUser(({ params }, { permissions }) => {
    permissions.delete(params.permission_id ?? '');
    return done;
  }),
};
