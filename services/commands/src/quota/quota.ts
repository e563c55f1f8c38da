import { apiKeyDecider, hasExpired } from '@gatebook/domain/api-key/decide';
import { membershipDecider } from '@gatebook/domain/membership/decide';
import { projectDecider } from '@gatebook/domain/project/decide';
import { existingProject } from '@gatebook/domain/project/state';
import { projectKeyDecider } from '@gatebook/domain/project-key/decide';
import { quotaDecider } from '@gatebook/domain/quota/decide';
import type { CountedQuota } from '@gatebook/domain/quota/events';
import { itemsOf } from '@gatebook/domain/quota/state';
import { teamDecider } from '@gatebook/domain/team/decide';
import { userDecider } from '@gatebook/domain/user/decide';
import { findOwnerRevocation } from '@gatebook/domain/user/state';
import { webhookDecider } from '@gatebook/domain/webhook/decide';
import { NO_STREAM } from '@gatebook/eventlog/port';
import type { UnitOfWork } from '../execute.ts';
import { isOwnerOf } from '../project/ownership.ts';
import { streamOf } from '../streams.ts';

/** The limit that applies; undefined where nothing is counted: for what a project's own server creates. */
export type Limited = { limit?: number | undefined };

type Counted = Limited & {
  quota: CountedQuota;
  /** A user, team or project. */
  ownerId: string;
  itemId: string;
  at: string;
  /** The project of the owner; default: that of the command. */
  projectId?: string;
};

/** How long an item that does not exist may still be on its way: its quota comes first in the same append. */
const graceMs = 60_000;

/**
 * Counts a new item in a stream per owner, so that concurrent writers of that owner conflict. Comes first in its
 * command: items that were never created are found gone later. Nothing is written when an item is removed: items are
 * checked only once the owner has reached the limit (docs/decisions/0029).
 * @throws DomainError QUOTA_EXCEEDED
 */
export async function useQuota(work: UnitOfWork, { ownerId, ...item }: Counted): Promise<void> {
  const { quota, limit, itemId, at, projectId = work.ctx.projectId } = item;
  if (limit === undefined) return;
  const counted = await work.load(quotaDecider, streamOf.quota(ownerId));
  const items = itemsOf(counted.state, quota);
  const goneItemIds = items.size < limit ? [] : await findGoneItems(work, ownerId, quota, items, at);
  counted.decide({ type: 'AddQuotaItem', ownerId, projectId, quota, limit, itemId, goneItemIds, at });
}

async function findGoneItems(
  work: UnitOfWork,
  ownerId: string,
  quota: CountedQuota,
  items: ReadonlyMap<string, string>,
  at: string,
): Promise<string[]> {
  const states = await Promise.all([...items.keys()].map((itemId) => readers[quota](work, { ownerId, itemId, at })));
  return [...items]
    .filter(([, addedAt], index) => {
      const isOld = Date.parse(at) - Date.parse(addedAt) >= graceMs;
      return states[index] === 'gone' || (states[index] === 'absent' && isOld);
    })
    .map(([itemId]) => itemId);
}

type Item = { ownerId: string; itemId: string; at: string };
/** `absent`: nothing was ever written about it. */
type ItemState = 'present' | 'gone' | 'absent';

const readers: Record<CountedQuota, (work: UnitOfWork, item: Item) => Promise<ItemState>> = {
  teamsPerUser: readTeam,
  membershipsPerUser: async (work, { ownerId, itemId, at }) => {
    const team = await readTeam(work, { ownerId, itemId, at });
    if (team !== 'present') return team;
    const membership = await work.load(membershipDecider, streamOf.membership(itemId, ownerId));
    if (membership.state.status === 'member') return 'present';
    return membership.revision === NO_STREAM ? 'absent' : 'gone';
  },
  apiKeysPerUser: readApiKey,
  apiKeysPerTeam: readApiKey,
  projectKeys: async (work, { itemId, at }) => {
    const { state } = await work.load(projectKeyDecider, streamOf.projectKey(itemId));
    if (state.status === 'absent') return 'absent';
    return state.status === 'active' && Date.parse(state.expiresAt) > Date.parse(at) ? 'present' : 'gone';
  },
  webhookEndpoints: async (work, { itemId }) => {
    const { status } = (await work.load(webhookDecider, streamOf.webhook(itemId))).state;
    if (status === 'absent') return 'absent';
    return status === 'active' ? 'present' : 'gone';
  },
  projectsPerOwner: async (work, { ownerId, itemId }) => {
    const { state } = await work.load(projectDecider, streamOf.project(itemId));
    if (state.status === 'absent') return 'absent';
    const project = existingProject(state);
    return project && (await isOwnerOf(work, project, ownerId)) ? 'present' : 'gone';
  },
};

/** A team that awaits deletion counts, because it can come back with all its members (docs/decisions/0093). */
async function readTeam(work: UnitOfWork, { itemId }: Item): Promise<ItemState> {
  const { status } = (await work.load(teamDecider, streamOf.team(itemId))).state;
  if (status === 'absent') return 'absent';
  return status === 'deleted' ? 'gone' : 'present';
}

async function readApiKey(work: UnitOfWork, { itemId, at }: Item): Promise<ItemState> {
  const { state } = await work.load(apiKeyDecider, streamOf.apiKey(itemId));
  if (state.status === 'absent') return 'absent';
  if (state.revokedAt !== null || hasExpired(state, at)) return 'gone';
  const owner = await work.load(userDecider, streamOf.user(state.ownerId));
  return findOwnerRevocation(owner.state, state) === null ? 'present' : 'gone';
}
