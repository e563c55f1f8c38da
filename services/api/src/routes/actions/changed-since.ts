import type { ReadRevisions } from '@gatebook/commands/preview/read-revisions';
import type { Recorded } from '@gatebook/domain/event';
import type { Definitions } from '@gatebook/domain/permission/effective';
import type { Deps } from '../../deps.ts';
import { revisionsIn } from '../../http/preview-etags.ts';
import type { TextLanguage } from '../../http/text-language.ts';
import { type EventView, viewEvents } from './event-views.ts';

const maxEvents = 20;
const maxRead = 200;

/** The newest events of the streams that a preview stands on, since an earlier one. Null if its ETag does not say. */
export async function listChangedSince(
  deps: Deps,
  context: { projectId: string; permissions: Definitions; language: TextLanguage },
  { since, basis }: { since: string; basis: ReadRevisions },
): Promise<EventView[] | null> {
  const { projectId } = context;
  const revisions = revisionsIn(deps, since, { projectId, basis });
  if (revisions.size === 0) return null;
  const events: Recorded[] = [];
  for (const [stream, revision] of revisions) {
    if (revision === basis.get(stream)) continue;
    for await (const page of deps.store.readStreamPages(stream, {}, revision)) {
      events.push(...page.filter(({ metadata }) => metadata.projectId === projectId));
    }
  }
  const inOrder = events.sort((one, other) => Number(one.position - other.position));
  const { views } = await viewEvents(deps, context, inOrder.slice(-maxRead));
  return views.filter((view) => !view.is_technical).slice(-maxEvents);
}
