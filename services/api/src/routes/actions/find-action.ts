import type { Action } from '@gatebook/commands/undo/undo-action';
import { reject } from '@gatebook/domain/errors';
import type { Recorded } from '@gatebook/domain/event';
import type { EventStore } from '@gatebook/eventlog/port';

const pageSize = 1_000;

/** The events that a request recorded in a project, oldest first. @throws DomainError ACTION_NOT_FOUND */
export async function findAction(
  store: Pick<EventStore, 'head' | 'readProjects'>,
  projectId: string,
  actionId: string,
): Promise<Action> {
  const events: Recorded[] = [];
  const head = await store.head();
  for (let after = 0n; after < head; ) {
    const { events: page, upTo } = await store.readProjects([projectId], after, pageSize, { large: true });
    events.push(...page.filter(({ metadata }) => metadata.requestId === actionId));
    after = upTo;
  }
  return events.length > 0 ? { id: actionId, events } : reject('ACTION_NOT_FOUND');
}
