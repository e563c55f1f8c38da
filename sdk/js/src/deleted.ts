import type { Json } from './json.ts';
import { type ListPage, type PageQuery, type PageView, toListPage, toPageParams } from './list-pages.ts';
import type { Send } from './transport.ts';

export type DeletedPageQuery = PageQuery;
/** What can be restored, on one page. */
export type DeletedPage<Item> = ListPage<Item>;

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
  const post = async (id: string, action: 'restore' | 'erase') => {
    await send<Json>('POST', `/internal/${kind}/${encodeURIComponent(id)}/${action}`, {});
  };
  return {
    listDeleted: async (page = {}) => {
      const search = new URLSearchParams(toPageParams(page));
      return toListPage(await send<PageView<View>>('GET', `/internal/deleted-${kind}?${search}`), toItem);
    },
    restore: (id) => post(id, 'restore'),
    erase: (id) => post(id, 'erase'),
  };
}
