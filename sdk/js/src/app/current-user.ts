import type { ClientTeamView } from '@gatebook/contract/teams';
import type { ClientUserView } from '@gatebook/contract/users';
import type { Read } from './cache.ts';
import type { ContactChannel, ContactChannelCreateOptions } from './contact-channels.ts';
import { queryOf, toWire } from './fields.ts';
import { readList, withHooks } from './reads.ts';
import { errorOf } from './result.ts';
import { type Auth, type SessionParts, sessionMethods } from './session-methods.ts';
import { type Team, type TeamCreateOptions, toTeam } from './teams.ts';
import {
  customerOfUser,
  teamOf,
  type User,
  type UserMethods,
  type UserUpdateOptions,
  userFields,
  userMethods,
} from './users.ts';

/** The signed-in user. */
export type CurrentUser = User &
  Auth &
  UserMethods<Team, ContactChannel, ContactChannelCreateOptions, UserUpdateOptions> & {
    listTeams: Read<[], Team[]>;
    /** Null unless the user is a member. */
    getTeam: Read<[id: string], Team | null>;
  };
/** With `methods` besides. */
export function toCurrentUser<Methods extends object>(
  parts: SessionParts,
  view: ClientUserView,
  methods: Methods,
): CurrentUser & Methods {
  const { context, link } = parts;
  const { send, cache, callbackUrl } = context;
  const shared = userMethods({ context, userId: 'me', link });
  const teamsPath = '/teams';
  const listTeams = readList(
    context,
    () => `${teamsPath}${queryOf({ userId: 'me' })}`,
    (team: ClientTeamView) => toTeam(context, team),
  );
  /** Clients choose the primary address among the user's contact channels. */
  const setPrimaryEmail = async (email: string): Promise<void> => {
    const channel = (await shared.listContactChannels()).find(({ value }) => value === email);
    if (!channel) throw new Error('The primary email must be a contact channel of the user.');
    await channel.update({ isPrimary: true });
  };
  const user: CurrentUser = {
    ...userFields(view),
    ...shared,
    ...customerOfUser(context, view.id),
    ...sessionMethods(parts),
    selectedTeam: view.selected_team && toTeam(context, view.selected_team),
    listTeams,
    getTeam: teamOf(listTeams),
    update: async ({ primaryEmail, ...options }) => {
      if (primaryEmail) await setPrimaryEmail(primaryEmail);
      await shared.update(options);
    },
    setPassword: ({ password }) =>
      errorOf(
        send('POST', '/auth/password/set', { password }).then(() => cache.refresh('/users')),
        'PASSWORD_REQUIREMENTS_NOT_MET',
      ),
    sendVerificationEmail: async (options) => {
      if (view.primary_email === null) throw new Error('The user has no primary email.');
      const callback_url = callbackUrl('emailVerification', options?.callbackUrl);
      const call = send('POST', '/contact-channels/send-verification-code', {
        email: view.primary_email,
        callback_url,
      });
      return errorOf(call, 'EMAIL_ALREADY_VERIFIED');
    },
    createTeam: async (options: TeamCreateOptions) => {
      const created = await send<ClientTeamView>('POST', teamsPath, { ...toWire(options), creator_user_id: 'me' });
      await cache.refresh(teamsPath);
      await shared.setSelectedTeam(created.id);
      return toTeam(context, created);
    },
  };
  return Object.freeze(withHooks(context, { ...user, ...methods }));
}
