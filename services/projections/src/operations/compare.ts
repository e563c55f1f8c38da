import type { EventStore } from '@gatebook/eventlog/port';
import { pause } from '@gatebook/runtime/pause';
import type { Pool, PoolClient } from '@gatebook/runtime/postgres';
import type { Table } from '../changes.ts';
import { whileLevel } from '../level.ts';
import { least } from '../positions.ts';
import type { ProjectionGroup } from '../projection-group.ts';
import { listProjectionVersions, type ProjectionVersion } from '../projection-versions.ts';
import { inSnapshotTaken, openSnapshot } from '../snapshot.ts';
import { visibleRows } from '../tombstones.ts';
import { OperationRejectedError } from './rebuilds.ts';

export type Difference = {
  /** Values of the key columns, by name. */
  key: Readonly<Record<string, unknown>>;
  how: 'only-live' | 'only-other' | 'changed';
  /** For a changed row: the columns that differ. */
  columns: readonly string[];
};
export type TableComparison = {
  table: string;
  rowsLive: number;
  rowsOther: number;
  onlyLive: number;
  onlyOther: number;
  changed: number;
  /** The first differing rows in the order of their keys, ten at most. */
  first: readonly Difference[];
};
export type Comparison = {
  live: string;
  other: string;
  /** Both contain every event up to here. Events after it are in both or in neither. */
  position: bigint;
  tables: readonly TableComparison[];
  isEqual: boolean;
  /** Projects that each of them does not follow, so their rows can differ. */
  quarantined: { live: readonly string[]; other: readonly string[] };
};

type Parts = { pool: Pool; store: EventStore; group: ProjectionGroup };
/** By shard. */
type Positions = { live: readonly bigint[]; other: readonly bigint[] };

/** Number of attempts before the live projection version is held for a moment. */
const quietLooks = 40;
const maxLooks = 400;
const lookPauseMs = 15;
const shownDifferences = 10;

/**
 * Compares a projection version with the live one, row by row, while both follow the log. Uses one database snapshot in
 * which both are at the same position; rows and checkpoint commit together, so in a snapshot each projection version is
 * exactly at its position. Usually both are at the same one. On a busy log that may never happen by chance, so then the
 * live one is held for a moment until the other is level with it. @throws OperationRejectedError
 */
export async function compareWithLive(
  parts: Parts,
  otherId: number,
  { looks = quietLooks }: { looks?: number } = {},
): Promise<Comparison> {
  const { live, other } = await findBoth(parts, otherId);
  const openLevel = (snapshot: PoolClient) => whileLevel(parts, live, other, () => openSnapshot(snapshot));
  for (let look = 1; look <= maxLooks; look += 1) {
    const open = look <= looks ? openSnapshot : openLevel;
    const comparison = await inSnapshotTaken(parts.pool, open, (snapshot) => compareIn(snapshot, live, other));
    if (comparison) return comparison;
    await pause(lookPauseMs);
  }
  throw new OperationRejectedError('behind', `${other.schema} does not catch up with ${live.schema}.`);
}

async function findBoth(
  { pool, group }: Parts,
  otherId: number,
): Promise<{ live: ProjectionVersion; other: ProjectionVersion }> {
  const all = await listProjectionVersions(pool, group.name);
  const live = all.find(({ status }) => status === 'live');
  const other = all.find(({ id }) => id === otherId);
  if (!live || !other)
    throw new OperationRejectedError('unknown', `Projection group ${group.name} has no such projection version.`);
  if (other.id === live.id)
    throw new OperationRejectedError('in-use', `${live.schema} is live, so there is nothing to compare it with.`);
  for (const { schema, isReady, stopped, position } of [live, other]) {
    if (stopped) throw new OperationRejectedError('stopped', `${schema} has stopped: ${stopped.error}`);
    if (!isReady)
      throw new OperationRejectedError('not-ready', `${schema} is still being built; it is at position ${position}.`);
  }
  return { live, other };
}

