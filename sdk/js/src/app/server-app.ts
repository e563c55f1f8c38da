import type { OAuthAccountView } from '@gatebook/contract/oauth';
import type { ServerTeamView } from '@gatebook/contract/teams';
import type { ServerUserView } from '@gatebook/contract/users';
import type { KnownErrorCode } from '../error-codes.ts';
import type { ErrorFamily } from '../error-families.ts';
import { type EventMethods, eventMethods } from '../events.ts';
import { endedBy } from '../live.ts';
import { createTransport, type Send, type TransportOptions } from '../transport.ts';
import { type OAuthProvider, toOAuthProvider } from './accounts.ts';
import { type AppMethods, appMethods, type CustomerOptions, productsPath } from './app-methods.ts';
import { type AppParts, createAppParts } from './app-parts.ts';
import { createCache, type Read } from './cache.ts';
import { environment } from './environment.ts';
import { queryOf, toWire } from './fields.ts';
import { registerApp } from './internals.ts';
import { type NotOffered, notOffered } from './not-offered.ts';
import { type GatebookClientAppOptions, required, withInherited } from './options.ts';
import { type Moment, optionsAsOf } from './past-app.ts';
import { createRead, fetchList, readList, readPath, withHooks } from './reads.ts';
import { type Result, toResult } from './result.ts';
import type {
  EmailDeliveryInfo,
  ListTeamsOptions,
  Paged,
  PageView,
  ServerContext,
  ServerTeam,
  ServerTeamCreateOptions,
  ServerUser,
  ServerUserCreateOptions,
} from './server-objects.ts';
import { listTeamsOf, paged, toServerTeam } from './server-teams.ts';
import { startSession, toServerUser } from './server-users.ts';
import { type Auth, type SessionParts, sessionMethods } from './session-methods.ts';
import type { GetUserOptions } from './user-lookup.ts';

/** The signed-in user, with server access. */
export type CurrentServerUser = ServerUser & Auth;

export type GatebookServerAppOptions = GatebookClientAppOptions & { secretServerKey?: string };

export type ListUsersOptions = {
  cursor?: string;
  limit?: number;
  orderBy?: 'signedUpAt' | 'lastActiveAt';
  desc?: boolean;
  /** An ID, or part of a name or email address. */
  query?: string;
  teamId?: string;
  includeRestricted?: boolean;
  /** Restricted users too. */
  includeAnonymous?: boolean;
  /** Requires `includeAnonymous`. */
  onlyAnonymous?: boolean;
};
export type SendEmailOptions = ({ userIds: string[] } | { allUsers: true }) &
  ({ html: string } | { templateId: string }) & {
    subject?: string;
    notificationCategoryName?: 'Transactional' | 'Marketing';
    scheduledAt?: Date;
    variables?: Readonly<Record<string, unknown>>;
    themeId?: string | null | false;
  };
export type CreateOAuthProviderOptions = {
  userId: string;
  accountId: string;
  providerConfigId: string;
  email?: string;
  allowSignIn: boolean;
  allowConnectedAccounts: boolean;
};
type OrNull = { or?: 'return-null' | 'anonymous' };

export type ServerMethods = NotOffered<'activateEmailCapacityBoost' | 'getDataVaultStore' | 'grantProduct'> &
  EventMethods & {
    /** Reads with server access as of a moment. Writes throw. */
    at(moment: Moment): GatebookServerApp;
    getUser(options: GetUserOptions & { or: 'redirect' | 'throw' | 'anonymous' }): Promise<CurrentServerUser>;
    getUser(options?: GetUserOptions): Promise<CurrentServerUser | null>;
    getUser(id: string): Promise<ServerUser | null>;
    getUser(options: { apiKey: string } & OrNull): Promise<ServerUser | null>;
    getUser(options: { from: 'convex'; ctx: ConvexContext } & OrNull): Promise<ServerUser | null>;
    /** Deprecated: see `getUser`. */
    getServerUser(): Promise<CurrentServerUser | null>;
    getServerUserById(id: string): Promise<ServerUser | null>;
    /** Restricted and anonymous users only on request. */
    listUsers: Read<[options?: ListUsersOptions], Paged<ServerUser>>;
    createUser(options: ServerUserCreateOptions): Promise<ServerUser>;
    getTeam(id: string): Promise<ServerTeam | null>;
    getTeam(options: { apiKey: string }): Promise<ServerTeam | null>;
    /** One page with a `limit`, otherwise all. */
    listTeams: Read<[options?: ListTeamsOptions], Paged<ServerTeam>>;
    createTeam(options: ServerTeamCreateOptions): Promise<ServerTeam>;
    /** Lists the permissions of all members at once. */
    listTeamMemberPermissions: Read<
      [teamId: string, options?: { recursive?: boolean }],
      { userId: string; permissionId: string }[]
    >;
    createOAuthProvider(options: CreateOAuthProviderOptions): Promise<Result<OAuthProvider>>;
    sendEmail(options: SendEmailOptions): Promise<void>;
    getEmailDeliveryStats: Read<[], EmailDeliveryInfo>;
    listProducts(options: CustomerOptions): Promise<never[]>;
  };
