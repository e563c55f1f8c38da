import type { ServerTeamView } from '@gatebook/contract/teams';
import type { ServerUserView } from '@gatebook/contract/users';
import type { Read } from './cache.ts';
import { fromWire, queryOf } from './fields.ts';
import { notOffered } from './not-offered.ts';
import { createRead, fetchList, readList, withHooks } from './reads.ts';
import type {
  ListTeamsOptions,
  Paged,
  PageView,
  ServerContext,
  ServerTeam,
  ServerTeamUpdateOptions,
  ServerTeamUser,
} from './server-objects.ts';
import { membersPath, teamMethods, toTeamUser } from './teams.ts';

export function toServerTeam(context: ServerContext, view: ServerTeamView): ServerTeam {
  const { send, cache } = context;
  const changeMember = async (method: 'POST' | 'DELETE', userId: string): Promise<void> => {
    await send(method, `/team-memberships/${view.id}/${userId}`, {});
    await cache.refresh('/team', '/users');
  };
  return withHooks(context, {
    ...fromWire(view),
    ...teamMethods<ServerTeamUpdateOptions>(context, view.id),
    ...notOffered('grantProduct'),
    listUsers: readList(
      context,
      () => membersPath(view.id),
      (member: Parameters<typeof toTeamUser>[0] & { user: ServerUserView }): ServerTeamUser => ({
        ...context.toUser(member.user),
        teamProfile: toTeamUser(member).teamProfile,
      }),
    ),
    addUser: (userId) => changeMember('POST', userId),
    removeUser: (userId) => changeMember('DELETE', userId),
  });
}

export const paged = <Item>(items: Item[], nextCursor: string | null): Paged<Item> =>
  Object.assign(items, { nextCursor });

/** The teams of a user, or of the project. One page with a `limit`, otherwise all. */
export function listTeamsOf(
  context: ServerContext,
  userId?: string,
): Read<[options?: ListTeamsOptions], Paged<ServerTeam>> {
  const pathOf = ({ orderBy, ...options }: ListTeamsOptions = {}) =>
    `/teams${queryOf({ userId, ...options, orderBy: orderBy && 'created_at' })}`;
  return createRead(context, pathOf, async (options) => {
    if (options?.limit === undefined) {
      const views = await fetchList<ServerTeamView>(context.send, pathOf(options));
      return paged(views.map(context.toTeam), null);
    }
    const { items, pagination } = await context.send<PageView<ServerTeamView>>('GET', pathOf(options));
    return paged(items.map(context.toTeam), pagination?.next_cursor ?? null);
  });
}
