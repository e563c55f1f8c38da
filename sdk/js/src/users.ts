import type { SendResetCode } from '@gatebook/contract/auth';
import type { DeletedUserView } from '@gatebook/contract/deleted-users';
import type { OAuthAccountView } from '@gatebook/contract/oauth';
import type { SessionTokens } from '@gatebook/contract/sessions';
import type { UserCountView } from '@gatebook/contract/user-search';
import type { NewUser, ServerUserView, UserListView, UserPatch } from '@gatebook/contract/users';
import type { PreviewedCall } from './changes.ts';
import { type DeletedItemsClient, type DeletedPage, deletedItemsClient } from './deleted.ts';
import type { Json } from './json.ts';
import { type CurrentUser, toCurrentUser } from './me.ts';
import { type MergeClient, mergeClient } from './merge-users.ts';
import type { Send } from './transport.ts';
import { toFilters, type UserFilters } from './user-filters.ts';

export type User = CurrentUser & {
  primaryEmailAuthEnabled: boolean;
  lastActiveAt: Date;
  serverMetadata: Json;
  /** Not shown to the user. */
  restrictedByAdminPrivateDetails: string | null;
  /** ISO 3166-1 alpha-2. */
  countryCode: string | null;
  /** From 0 to 100, as a server set them. */
  riskScores: RiskScores;
};
export type RiskScores = { bot: number; freeTrialAbuse: number };

/** One page of users; `nextCursor` is null on the last one. */
export type UserPage = { items: readonly User[]; nextCursor: string | null };
/** A user who can be restored until `erasedAt`, without sessions and API keys. */
export type DeletedUser = {
  id: string;
  displayName: string | null;
  primaryEmail: string | null;
  profileImageUrl: string | null;
  signedUpAt: Date;
  deletedAt: Date;
  erasedAt: Date;
  /** The user deleted the account. */
  deletedByUser: boolean;
};
export type DeletedUserPage = DeletedPage<DeletedUser>;
export type ListUsers = {
  /** ID of the first user of the page; null for the first page. */
  cursor?: string | null;
  limit?: number;
  /** Newest first. */
  desc?: boolean;
  /** An ID, or part of a name or email address. */
  query?: string;
};
/** A user without a name has the place of the email address in the order of names. */
export type UserOrder = 'signedUpAt' | 'lastActiveAt' | 'displayName' | 'primaryEmail';
export type SearchUsers = UserFilters & {
  /** `nextCursor` of the page before; null for the first page. */
  cursor?: string | null;
  limit?: number;
  orderBy?: UserOrder;
  /** Newest first, or from Z to A. */
  desc?: boolean;
};
/** `isComplete`: false if only the newest 15,000 users were looked at. */
export type UserCount = { count: number; isComplete: boolean };
export type UserChanges = {
  displayName?: string | null;
  primaryEmail?: string | null;
  primaryEmailVerified?: boolean;
  primaryEmailAuthEnabled?: boolean;
  /** null removes it, which ends all sessions. */
  password?: string | null;
  otpAuthEnabled?: boolean;
  /** Can only be removed. */
  passkeyAuthEnabled?: false;
  /** null turns the second factor off. */
  totpSecret?: null;
  clientMetadata?: Json;
  clientReadOnlyMetadata?: Json;
  serverMetadata?: Json;
  /** Ends all sessions and prevents sign-in; false lifts the restriction and removes its texts. */
  restrictedByAdmin?: boolean;
  /** Requires `restrictedByAdmin`, as do the private details. */
  restrictedByAdminReason?: string | null;
  restrictedByAdminPrivateDetails?: string | null;
  countryCode?: string | null;
  riskScores?: RiskScores;
};

/** An account at a provider. `id` is Gatebook's, `accountId` the provider's. */
export type LinkedAccount = { id: string; providerId: string; accountId: string | null; email: string | null };