/** @returns null if the two may have different events */
async function compareIn(
  snapshot: PoolClient,
  live: ProjectionVersion,
  other: ProjectionVersion,
): Promise<Comparison | null> {
  const positions = await positionsOf(snapshot, live, other);
  if (!isLevel(positions)) return null;
  const all = await listProjectionVersions(snapshot, live.groupName);
  const waitingIn = ({ id }: ProjectionVersion) => [
    ...(all.find((version) => version.id === id)?.quarantine.waiting.keys() ?? []),
  ];
  const tables: TableComparison[] = [];
  const byName = new Map(other.tables.map((table) => [table.name, table]));
  for (const table of live.tables) {
    const counterpart = byName.get(table.name);
    if (counterpart) tables.push(await compareTable(snapshot, table, counterpart, live.schema, other.schema));
  }
  return {
    live: live.schema,
    other: other.schema,
    position: least(positions.live),
    tables,
    isEqual: tables.every(({ onlyLive, onlyOther, changed }) => onlyLive + onlyOther + changed === 0),
    quarantined: { live: waitingIn(live), other: waitingIn(other) },
  };
}

/** With another number of shards, they are level only where all shards are at the same position. */
function isLevel({ live, other }: Positions): boolean {
  if (live.length === other.length) return live.every((position, shard) => position === other[shard]);
  return new Set([...live, ...other]).size === 1;
}

async function positionsOf(db: PoolClient, live: ProjectionVersion, other: ProjectionVersion): Promise<Positions> {
  const { rows } = await db.query<{ id: string; position: string }>(
    'select version_id as id, position from readmodel.projection_shards where version_id in ($1, $2) order by shard',
    [live.id, other.id],
  );
  const [one = [], two = []] = [live, other].map(({ id }) =>
    rows.filter((row) => Number(row.id) === id).map(({ position }) => BigInt(position)),
  );
  if (one.length === 0 || two.length === 0)
    throw new OperationRejectedError('unknown', 'One of the projection versions was dropped during the comparison.');
  return { live: one, other: two };
}

async function compareTable(
  client: PoolClient,
  table: Table,
  counterpart: Table,
  live: string,
  other: string,
): Promise<TableComparison> {
  const { name, key, columns } = table;
  const [ofLive, ofOther] = [visibleRows(live, table), visibleRows(other, counterpart)];
  const compared = Object.keys(columns).filter((column) => column in counterpart.columns && !key.includes(column));
  const differing = compared.map((column) => `case when l.${column} is distinct from o.${column} then '${column}' end`);
  const list = (side: string) => `(${compared.map((column) => `${side}.${column}`).join(', ')})`;
  const changed = compared.length > 0 ? `or ${list('l')} is distinct from ${list('o')}` : '';
  const { rows } = await client.query<Counts>(`
    with differences as materialized (
      select ${key.map((column) => `coalesce(l.${column}, o.${column}) as ${column}`).join(', ')},
        case when o.${key[0]} is null then 'only-live' when l.${key[0]} is null then 'only-other' else 'changed' end as "how",
        array_remove(array[${differing.join(', ')}]::text[], null) as "columns"
      from ${ofLive} l full join ${ofOther} o on ${key.map((column) => `l.${column} = o.${column}`).join(' and ')}
      where l.${key[0]} is null or o.${key[0]} is null ${changed}
    )
    select (select count(*) from ${ofLive} l) as rows_live, (select count(*) from ${ofOther} o) as rows_other,
      (select count(*) from differences where "how" = 'only-live') as only_live,
      (select count(*) from differences where "how" = 'only-other') as only_other,
      (select count(*) from differences where "how" = 'changed') as changed,
      (select json_agg(json_build_object(
        'key', json_build_object(${key.map((column) => `'${column}', d.${column}`).join(', ')}), 'how', d."how", 'columns', d."columns"
      )) from (select * from differences order by ${key.join(', ')} limit ${shownDifferences}) d) as first`);
  const [counts] = rows;
  if (!counts) throw new Error(`the comparison of ${name} returned no row`);
  return {
    table: name,
    rowsLive: Number(counts.rows_live),
    rowsOther: Number(counts.rows_other),
    onlyLive: Number(counts.only_live),
    onlyOther: Number(counts.only_other),
    changed: Number(counts.changed),
    first: (counts.first ?? []).map(({ key: values, how, columns: names }) => ({
      key: values,
      how,
      columns: how === 'changed' ? names : [],
    })),
  };
}

type Counts = {
  rows_live: string;
  rows_other: string;
  only_live: string;
  only_other: string;
  changed: string;
  first: Difference[] | null;
};
