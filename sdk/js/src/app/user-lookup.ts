import { anonymousAuth } from '../auth/anonymous.ts';
import { isKnownError } from '../errors.ts';
import type { AppCore } from './app-core.ts';
import type { TokenStoreOption } from './auth-methods.ts';
import type { Read } from './cache.ts';
import type { Ceremonies } from './ceremonies.ts';
import type { Connection } from './connection.ts';
import { createRead } from './reads.ts';
import type { SessionParts } from './session-methods.ts';

export type GetUserOrElse =
  | 'redirect'
  | 'throw'
  | 'return-null'
  | 'anonymous'
  | 'anonymous-if-exists'
  | 'anonymous-if-exists[deprecated]';
export type GetUserOptions = TokenStoreOption & {
  /** Without a user; anonymous users count only with the values that name them. */
  or?: GetUserOrElse;
  /** Also a user who is not allowed to use the app yet. */
  includeRestricted?: boolean;
};

type Kinds = { isAnonymous: boolean; isRestricted: boolean };

/** The user, if these options count them. */
export function wantedUser<User extends Kinds>(
  user: User | null,
  { or = 'return-null', includeRestricted = or === 'anonymous' }: Omit<GetUserOptions, 'tokenStore'> = {},
): User | null {
  const isWanted = user?.isAnonymous ? or.startsWith('anonymous') : includeRestricted || !user?.isRestricted;
  return isWanted ? user : null;
}

/** How an app reads its current user: with client or with server access. */
export type UserKind<User> = {
  fetchUser(connection: Connection): Promise<unknown>;
  toUser(parts: SessionParts, view: unknown): User;
};

export type UserLookup<User> = {
  currentUser(connection: Connection): Read<[], User | null>;
  /** What `call.or` says for a user who does not count. */
  actWithoutUser(user: Kinds | null, call: GetUserOptions): Promise<void>;
  getUser(call?: GetUserOptions): Promise<User | null>;
};

/** (protocol, client §9) */
export function createUserLookup<User extends Kinds>(
  core: AppCore & Ceremonies,
  kind: UserKind<User>,
): UserLookup<User> {
  const { redirects, connectionOf } = core;
  const currentUser = (connection: Connection): Read<[], User | null> =>
    createRead(
      connection,
      () => '/users/me',
      () => findUser(core, kind, connection),
    );
  const signUpAnonymously = anonymousSignUps(core);
  const actWithoutUser = async (user: Kinds | null, call: GetUserOptions): Promise<void> => {
    if (call.or === 'throw') throw new Error('No user is signed in.');
    if (call.or === 'anonymous') await signUpAnonymously(connectionOf(call));
    if (call.or !== 'redirect') return;
    await redirects.to(user && !user.isAnonymous ? 'onboarding' : 'signIn', { replace: true });
  };
  return {
    currentUser,
    actWithoutUser,
    getUser: async (call = {}) => {
      const read = currentUser(connectionOf(call));
      const user = await read();
      const wanted = wantedUser(user, call);
      if (wanted) return wanted;
      await actWithoutUser(user, call);
      return call.or === 'anonymous' ? read() : null;
    },
  };
}

async function findUser<User>(
  { contextOf, redirects, oauth, registerPasskey }: AppCore & Ceremonies,
  { fetchUser, toUser }: UserKind<User>,
  connection: Connection,
): Promise<User | null> {
  if (!connection.session.isSignedIn()) return null;
  const parts: SessionParts = {
    ...{ connection, redirects, context: contextOf(connection) },
    link: async (provider, scopes) => (await oauth(connection)).linkWithOAuth(provider, { scopes }),
    registerPasskey: (options) => registerPasskey(connection, options),
  };
  try {
    return toUser(parts, await fetchUser(connection));
  } catch (error) {
    // The session may end between the check and the response.
    if (isKnownError(error, 'CANNOT_GET_OWN_USER_WITHOUT_USER')) return null;
    throw error;
  }
}

/** One sign-up at a time per session. */
function anonymousSignUps({ sendWithoutSession }: AppCore): (connection: Connection) => Promise<void> {
  const known = new WeakMap<Connection, () => Promise<void>>();
  return (connection) => {
    const { signUpAnonymously } = anonymousAuth({ ...connection, sendWithoutSession });
    if (!known.has(connection)) known.set(connection, signUpAnonymously);
    return (known.get(connection) ?? signUpAnonymously)();
  };
}