/** All users of a project; requires server or admin access. */
export type UsersClient = {
  list(query: ListUsers): Promise<UserPage>;
  /**
   * The users who match all filters; requires admin access. With filters that few match, a page can be short, or empty,
   * and still have a next one: it looks at a limited number of users.
   */
  search(query: SearchUsers): Promise<UserPage>;
  /** Finds the page of a search before the page at `cursor`. A null `cursor` in the result is the first page. */
  findPreviousPage(query: SearchUsers & { cursor: string; limit: number }): Promise<{ cursor: string | null }>;
  /** How many users match; requires admin access. */
  count(filters: UserFilters): Promise<UserCount>;
  find(userId: string): Promise<User>;
  create(input: UserChanges): Promise<User>;
  update(userId: string, changes: UserChanges): Promise<User>;
  /** Erases the user at once, or after the project's grace period. */
  delete(userId: string): Promise<void>;
  /** Accounts at providers, in the order of linking. */
  listAccounts(userId: string): Promise<readonly LinkedAccount[]>;
  /** The account can no longer be used to sign in as this user. */
  unlinkAccount(userId: string, accountId: string): Promise<void>;
  /**
   * Emails a link with which the user sets a new password. `callbackUrl` leads to the page of the app for it.
   * @throws KnownError PASSWORD_AUTHENTICATION_NOT_ENABLED, REDIRECT_URL_NOT_WHITELISTED
   */
  sendPasswordReset(email: string, callbackUrl: string): Promise<void>;
  /**
   * Starts a session for somebody who acts for the user, of at most an hour. The reason is shown in the history.
   * @returns its refresh token, for the page `impersonation` of the app
   */
  impersonate(userId: string, options: { reason: string; minutes: number }): Promise<string>;
  /** All data stored about a user, as JSON. The export is recorded in the user's history. */
  export(userId: string): Promise<Json>;
} & DeletedItemsClient<DeletedUser> &
  MergeClient;

/** The most requests for one page: a search looks through a limited number of users per request. */
const maxContinuations = 100;
const maxSearchContinuations = 10;

/** What `update` calls, for a preview. */
export const callOfUserUpdate = (userId: string, changes: UserChanges): PreviewedCall => ({
  method: 'PATCH',
  path: `/users/${encodeURIComponent(userId)}`,
  body: toWire(changes),
});

export const usersClient = (send: Send): UsersClient => {
  const readPage = async (path: string): Promise<UserPage> => {
    const answer = await send<UserListView>('GET', path);
    return { items: answer.items.map(toUser), nextCursor: answer.pagination.next_cursor };
  };
  const search = (query: SearchUsers) =>
    fillPage(query, maxSearchContinuations, (part) => readPage(`/internal/users?${toSearchQuery(part)}`));
  return {
    list: (query) => fillPage(query, maxContinuations, (part) => readPage(`/users?${toQuery(part)}`)),
    search,
    findPreviousPage: async ({ cursor, limit, ...rest }) => {
      // In reverse order, the page starts at the same user and continues with the previous ones.
      const reversed = { ...rest, cursor, desc: !rest.desc };
      const { items, nextCursor } = await search({ ...reversed, limit: limit + 1 });
      const first = items[limit];
      // A search that got to its limit found too few of them: the page begins where it got to.
      if (nextCursor === null || !first) return { cursor: nextCursor };
      return { cursor: cursorOf(first, rest.orderBy) ?? (await search({ ...reversed, limit })).nextCursor };
    },
    count: async (filters) => {
      const { count, is_complete } = await send<UserCountView>('GET', `/internal/users/count?${toFilters(filters)}`);
      return { count, isComplete: is_complete };
    },
    find: async (userId) => toUser(await send<ServerUserView>('GET', `/users/${encodeURIComponent(userId)}`)),
    create: async (input) => toUser(await send<ServerUserView>('POST', '/users', toWire(input))),
    update: async (userId, changes) => {
      const { method, path, body } = callOfUserUpdate(userId, changes);
      return toUser(await send<ServerUserView>(method, path, body));
    },
    delete: async (userId) => {
      await send('DELETE', `/users/${encodeURIComponent(userId)}`, {});
    },
    listAccounts: async (userId) => {
      const query = new URLSearchParams({ user_id: userId });
      const { items } = await send<{ items: OAuthAccountView[] }>('GET', `/oauth-providers?${query}`);
      return items.map(({ id, provider_config_id: providerId, account_id, email }) => {
        return { id, providerId, accountId: account_id ?? null, email: email ?? null };
      });
    },
    unlinkAccount: async (userId, accountId) => {
      await send('DELETE', `/oauth-providers/${encodeURIComponent(userId)}/${encodeURIComponent(accountId)}`, {});
    },
    sendPasswordReset: async (email, callbackUrl) => {
      const body: SendResetCode = { email, callback_url: callbackUrl };
      await send('POST', '/auth/password/send-reset-code', body);
    },
    ...deletedItemsClient(send, 'users', toDeletedUser),
    ...mergeClient(send),
    impersonate: async (userId, { reason, minutes }) => {
      const { refresh_token } = await send<SessionTokens>('POST', '/auth/sessions', {
        user_id: userId,
        is_impersonation: true,
        impersonation_reason: reason,
        expires_in_millis: minutes * 60_000,
      });
      return refresh_token;
    },
    export: (userId) => send<Json>('GET', `/users/${encodeURIComponent(userId)}/export`),
  };
};

