import type { Actor } from '@gatebook/domain/event';
import type { Pool } from '@gatebook/runtime/postgres';
import { type Rejection, windowOf } from './rejection-counts.ts';

/** A request that failed. Contains nothing that the caller typed. */
export type RejectedRequest = Rejection & {
  status: number;
  /** Whether the caller was not allowed to, so that the request is counted as a rejection too. */
  isAccess: boolean;
  /** null if the credentials were rejected. */
  actor: Actor | null;
  /** What was missing. */
  permission: { teamId: string; permissionId: string } | null;
};

export type RequestSamples = {
  add(request: RejectedRequest): void;
  /** Takes what is to be written. */
  take(): RejectedRequest[];
  putBack(requests: readonly RejectedRequest[]): void;
  /** Removes the requests of a deleted user or project. */
  drop(isMeant: (request: RejectedRequest) => boolean): void;
};

/**
 * How many requests of a project and window are kept: of a route with one code, and in all. Other errors than
 * rejections have their own room, so that an app's everyday errors take none of it.
 */
const limits = { access: { ofRoute: 50, inAll: 300 }, other: { ofRoute: 10, inAll: 60 } } as const;
/** About 5 MB. Kept while Postgres is away. */
const maxWaiting = 10_000;

/** Chooses the requests to keep. The first ones of a window: later ones are most often the same. */
export function createRequestSamples(): RequestSamples {
  /** Numbers of requests in the current window. */
  let counts = new Map<string, number>();
  let window = '';
  let waiting: RejectedRequest[] = [];

  function takeRoom(key: string, limit: number): boolean {
    const count = counts.get(key) ?? 0;
    if (count < limit) counts.set(key, count + 1);
    return count < limit;
  }

  return {
    add: (request) => {
      const { projectId, code, route, isAccess, at } = request;
      if (windowOf(at) > window) {
        window = windowOf(at);
        counts = new Map();
      }
      const { ofRoute, inAll } = isAccess ? limits.access : limits.other;
      const all = JSON.stringify([projectId, isAccess]);
      const isFull = waiting.length >= maxWaiting || (counts.get(all) ?? 0) >= inAll;
      if (isFull || !takeRoom(JSON.stringify([projectId, isAccess, code, route]), ofRoute)) return;
      takeRoom(all, inAll);
      waiting.push(request);
    },
    take: () => {
      const taken = waiting;
      waiting = [];
      return taken;
    },
    putBack: (requests) => {
      waiting = [...requests, ...waiting].slice(0, maxWaiting);
    },
    drop: (isMeant) => {
      waiting = waiting.filter((request) => !isMeant(request));
    },
  };
}

/** Can be repeated with the same requests. */
export async function addRejectedRequests(pool: Pool, requests: readonly RejectedRequest[]): Promise<void> {
  if (requests.length === 0) return;
  const rows = requests.map(({ actor, permission, at, ...request }) => {
    const { kind: actorKind = null, id: actorId = null, impersonator } = actor ?? {};
    const { kind: impersonatorKind = null, id: impersonatorId = null } = impersonator ?? {};
    const actors = { actorKind, actorId, impersonatorKind, impersonatorId };
    return { ...request, ...actors, ...permission, at, windowAt: windowOf(at) };
  });
  await pool.query(
    `insert into activity.rejected_requests (request_id, project_id, window_at, at, code, status, route, access_type,
       actor_kind, actor_id, impersonator_kind, impersonator_id, user_id, network, team_id, permission_id)
     select "requestId", "projectId", "windowAt", at, code, status, route, "accessType", "actorKind", "actorId",
       "impersonatorKind", "impersonatorId", "userId", network, "teamId", "permissionId"
     from json_to_recordset($1::json) as x("requestId" text, "projectId" text, "windowAt" timestamptz, at timestamptz,
       code text, status smallint, route text, "accessType" text, "actorKind" text, "actorId" uuid,
       "impersonatorKind" text, "impersonatorId" uuid, "userId" uuid, network text, "teamId" uuid, "permissionId" text)
     order by 1
     on conflict do nothing`,
    [JSON.stringify(rows)],
  );
}

/** Makes the rejected requests of an erased user those of unknown people. */
export async function anonymizeRejectedRequests(pool: Pool, userId: string): Promise<void> {
  await pool.query(
    `update activity.rejected_requests
     set user_id = nullif(user_id, $1), network = null, team_id = null,
       actor_kind = null, actor_id = null, impersonator_kind = null, impersonator_id = null
     where user_id = $1 or actor_id = $1 or impersonator_id = $1`,
    [userId],
  );
}
