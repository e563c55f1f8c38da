import { BlockList, isIP } from 'node:net';
import type { AuditEventView } from '@gatebook/contract/audit';
import { settledBefore } from '@gatebook/readmodel/activity/rejection-counts';
import {
  type ListedRejection,
  listRejections,
  type RejectionFilters,
} from '@gatebook/readmodel/activity/rejection-list';
import type { AuditFilters } from '@gatebook/readmodel/audit/filters';
import { findNames } from '@gatebook/readmodel/audit/names';
import {
  type AuditOrder,
  type AuditPlace,
  type AuditRow,
  listAuditRows,
  listErasedSubjects,
  listUndoneActions,
} from '@gatebook/readmodel/audit/queries';
import type { Caller } from '../../caller.ts';
import type { Deps } from '../../deps.ts';
import type { TextLanguage } from '../../http/text-language.ts';
import type { AuditPlaces } from './cursor.ts';
import type { AddressFilter, Search } from './filters.ts';
import { mergeByTime, type SourcePage } from './merge.ts';
import { type AuditEntry, findReferences, type References, readEntries } from './references.ts';
import { settledAt } from './settled.ts';
import { toAuditEventView, toRejectionView } from './wire.ts';

type PageOf = { order: AuditOrder; limit: number; after: AuditPlaces };
/** `settled`: of rejections, only those that were settled before this time, each at the time when it was settled. */
type MergedPageOf = PageOf & { settled?: number };
/** The project of an audit log, and the language that it is read in. */
export type AuditReader = Pick<Caller, 'projectId' | 'project'> & { language: TextLanguage };
export type AuditDeps = Pick<Deps, 'db' | 'store'>;
export type MergedPage = {
  rows: ({ event: AuditEntry } | { rejection: ListedRejection })[];
  /** After the rows. */
  places: AuditPlaces;
  next: AuditPlaces | null;
};

const nothing = { rows: [], next: null };
/** An address is not in a table, so each page compares those of this many events in the log. */
const comparedEvents = 250;

/** A page of events and rejections; `next` is null on the last one. A page can be short, or even empty. */
export async function readMergedPage(
  deps: AuditDeps,
  projectId: string,
  search: Search,
  { order, limit, after, settled }: MergedPageOf,
): Promise<MergedPage> {
  const rejected = settled === undefined ? search.rejections : settledOnly(search.rejections, settled);
  const [events, rejections] = await Promise.all([
    search.events
      ? readMatchingEvents(deps, projectId, search.events, search.address, { order, limit, after })
      : nothing,
    rejected ? readRejections(deps, projectId, rejected, { order, limit, after }) : nothing,
  ]);
  return mergeByTime(
    {
      events: { page: events, placeOf: ({ row }: AuditEntry) => ({ at: row.at, position: row.position }) },
      rejections: {
        page: rejections,
        placeOf: ({ firstAt: at, id }: ListedRejection) => ({ at, id }),
        rankOf: settled === undefined ? undefined : settledAt,
      },
    },
    { order, limit, after },
  );
}

const settledOnly = (filters: RejectionFilters | null, settled: number): RejectionFilters | null =>
  filters && { ...filters, until: Math.min(filters.until ?? Number.POSITIVE_INFINITY, settledBefore(settled)) };

/** The same, as the API shows it. */
export async function readAuditPage(
  deps: AuditDeps,
  reader: AuditReader,
  search: Search,
  page: PageOf,
): Promise<{ items: AuditEventView[]; next: AuditPlaces | null }> {
  const { rows, next } = await readMergedPage(deps, reader.projectId, search, page);
  return { items: await viewRows(deps, reader, rows), next };
}

/** One for each row. */
export async function viewRows(
  deps: AuditDeps,
  reader: AuditReader,
  rows: MergedPage['rows'],
): Promise<AuditEventView[]> {
  const entries = rows.flatMap((row) => ('event' in row ? [row.event] : []));
  const rejected = rows.flatMap((row) => ('rejection' in row ? [row.rejection] : []));
  const [views, toRejection] = await Promise.all([
    viewEntries(deps, reader, entries),
    rejectionViews(deps, reader, rejected),
  ]);
  const viewOf = new Map(entries.map((entry, nth) => [entry, views[nth]]));
  return rows.flatMap((row) => ('event' in row ? (viewOf.get(row.event) ?? []) : [toRejection(row.rejection)]));
}

