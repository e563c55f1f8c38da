import { setImmediate as nextTurn } from 'node:timers/promises';
import { shownData } from '@gatebook/domain/audit/event-data';
import type { Recorded } from '@gatebook/domain/event';
import type { ListedRejection } from '@gatebook/readmodel/activity/rejection-list';
import type { AuditRow } from '@gatebook/readmodel/audit/queries';
import type { Caller } from '../../caller.ts';
import type { Deps } from '../../deps.ts';
import { withoutErasedData } from '../audit/audit-texts.ts';
import type { AuditPlaces } from '../audit/cursor.ts';
import type { Search } from '../audit/filters.ts';
import { digestBy } from '../audit/read-detail.ts';
import { entryViews, readMergedPage, rejectionViews } from '../audit/read-page.ts';
import type { AuditEntry } from '../audit/references.ts';
import { afterSettled, laterOf, placesAfterEvent } from '../audit/settled.ts';
import type { ExportedEvent } from './exported-event.ts';
import { createChangeReader } from './read-changes.ts';

/** `giveWay`: called between the steps of a page, so that other requests go first. */
type ExportDeps = Pick<Deps, 'db' | 'store' | 'sha256'> & { giveWay?: () => Promise<unknown> };
type Project = Pick<Caller, 'projectId' | 'project'>;
/** `until`: the last event. The last rejections are those that were settled before it. */
type Range = { after: AuditPlaces; until: Pick<AuditRow, 'position' | 'at'> };

/** More would keep other requests waiting while the events of a page are decoded. */
const pageSize = 50;

/**
 * Pages of the audit log in the order of the log, each event as `write` returns it. The next page is read only when it
 * is asked for.
 */
export async function* readExport<Line>(
  deps: ExportDeps,
  caller: Project,
  search: Search,
  { after, until }: Range,
  write: (event: ExportedEvent) => Line,
): AsyncGenerator<Line[]> {
  const { projectId } = caller;
  const { giveWay = nextTurn } = deps;
  const toLines = createExporter({ ...deps, giveWay }, caller, write);
  let place: AuditPlaces | null = after;
  while (place) {
    await giveWay();
    const range = { order: 'asc', limit: pageSize, after: place, settled: until.at } as const;
    const page = await readMergedPage(deps, projectId, search, range);
    const rows = page.rows.filter((row) => !('event' in row) || !isAfter(row.event.row, until));
    yield await toLines(rows);
    if (rows.length < page.rows.length) return;
    place = page.next;
  }
}

const isAfter = (row: Range['until'], until: Range['until']): boolean =>
  row.at > until.at || (row.at === until.at && row.position > until.position);

/** Where the next export begins. This one can have begun beyond the settled rejections, at a cursor of a list. */
export function endOf(after: AuditPlaces, until: Range['until']): AuditPlaces {
  return { ...placesAfterEvent(until), rejections: laterOf(after.rejections, afterSettled(until.at)) };
}

type Rows = Awaited<ReturnType<typeof readMergedPage>>['rows'];

function createExporter<Line>(
  deps: Required<ExportDeps>,
  { projectId, project }: Project,
  write: (event: ExportedEvent) => Line,
) {
  // Programs read exports, and rules of other systems match their texts.
  const reader = { projectId, project, language: 'en' } as const;
  const digest = digestBy(deps);
  const { store, giveWay } = deps;
  const readEarlier: typeof store.readEarlier = async (...read) => {
    await giveWay();
    return store.readEarlier(...read);
  };
  const changes = createChangeReader({ store: { ...store, readEarlier }, permissions: project.permissions, digest });
  return async (rows: Rows): Promise<Line[]> => {
    const entries = rows.flatMap((row) => ('event' in row ? [row.event] : []));
    const rejected = rows.flatMap((row) => ('rejection' in row ? [row.rejection] : []));
    await giveWay();
    const { toView, references } = await entryViews(deps, reader, entries);
    const toRejection = await rejectionViews(deps, reader, rejected);
    const clean = (event: Recorded) => withoutErasedData(event, references);
    await changes.prepare(
      entries.flatMap(({ event }) => event ?? []),
      clean,
    );
    const lines: Line[] = [];
    for (const row of rows) {
      // Other requests are answered between two events.
      await nextTurn();
      if ('rejection' in row) {
        lines.push(write({ ...toRejection(row.rejection), changes: [], data: dataOf(row.rejection) }));
        continue;
      }
      const event = await withLargeValues(deps, row.event);
      const data = event ? (shownData(clean(event).data, digest) as ExportedEvent['data']) : {};
      lines.push(write({ ...toView(row.event), changes: event && (await changes.changesOf(event, clean)), data }));
    }
    return lines;
  };
}

const dataOf = ({ route, accessType, network, firstRequestId, lastRequestId }: ListedRejection) => ({
  route,
  access_type: accessType,
  network,
  first_request_id: firstRequestId,
  last_request_id: lastRequestId,
});

/** Pages are read without large values, so that they fit into memory. They are needed for their sizes and hashes. */
async function withLargeValues(
  { store }: Pick<Deps, 'store'>,
  { row, event }: AuditEntry,
): Promise<AuditEntry['event']> {
  if (!event?.blobs?.length) return event;
  const [complete] = await store.readAt([row.position]);
  return complete && !complete.unreadable ? complete : event;
}
