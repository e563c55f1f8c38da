import type { Json } from './json.ts';
import type { Send } from './transport.ts';

/** `cursor`: null for the first page. */
export type DeletedPageQuery = { cursor?: string | null; limit?: number };
/** What can be restored, on one page; `nextCursor` is null on the last one. */
export type DeletedPage<Item> = { items: readonly Item[]; nextCursor: string | null };

export type DeletedItemsClient<Item> = {
  /** Those first that are erased first. Requires admin access, as do the next two. */
  listDeleted(page?: DeletedPageQuery): Promise<DeletedPage<Item>>;
  /** Takes a deletion back. */
  restore(id: string): Promise<void>;
  /** Erases at once, without a grace period. */
  erase(id: string): Promise<void>;
};

/** `kind`: as in paths, such as `users`. */
export function deletedItemsClient<View, Item>(
  send: Send,
  kind: 'users' | 'teams',
  toItem: (view: View) => Item,
): DeletedItemsClient<Item> {
  type List = { items: View[]; pagination?: { next_cursor: string | null } };
  const post = async (id: string, action: 'restore' | 'erase') => {
    await send<Json>('POST', `/internal/${kind}/${encodeURIComponent(id)}/${action}`, {});
  };
  return {
    listDeleted: async ({ cursor = null, limit } = {}) => {
      const search = new URLSearchParams({
        ...(cursor !== null && { cursor }),
        ...(limit !== undefined && { limit: String(limit) }),
      });
      const { items, pagination } = await send<List>('GET', `/internal/deleted-${kind}?${search}`);
      return { items: items.map(toItem), nextCursor: pagination?.next_cursor ?? null };
    },
    restore: (id) => post(id, 'restore'),
    erase: (id) => post(id, 'erase'),
  };
}
