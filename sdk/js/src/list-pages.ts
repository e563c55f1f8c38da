/** `cursor`: null for the first page. */
export type PageQuery = { cursor?: string | null; limit?: number };
/** `nextCursor` is null on the last page. */
export type ListPage<Item> = { items: readonly Item[]; nextCursor: string | null };
/** A page as the API answers it; `pagination` is absent if the page is the whole list. */
export type PageView<View> = { items: View[]; pagination?: { next_cursor: string | null } | undefined };

export function toPageParams({ cursor = null, limit }: PageQuery): Record<string, string> {
  return { ...(cursor !== null && { cursor }), ...(limit !== undefined && { limit: String(limit) }) };
}

export const toListPage = <View, Item>(
  { items, pagination }: PageView<View>,
  toItem: (view: View) => Item,
): ListPage<Item> => ({ items: items.map(toItem), nextCursor: pagination?.next_cursor ?? null });
