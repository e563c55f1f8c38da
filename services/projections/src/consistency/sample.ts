import { type EventStore, UnreadableEventError } from '@gatebook/eventlog/port';
import type { Pool, PoolClient } from '@gatebook/runtime/postgres';
import type { Row, Table } from '../changes.ts';
import type { ProjectionGroup, RowHint, RowStreams } from '../projection-group.ts';
import { asShard, listProjectionVersions, type ProjectionVersion } from '../projection-versions.ts';
import { isWaiting } from '../quarantine/quarantine.ts';
import { shardOf } from '../shards.ts';
import { inSnapshot } from '../snapshot.ts';
import { createDerivation } from './derive.ts';
import { checkChecksums, findLive, NotComparableError, reachedHead } from './live.ts';
import {
  differencesOf,
  keyOf,
  type RowDifference,
  type RowTexts,
  readRows,
  rowsInSpans,
  type Span,
  sampleRows,
  writtenRows,
} from './rows.ts';
import { createStreamEvents, inLogOrder, type StreamEvents } from './stream-events.ts';

export type SampleSize = {
  /** Number of rows to sample from each table. */
  rows: number;
  /** Number of places in the log to sample, and events to read at each. */
  pages: number;
  events: number;
};
export const usualSample: SampleSize = { rows: 20, pages: 4, events: 50 };

export type SampleResult = {
  projectionVersion: string;
  position: bigint;
  rowsChecked: number;
  /** Tables whose rows do not match their checksum. */
  checksumsOff: string[];
  differences: RowDifference[];
  /** Differences that may be caused by pending events: the read models did not catch up during the check. */
  unconfirmed: number;
};

/** A row that may exist in its table, and the streams that it may come from. */
type Candidate = { table: Table; name: string; hint: RowHint; streams: readonly string[] };

/** A difference must be seen this often again, each time after the read models have caught up. */
const confirmations = 2;

/**
 * Compares a sample of live rows with the log, by the streams that each row depends on. Rows sampled from the tables
 * show changes and insertions; rows made by events sampled from the log show deletions. Also compares the checksums of
 * all tables with their rows. `signal` cancels it. @throws NotComparableError, or the signal's reason
 */
export async function checkSample(
  pool: Pool,
  store: EventStore,
  group: ProjectionGroup,
  size: SampleSize = usualSample,
  signal?: AbortSignal,
): Promise<SampleResult> {
  const live = await findLive(pool, group);
  const tables = group.tables.filter(({ name }) => group.rowStreams?.[name]);
  const { candidates: fromLog, spans } = await drawFromLog(pool, store, group, tables, size);
  const parts: Parts = { pool, store, group, live, tables, signal };
  const drawn = async (snapshot: PoolClient, table: Table): Promise<Candidate[]> => {
    const rowHints = group.rowStreams?.[table.name]?.isPerEvent
      ? await rowsInSpans(snapshot, live.schema, table, spans)
      : await sampleRows(snapshot, live.schema, table, size.rows);
    return [
      ...fromLog.filter((one) => one.table === table),
      ...rowHints.map((hint) => candidateOf(group, table, hint)),
    ];
  };
  const first = await compare(parts, drawn);
  const checksumsOff = await inSnapshot(pool, async (snapshot) => {
    const checks = await checkChecksums(
      snapshot,
      live,
      group.tables.map(({ name }) => name),
      signal,
    );
    return checks.filter(({ state }) => state === 'differs').map(({ table }) => table);
  });
  let { doubtful } = first;
  let isCaughtUp = true;
  for (let round = 0; round < confirmations && doubtful.length > 0 && isCaughtUp; round += 1) {
    isCaughtUp = await reachedHead(pool, store, live);
    const suspects = doubtful.map(({ candidate }) => candidate);
    ({ doubtful } = await compare(parts, async (_, table) => suspects.filter((one) => one.table === table)));
  }
  return {
    projectionVersion: live.schema,
    position: first.position,
    rowsChecked: first.rowsChecked,
    checksumsOff,
    differences: isCaughtUp ? doubtful.map(({ difference }) => difference) : [],
    unconfirmed: isCaughtUp ? 0 : doubtful.length,
  };
}

function candidateOf(
  { rowStreams }: ProjectionGroup,
  table: Table,
  hint: RowHint,
  more: readonly string[] = [],
): Candidate {
  return { table, name: keyOf(table, hint), hint, streams: [...(rowStreams?.[table.name]?.of(hint) ?? []), ...more] };
}

/** Rows inserted by events at some places of the log. The stream of such an event is one that its row depends on. */
async function drawFromLog(
  pool: Pool,
  store: EventStore,
  group: ProjectionGroup,
  tables: readonly Table[],
  { pages, events }: SampleSize,
): Promise<{ candidates: Candidate[]; spans: Span[] }> {
  const candidates: Candidate[] = [];
  const spans: Span[] = [];
  for (const after of await drawPositions(pool, group, pages)) {
    const page = await store.readAll(after, events);
    const last = page.at(-1);
    if (last) spans.push({ after, to: last.position });
    for (const event of page) {
      if (event.unreadable) continue;
      for (const change of group.changesFor(event)) {
        const table = change.kind === 'insert' ? tables.find(({ name }) => name === change.table) : null;
        if (table && change.kind === 'insert') candidates.push(candidateOf(group, table, change.row, [event.stream]));
      }
    }
  }
  return { candidates, spans };
}

