import type { AuditClient } from '@gatebook/js/admin';
import { useResource } from '@gatebook/react';
import { describeActor } from '../../components/audit/audit-pages.ts';
import { type AuditSearch, splitTarget, valuesOf } from '../../components/audit/audit-search.ts';

/** Names of the actors and targets in filters, by their values. */
export type FilterNames = ReadonlyMap<string, string>;

const none: FilterNames = new Map();
/** Others are shown by their IDs. */
const maxNames = 10;

/** The names of what filters select or leave out, as its newest event has them. */
export function useFilterNames(audit: Pick<AuditClient, 'list'>, projectId: string, search: AuditSearch): FilterNames {
  const actors = [...valuesOf(search.actor), ...valuesOf(search.not_actor)].slice(0, maxNames);
  const targets = [...valuesOf(search.target), ...valuesOf(search.not_target)].slice(0, maxNames);
  const found = useResource(['audit-names', projectId, JSON.stringify([actors, targets])], async () => {
    const names = await Promise.all([
      ...actors.map(async (id) => [id, await findActor(audit, id)] as const),
      ...targets.map(async (target) => [target, await findTarget(audit, target)] as const),
    ]);
    return new Map(names.filter((entry): entry is [string, string] => entry[1] !== null));
  });
  return found.value ?? none;
}

async function findActor(audit: Pick<AuditClient, 'list'>, actorId: string): Promise<string | null> {
  const { items } = await audit.list({ actorId, outcome: 'success', includeTechnical: true, limit: 1 });
  const actor = items[0]?.actor;
  return actor?.id === actorId
    ? describeActor({ ...actor, impersonator: null })
    : (actor?.impersonator?.displayName ?? null);
}

async function findTarget(audit: Pick<AuditClient, 'list'>, value: string): Promise<string | null> {
  const [targetType, targetId] = splitTarget(value);
  const { items } = await audit.list({ targetType, targetId, outcome: 'success', includeTechnical: true, limit: 1 });
  return items[0]?.targets.find(({ id }) => id === targetId)?.displayName ?? null;
}
