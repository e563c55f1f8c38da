import type { Decider } from '../decider.ts';
import { reject } from '../errors.ts';
import { stateVersions } from '../state-versions.ts';
import type { CountedQuota, QuotaEvent } from './events.ts';
import { evolveQuota, initialState, itemsOf, type QuotaState } from './state.ts';

export type QuotaCommand = {
  type: 'AddQuotaItem';
  ownerId: string;
  projectId: string;
  quota: CountedQuota;
  limit: number;
  itemId: string;
  /** Counted items that turned out to be gone. */
  goneItemIds: readonly string[];
  at: string;
};

function decideQuota(command: QuotaCommand, state: QuotaState): readonly QuotaEvent[] {
  const { ownerId, projectId, quota, limit, itemId, goneItemIds, at } = command;
  const items = itemsOf(state, quota);
  if (items.has(itemId)) return [];
  const removedItemIds = goneItemIds.filter((id) => items.has(id));
  if (items.size - removedItemIds.length >= limit) return reject('QUOTA_EXCEEDED', { quota, limit });
  return [{ type: 'QuotaItemAdded', data: { ownerId, projectId, quota, itemId, removedItemIds, at } }];
}

export const quotaDecider: Decider<QuotaState, QuotaCommand, QuotaEvent> = {
  initialState,
  decide: decideQuota,
  evolve: evolveQuota,
  stateVersion: stateVersions.quota,
};
