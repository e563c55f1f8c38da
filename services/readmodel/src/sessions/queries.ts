import type { Impersonator } from '@gatebook/domain/event';
import { authenticatedAt } from '@gatebook/domain/session/authentication';
import type { SignInMethod } from '@gatebook/domain/user/events';
import { maxListed } from '../list-limits.ts';
import { definePagedQuery, type Listed, listPage, type Page, wholeList } from '../list-pages.ts';
import { defineQuery, type ReadDb, standingOf } from '../read-db.ts';
import {
  isSessionAlive,
  type OwnUserRow,
  ownUserColumns,
  type StandingColumns,
  standingColumns,
  streamsOfOwnUser,
} from '../users/queries.ts';

export type SessionRow = {
  id: string;
  userId: string;
  /** Milliseconds since 1970, like every time of a row. */
  createdAt: number;
  isImpersonation: boolean;
  lastUsedAt: number | null;
  ip: string | null;
  country: string | null;
  /** The user agent of the sign-in. */
  userAgent: string | null;
};

/** What a session's tokens contain about it. */
export type SessionFacts = {
  id: string;
  /** Milliseconds since 1970; null if the user did not sign in for this session. */
  authenticatedAt: number | null;
  /** Who started the session to act for the user. */
  impersonation: { by: Impersonator; endsAt: number } | null;
  /** null for a session that just started and outlives every access token. */
  endsAt: number | null;
};

type TokenRow = OwnUserRow &
  StandingColumns & {
    sessionId: string;
    impersonator: Impersonator | null;
    method: SignInMethod;
    startedAt: number;
    expiresAt: number;
  };

const findByTokenQuery = defineQuery({
  name: 'find-session-by-token',
  isHot: true,
  sql: (schema: string) => `select s.id as "sessionId", s.impersonator, s.method,
      (extract(epoch from s.created_at) * 1000)::float8 as "startedAt",
      (extract(epoch from s.expires_at) * 1000)::float8 as "expiresAt", ${ownUserColumns(schema)},
      ${standingColumns(schema)}
    from ${schema}.sessions s join ${schema}.users u on u.id = s.user_id
    where s.refresh_token_hash = $2 and s.project_id = $1 and ${isSessionAlive}`,
  standingOf: standingOf<TokenRow>((row) => ({
    projectId: row.projectId,
    streams: [...streamsOfOwnUser(row), `session-${row.sessionId}`],
    until: row.expiresAt,
  })),
});

/** The live session of a refresh token (by its hash) with its user, in one read; null if there is none. */
export async function findSessionByRefreshToken(
  db: ReadDb,
  projectId: string,
  refreshTokenHash: string,
): Promise<{ session: SessionFacts; user: OwnUserRow } | null> {
  const [user] = await db.rows<TokenRow>(findByTokenQuery, [projectId, refreshTokenHash]);
  if (!user) return null;
  const { sessionId, impersonator, method, startedAt, expiresAt } = user;
  const session = {
    id: sessionId,
    authenticatedAt: authenticatedAt({ method, impersonator, startedAt }),
    impersonation: impersonator && { by: impersonator, endsAt: expiresAt },
    endsAt: expiresAt,
  };
  return { session, user };
}

const listSessionsQuery = definePagedQuery({
  name: 'list-sessions',
  sortedBy: { 's.created_at': 'time', 's.id': 'uuid' },
  isDescending: true,
  values: 3,
  sql: (schema, page) => `select s.id, s.user_id as "userId", s.is_impersonation as "isImpersonation",
      (extract(epoch from s.created_at) * 1000)::float8 as "createdAt",
      (extract(epoch from a.last_used_at) * 1000)::float8 as "lastUsedAt", a.ip, a.country, s.user_agent as "userAgent",
      ${page.key}
    from ${schema}.sessions s join ${schema}.users u on u.id = s.user_id
    left join activity.sessions a on a.session_id = s.id
    where s.project_id = $1 and s.user_id = $2 and ($3 or not s.is_impersonation) and ${isSessionAlive}
      and ${page.from} ${page.end}`,
});
export const { forms: sessionKeys } = listSessionsQuery;