/** Entries as the API shows them, with the names of all that they refer to. */
export async function viewEntries(
  deps: AuditDeps,
  reader: AuditReader,
  entries: readonly AuditEntry[],
): Promise<AuditEventView[]> {
  return entries.map((await entryViews(deps, reader, entries)).toView);
}

/** A function for each of the entries, and what they refer to. */
export async function entryViews(
  deps: AuditDeps,
  { projectId, project: { permissions }, language }: AuditReader,
  entries: readonly AuditEntry[],
): Promise<{ toView: (entry: AuditEntry) => AuditEventView; references: References }> {
  const [references, undone] = await Promise.all([
    findReferences(deps, { projectId, permissions }, entries),
    listUndoneActions(deps.db, projectId, [...new Set(entries.map(({ row }) => row.requestId))]),
  ]);
  return { toView: (entry) => toAuditEventView({ projectId, language }, entry, references, undone), references };
}

/** Events that match the filters, also those of addresses. */
export async function readMatchingEvents(
  deps: AuditDeps,
  projectId: string,
  filters: AuditFilters,
  address: AddressFilter | null,
  { order, limit, after }: PageOf,
): Promise<SourcePage<AuditEntry, AuditPlace>> {
  const size = address === null ? limit : comparedEvents;
  const page = await listAuditRows(deps.db, projectId, filters, { order, after: after.events, limit: size });
  const entries = await readEntries(deps, page.rows);
  if (address === null) return { rows: entries, next: page.next };
  const isShown = matcherOf(address);
  const found = entries.filter(({ event }) => isShown([event?.metadata.origin?.ip, event?.data.ip]));
  const last = found[limit - 1];
  return found.length > limit && last
    ? { rows: found.slice(0, limit), next: placeOf(last.row) }
    : { rows: found, next: page.next };
}

const placeOf = ({ at, position }: AuditRow): AuditPlace => ({ at, position });

/** Whether an event with these addresses matches. */
function matcherOf({ within, except }: AddressFilter): (addresses: readonly unknown[]) => boolean {
  const contains = within === null ? null : listOf([within]);
  const isExcepted = listOf(except);
  return (addresses) => (contains === null || addresses.some(contains)) && !addresses.some(isExcepted);
}

/** Whether an address is one of these, or belongs to one of these networks. */
function listOf(networks: readonly string[]): (address: unknown) => boolean {
  const list = new BlockList();
  for (const network of networks) {
    const [base = '', bits] = network.split('/');
    const family = isIP(base) === 6 ? 'ipv6' : 'ipv4';
    if (bits === undefined) list.addAddress(base, family);
    else list.addSubnet(base, Number(bits), family);
  }
  return (address) =>
    typeof address === 'string' && isIP(address) > 0 && list.check(address, isIP(address) === 6 ? 'ipv6' : 'ipv4');
}

const readRejections = (
  deps: AuditDeps,
  projectId: string,
  filters: RejectionFilters,
  { order, limit, after }: PageOf,
) => listRejections(deps.db, projectId, filters, { order, limit, after: after.rejections });

/** A function, so that names are read once for all rejections. */
export async function rejectionViews(
  { db }: Pick<Deps, 'db'>,
  { projectId, language }: Pick<AuditReader, 'projectId' | 'language'>,
  rows: readonly ListedRejection[],
): Promise<(row: ListedRejection) => AuditEventView> {
  const users = [...new Set(rows.flatMap(({ userId }) => userId ?? []))];
  const [names, erased] = await Promise.all([
    findNames(db, projectId, { users, teams: [], projectKeys: [], apiKeys: [], webhookEndpoints: [] }),
    listErasedSubjects(db, projectId, users),
  ]);
  return (row) => toRejectionView({ projectId, language }, row, { names, isErased: (id) => erased.has(id) });
}
