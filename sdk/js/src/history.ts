import type { HistoryView } from '@gatebook/contract/history';
import type { Send } from './transport.ts';

type Named = { kind: string; id: string | null; displayName: string | null };
/** `impersonator` acted as this user. */
export type HistoryActor = Named & { impersonator: Named | null };
/** An event of a user, described in plain words. */
export type HistoryEntry = { id: string; type: string; text: string; at: Date; actor: HistoryActor };
/** Newest first; `nextBefore` is null on the last page. */
export type HistoryPage = { items: readonly HistoryEntry[]; nextBefore: string | null };
export type HistoryClient = {
  list(userId: string, page: { before?: string | null; limit: number }): Promise<HistoryPage>;
};

export const historyClient = (send: Send): HistoryClient => ({
  list: async (userId, { before, limit }) => {
    const search = new URLSearchParams({ limit: String(limit), ...(before && { before }) });
    const view = await send<HistoryView>('GET', `/internal/users/${encodeURIComponent(userId)}/history?${search}`);
    return {
      items: view.items.map(({ id, type, text, at_millis, actor }) => ({
        id,
        type,
        text,
        at: new Date(at_millis),
        actor: { ...named(actor), impersonator: actor.impersonator && named(actor.impersonator) },
      })),
      nextBefore: view.next_before,
    };
  },
});

const named = (actor: { kind: string; id: string | null; display_name: string | null }): Named => ({
  kind: actor.kind,
  id: actor.id,
  displayName: actor.display_name,
});