/** Live sessions of a user, newest first; none for an unknown user. */
export function listSessions(
  db: ReadDb,
  projectId: string,
  userId: string,
  { withImpersonation }: { withImpersonation: boolean },
  page: Page = wholeList,
): Promise<Listed<SessionRow>> {
  return listPage<SessionRow>(db, listSessionsQuery, [projectId, userId, withImpersonation], page);
}

const listSurplusQuery = defineQuery({
  name: 'list-surplus-sessions',
  sql: (schema: string) => `select s.id from ${schema}.sessions s join ${schema}.users u on u.id = s.user_id
    left join activity.sessions a on a.session_id = s.id
    where s.project_id = $1 and s.user_id = $2 and not s.is_impersonation and ${isSessionAlive}
    order by greatest(a.last_used_at, s.created_at) desc, s.id limit ${maxListed} offset $3`,
});

/** IDs of a user's live sessions except the `keep` most recently used; impersonation sessions do not count. */
export async function listSurplusSessions(
  db: ReadDb,
  projectId: string,
  userId: string,
  { keep }: { keep: number },
): Promise<string[]> {
  const rows = await db.rows<{ id: string }>(listSurplusQuery, [projectId, userId, keep]);
  return rows.map(({ id }) => id);
}

const countNewDevicesQuery = defineQuery({
  name: 'count-new-devices',
  sql: (schema: string) => `select count(*)::int as count from (select from ${schema}.device_sign_ins
    where project_id = $1 and user_id = $2 and position <= $4 group by device having min(created_at) > $3) of_device`,
});

/**
 * Number of devices from which the user signed in for the first time, after `since` (ISO 8601) and up to a position.
 */
export async function countNewDevices(
  db: ReadDb,
  projectId: string,
  userId: string,
  { since, upTo }: { since: string; upTo: bigint },
): Promise<number> {
  const [row] = await db.rows<{ count: number }>(countNewDevicesQuery, [projectId, userId, since, upTo]);
  return row?.count ?? 0;
}

const knownDevicesQuery = defineQuery({
  name: 'find-known-devices',
  isHot: true,
  sql: (schema: string) => `select v.nth::int - 1 as nth
    from unnest($2::uuid[], $3::text[]) with ordinality v (user_id, device, nth) cross join lateral (
      select 1 from ${schema}.device_sign_ins d
      where d.project_id = $1 and d.user_id = v.user_id and d.device = v.device limit 1) found`,
});

/** @returns the indexes of those devices (of `deviceOf`) from which their user signed in before */
export async function findKnownDevices(
  db: ReadDb,
  projectId: string,
  lookups: readonly { userId: string; device: string }[],
): Promise<ReadonlySet<number>> {
  const users = lookups.map(({ userId }) => userId);
  const devices = lookups.map(({ device }) => device);
  const rows = await db.rows<{ nth: number }>(knownDevicesQuery, [projectId, users, devices]);
  return new Set(rows.map(({ nth }) => nth));
}

const firstFromDeviceQuery = defineQuery({
  name: 'is-first-session-from-device',
  sql: (schema: string) => {
    const earlier = `select 1 from ${schema}.device_sign_ins e where e.user_id = s.user_id and e.position < s.position`;
    return `select 1 from ${schema}.device_sign_ins s where s.project_id = $1 and s.session_id = $2
      and exists (${earlier}) and not exists (${earlier} and e.device is not distinct from s.device)`;
  },
});

/**
 * Whether this session was the user's first sign-in from its device, after sign-ins from other devices. False for a
 * user's very first session, for sessions of servers and impersonators, and for a session that is not projected yet.
 */
export async function isFirstSessionFromDevice(db: ReadDb, projectId: string, sessionId: string): Promise<boolean> {
  return (await db.rows(firstFromDeviceQuery, [projectId, sessionId])).length > 0;
}
