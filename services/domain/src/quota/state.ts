import type { CountedQuota, QuotaEvent } from './events.ts';

/** By quota, then by item: the ISO time at which it was added. */
export type QuotaState = ReadonlyMap<CountedQuota, ReadonlyMap<string, string>>;

export const initialState: QuotaState = new Map();

export function evolveQuota(state: QuotaState, { data }: QuotaEvent): QuotaState {
  const items = new Map(state.get(data.quota));
  for (const id of data.removedItemIds) items.delete(id);
  return new Map(state).set(data.quota, items.set(data.itemId, data.at));
}

/** By id, with the ISO time at which each was added. */
export const itemsOf = (state: QuotaState, quota: CountedQuota): ReadonlyMap<string, string> =>
  state.get(quota) ?? new Map();