type ConvexContext = { auth: { getUserIdentity(): Promise<Readonly<Record<string, unknown>> | null> } };

/** The app of a server, with access to all users and teams. */
export type GatebookServerApp<ProjectId extends string = string> = Omit<AppMethods<ProjectId>, keyof ServerMethods> &
  ServerMethods;

export const GatebookServerApp = function construct(given: GatebookServerAppOptions): GatebookServerApp {
  const options = withInherited(given);
  const secretServerKey = required(
    'secretServerKey',
    'GATEBOOK_SECRET_SERVER_KEY',
    options.secretServerKey || environment.secretServerKey(),
  );
  const { app } = createServerApp(options, { accessType: 'server', secretServerKey });
  registerApp(app);
  return app;
} as unknown as new <ProjectId extends string = string>(
  options: GatebookServerAppOptions & { projectId?: ProjectId },
) => GatebookServerApp<ProjectId>;

/** What the transport sends with server calls. */
export type ServerAccess = Pick<TransportOptions, 'accessType' | 'secretServerKey' | 'superSecretAdminKey'>;

/** The methods of an app with server access, and what further methods need. */
export function createServerApp(
  options: GatebookServerAppOptions,
  access: ServerAccess,
  ownerSession?: TransportOptions['ownerSession'],
): { app: GatebookServerApp; context: ServerContext; parts: AppParts<CurrentServerUser> } {
  const parts: AppParts<CurrentServerUser> = createAppParts<CurrentServerUser>(
    options,
    {
      fetchUser: ({ session }) => createTransport({ ...parts.server, ...access, session })('GET', '/users/me'),
      toUser: (session, view) => toCurrentServerUser(context, session, view as ServerUserView),
    },
    ownerSession,
  );
  const { server, useResource, callbackUrl } = parts;
  const send: Send = createTransport({ ...server, ...access });
  const sendUntil = (signal: AbortSignal) =>
    createTransport({ ...server, ...access, network: endedBy(signal, server.network) });
  const events = eventMethods(send, sendUntil);
  const cache = createCache(server.network.pause, server.network.now);
  const context: ServerContext = {
    ...{ send, cache, useResource, callbackUrl },
    toUser: (view) => toServerUser(context, view),
    toTeam: (view) => toServerTeam(context, view),
    registerPasskey: (userId, passkey) => registerPasskeyFor(parts, context, userId, passkey),
  };
  const at = (moment: Moment) => createServerApp(optionsAsOf(options, moment), access, ownerSession).app;
  const app = withHooks(parts, { ...appMethods(parts), ...serverMethods(parts, context), ...events, at });
  return { app, context, parts };
}

function toCurrentServerUser(context: ServerContext, session: SessionParts, view: ServerUserView): CurrentServerUser {
  const user = toServerUser(context, view);
  const { delete: _, ...own } = sessionMethods(session);
  return Object.freeze({
    ...user,
    ...own,
    delete: async () => {
      await user.delete();
      session.connection.session.invalidate();
    },
  });
}

/** The user has no session in the browser where a server app registers the passkey, so start one for the ceremony. */
async function registerPasskeyFor(
  parts: AppParts<unknown>,
  context: ServerContext,
  userId: string,
  options?: { hostname?: string },
): Promise<void> {
  const tokens = await startSession(context, userId, { expiresInMillis: 600_000 });
  const connection = parts.connectionOf({ tokenStore: tokens });
  try {
    await parts.registerPasskey(connection, options);
  } finally {
    await connection.send('DELETE', '/auth/sessions/current', {});
  }
}