/** Positions of random events. The beginning of the log is always among them. */
async function drawPositions(pool: Pool, { eventTable }: ProjectionGroup, count: number): Promise<bigint[]> {
  if (!eventTable) return [0n];
  const source = (await listProjectionVersions(pool, eventTable.group)).find(({ status }) => status === 'live');
  const table = source?.tables.find(({ name }) => name === eventTable.table);
  if (!source || !table) return [0n];
  const rows = await sampleRows(pool, source.schema, table, count - 1);
  return [0n, ...rows.map(({ position }) => BigInt(String(position)))];
}

type Parts = {
  pool: Pool;
  store: EventStore;
  group: ProjectionGroup;
  live: ProjectionVersion;
  tables: readonly Table[];
  signal: AbortSignal | undefined;
};
type Look = {
  position: bigint;
  rowsChecked: number;
  doubtful: { candidate: Candidate; difference: RowDifference }[];
};

/**
 * Reads rows and checkpoint in one snapshot, and derives the expected rows from the streams as they were at that
 * position.
 */
async function compare(
  { pool, store, group, live, tables, signal }: Parts,
  find: (snapshot: PoolClient, table: Table) => Promise<readonly Candidate[]>,
): Promise<Look> {
  const { version, found } = await inSnapshot(pool, async (snapshot) => {
    const seen = await findLive(snapshot, group);
    if (seen.id !== live.id) throw new NotComparableError(`${live.schema} is no longer live`);
    const perTable: { table: Table; candidates: Map<string, Candidate>; actual: Map<string, RowTexts> }[] = [];
    for (const table of tables) {
      // The log knows more streams of a row than the row itself.
      const candidates = new Map<string, Candidate>();
      for (const candidate of await find(snapshot, table)) {
        const streams = [...(candidates.get(candidate.name)?.streams ?? []), ...candidate.streams];
        candidates.set(candidate.name, { ...candidate, streams });
      }
      const rowHints = [...candidates.values()].map(({ hint }) => hint);
      perTable.push({ table, candidates, actual: await readRows(snapshot, live.schema, table, rowHints) });
    }
    return { version: seen, found: perTable };
  });
  const streams = createStreamEvents(store);
  const doubtful: Look['doubtful'] = [];
  let rowsChecked = 0;
  for (const { table, candidates, actual } of found) {
    const rows: Row[] = [];
    const checked = new Set<string>();
    for (const candidate of candidates.values()) {
      signal?.throwIfAborted();
      const derived = await derive(group, candidate, streams, version).catch(nullIfUnreadable);
      if (derived === null) continue;
      checked.add(candidate.name);
      rows.push(...derived);
    }
    const expected = await writtenRows(pool, table, rows);
    rowsChecked += checked.size;
    const without = group.rowStreams?.[table.name]?.without ?? [];
    for (const difference of differencesOf(table, checked, actual, expected, without)) {
      const candidate = candidates.get(keyOf(table, difference.key));
      if (candidate) doubtful.push({ candidate, difference });
    }
  }
  return { position: version.position, rowsChecked, doubtful };
}

/** A row whose streams cannot be read now cannot be checked. */
function nullIfUnreadable(error: unknown): null {
  if (error instanceof UnreadableEventError) return null;
  throw error;
}

/** Derives a row from its streams up to the position of its shard; no row if it should not exist. */
async function derive(
  group: ProjectionGroup,
  { table, name, streams }: Candidate,
  read: StreamEvents,
  version: ProjectionVersion,
): Promise<readonly Row[]> {
  const all = await withNamedStreams(streams, group.rowStreams?.[table.name]?.named, read);
  const { position, quarantine } = asShard(version, await shardOfRow(group, version, all, read));
  const derivation = createDerivation(group, (_, row) => keyOf(table, row) === name, [table]);
  for await (const event of inLogOrder(all.map(read))) {
    if (event.position > position) break;
    if (!isWaiting(quarantine, event)) derivation.apply([event]);
  }
  return derivation.rows(table.name);
}

/** All events of a row belong to one project, apart from those of the shared project. */
async function shardOfRow(
  { shared }: ProjectionGroup,
  { shards: { length: shards } }: ProjectionVersion,
  streams: readonly string[],
  read: StreamEvents,
): Promise<number> {
  if (shards === 1) return 0;
  for (const stream of streams) {
    for await (const page of read(stream)) {
      for (const { metadata } of page) {
        if (metadata.projectId !== shared?.projectId) return shardOf(metadata.projectId, shards);
      }
    }
  }
  return shardOf(shared?.projectId ?? '', shards);
}

/** These streams, those that their events name, and so on. */
async function withNamedStreams(
  streams: readonly string[],
  named: RowStreams['named'],
  read: StreamEvents,
): Promise<readonly string[]> {
  const found = new Set(streams);
  if (!named) return [...found];
  // Iterating over a set includes values that are added meanwhile.
  for (const stream of found) {
    for await (const page of read(stream)) for (const event of page) for (const more of named(event)) found.add(more);
  }
  return [...found];
}