type PageQuery = { cursor?: string | null; limit?: number };

/** A page of search results may end early with a cursor, so fill it up. */
async function fillPage<Query extends PageQuery>(
  query: Query,
  continuations: number,
  read: (query: Query) => Promise<UserPage>,
): Promise<UserPage> {
  let { items, nextCursor } = await read(query);
  const { limit = items.length } = query;
  for (let more = 0; nextCursor !== null && items.length < limit && more < continuations; more += 1) {
    const next = await read({ ...query, cursor: nextCursor, limit: limit - items.length });
    items = [...items, ...next.items];
    nextCursor = next.nextCursor;
  }
  return { items, nextCursor };
}

/** null: the place contains a text as only the server sorts it. */
function cursorOf({ id, lastActiveAt }: User, orderBy: UserOrder = 'signedUpAt'): string | null {
  if (orderBy === 'signedUpAt') return id;
  return orderBy === 'lastActiveAt' ? `${lastActiveAt.getTime()}.${id}` : null;
}

const toDeletedUser = (view: DeletedUserView): DeletedUser => ({
  id: view.id,
  displayName: view.display_name,
  primaryEmail: view.primary_email,
  profileImageUrl: view.profile_image_url,
  signedUpAt: new Date(view.signed_up_at_millis),
  deletedAt: new Date(view.deleted_at_millis),
  erasedAt: new Date(view.erased_at_millis),
  deletedByUser: view.deleted_by_user,
});

function toQuery({ cursor, limit, desc, query }: ListUsers): URLSearchParams {
  const search = new URLSearchParams({ order_by: 'signed_up_at' });
  if (cursor) search.set('cursor', cursor);
  if (limit !== undefined) search.set('limit', String(limit));
  if (desc !== undefined) search.set('desc', String(desc));
  if (query) search.set('query', query);
  return search;
}

const orderNames = {
  signedUpAt: 'signed_up_at',
  lastActiveAt: 'last_active_at',
  displayName: 'display_name',
  primaryEmail: 'primary_email',
} as const satisfies Record<UserOrder, string>;

function toSearchQuery({ cursor, limit, orderBy = 'signedUpAt', desc, ...filters }: SearchUsers): URLSearchParams {
  const search = toFilters(filters);
  search.set('order_by', orderNames[orderBy]);
  if (cursor) search.set('cursor', cursor);
  if (limit !== undefined) search.set('limit', String(limit));
  if (desc !== undefined) search.set('desc', String(desc));
  return search;
}

/** JSON omits undefined fields, which leaves them unchanged. */
function toWire(changes: UserChanges): UserPatch & NewUser {
  return {
    display_name: changes.displayName,
    primary_email: changes.primaryEmail,
    primary_email_verified: changes.primaryEmailVerified,
    primary_email_auth_enabled: changes.primaryEmailAuthEnabled,
    password: changes.password,
    otp_auth_enabled: changes.otpAuthEnabled,
    passkey_auth_enabled: changes.passkeyAuthEnabled,
    totp_secret_base64: changes.totpSecret,
    client_metadata: changes.clientMetadata,
    client_read_only_metadata: changes.clientReadOnlyMetadata,
    server_metadata: changes.serverMetadata,
    restricted_by_admin: changes.restrictedByAdmin,
    restricted_by_admin_reason: changes.restrictedByAdminReason,
    restricted_by_admin_private_details: changes.restrictedByAdminPrivateDetails,
    country_code: changes.countryCode,
    risk_scores: changes.riskScores && {
      sign_up: { bot: changes.riskScores.bot, free_trial_abuse: changes.riskScores.freeTrialAbuse },
    },
  };
}

export function toUser(view: ServerUserView): User {
  return {
    ...toCurrentUser(view),
    primaryEmailAuthEnabled: view.primary_email_auth_enabled,
    lastActiveAt: new Date(view.last_active_at_millis),
    serverMetadata: view.server_metadata,
    restrictedByAdminPrivateDetails: view.restricted_by_admin_private_details ?? null,
    countryCode: view.country_code ?? null,
    riskScores: {
      bot: view.risk_scores?.sign_up.bot ?? 0,
      freeTrialAbuse: view.risk_scores?.sign_up.free_trial_abuse ?? 0,
    },
  };
}
