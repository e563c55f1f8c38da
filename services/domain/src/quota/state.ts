import type { CountedQuota, QuotaEvent } from './events.ts';

/** By quota, then by item ID: the ISO time at which the item was added. */
export type QuotaState = ReadonlyMap<CountedQuota, ReadonlyMap<string, string>>;

export const initialState: QuotaState = new Map();

export function evolveQuota(state: QuotaState, { data }: QuotaEvent): QuotaState {
  const items = new Map(state.get(data.quota));
  for (const id of data.removedItemIds) items.delete(id);
  return new Map(state).set(data.quota, items.set(data.itemId, data.at));
}

/** By ID: the ISO time at which each was added. */
export const itemsOf = (state: QuotaState, quota: CountedQuota): ReadonlyMap<string, string> =>
  state.get(quota) ?? new Map();