function serverMethods(
  parts: AppParts<CurrentServerUser>,
  context: ServerContext,
): Omit<ServerMethods, 'at' | keyof EventMethods> {
  const { send, cache, toUser, toTeam } = context;
  const findUser = (id: string) =>
    orNull(send<ServerUserView>('GET', `/users/${encodeURIComponent(id)}`).then(toUser), 'USER_NOT_FOUND');
  const findTeam = (id: string) =>
    orNull(send<ServerTeamView>('GET', `/teams/${encodeURIComponent(id)}`).then(toTeam), 'TEAM_NOT_FOUND');
  const ownerOfKey = (type: 'user' | 'team', api_key: string) =>
    orNull(
      send<{ user_id: string; team_id: string }>('POST', `/${type}-api-keys/check`, { api_key }),
      'API_KEY_NOT_VALID',
    );

  const getUser = async (given?: Parameters<typeof parts.getUser>[0] | string | Selector) => {
    if (typeof given === 'string') return findUser(given);
    if (given && 'apiKey' in given) {
      const key = await ownerOfKey('user', given.apiKey);
      return key && findUser(key.user_id);
    }
    if (given && 'ctx' in given) {
      const identity = await given.ctx.auth.getUserIdentity();
      return identity && findUser(String(identity.subject ?? identity.sub));
    }
    return parts.getUser(given);
  };
  return {
    ...notOffered('activateEmailCapacityBoost', 'getDataVaultStore', 'grantProduct'),
    getUser: getUser as ServerMethods['getUser'],
    getServerUser: () => parts.getUser(),
    getServerUserById: findUser,
    listUsers: createRead(context, usersPath, (options) => listUsers(context, options)),
    createUser: async (options) => {
      const created = toUser(await send<ServerUserView>('POST', '/users', newUserBody(options)));
      await cache.refresh('/users');
      return created;
    },
    getTeam: async (given: string | { apiKey: string }) => {
      if (typeof given === 'string') return findTeam(given);
      const key = await ownerOfKey('team', given.apiKey);
      return key && findTeam(key.team_id);
    },
    listTeams: listTeamsOf(context),
    createTeam: async (options) => {
      const created = toTeam(await send<ServerTeamView>('POST', '/teams', toWire(options)));
      await cache.refresh('/teams');
      return created;
    },
    listTeamMemberPermissions: readList(
      context,
      (teamId: string, { recursive = false }: { recursive?: boolean } = {}) =>
        `/team-permissions${queryOf({ teamId, recursive })}`,
      (view: { id: string; user_id: string }) => ({ userId: view.user_id, permissionId: view.id }),
    ),
    createOAuthProvider: (options) => {
      const call = send<OAuthAccountView>('POST', '/oauth-providers', toWire(options));
      const created = call.then(async (view) => {
        await cache.refresh('/oauth-providers', '/connected-accounts');
        return toOAuthProvider(context, options.userId, view);
      });
      return toResult(created, 'OAUTH_PROVIDER_ACCOUNT_ID_ALREADY_USED_FOR_SIGN_IN');
    },
    sendEmail: async ({ variables, ...options }) => {
      await send('POST', '/emails/send-email', { ...toWire(options), variables });
    },
    getEmailDeliveryStats: readPath(
      context,
      () => '/emails/delivery-info',
      (view: EmailDeliveryInfo) => view,
    ),
    listProducts: (options) => fetchList(send, productsPath(options)),
  };
}
type Selector = { apiKey: string } | { from: 'convex'; ctx: ConvexContext };

async function orNull<Value>(call: Promise<Value>, missing: KnownErrorCode | ErrorFamily): Promise<Value | null> {
  const result = await toResult(call, missing);
  return result.status === 'ok' ? result.data : null;
}

const wireOrder = { signedUpAt: 'signed_up_at', lastActiveAt: 'last_active_at' };
const usersPath = ({
  orderBy,
  includeAnonymous = false,
  includeRestricted = includeAnonymous,
  ...rest
}: ListUsersOptions = {}) =>
  `/users${queryOf({ ...rest, includeAnonymous, includeRestricted, orderBy: orderBy && wireOrder[orderBy] })}`;

/** A page of search results may end early with a cursor, so go on until there is something to show. */
async function listUsers({ send, toUser }: ServerContext, options: ListUsersOptions = {}): Promise<Paged<ServerUser>> {
  const { limit = 1 } = options;
  const views: ServerUserView[] = [];
  let { cursor } = options;
  for (;;) {
    const left = options.limit === undefined ? {} : { limit: limit - views.length };
    const { items, pagination } = await send<PageView<ServerUserView>>(
      'GET',
      usersPath({ ...options, ...left, ...(cursor !== undefined && { cursor }) }),
    );
    views.push(...items);
    const nextCursor = pagination?.next_cursor ?? null;
    if (nextCursor === null || options.query === undefined || views.length >= limit)
      return paged(views.map(toUser), nextCursor);
    cursor = nextCursor;
  }
}

const newUserBody = ({ totpMultiFactorSecret: secret, ...options }: ServerUserCreateOptions) => ({
  ...toWire(options),
  totp_secret_base64: secret && btoa(String.fromCharCode(...secret)),
});
