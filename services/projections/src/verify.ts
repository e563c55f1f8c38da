import type { EventStore } from '@gatebook/eventlog/port';
import type { Pool, PoolClient } from '@gatebook/runtime/postgres';
import type { Table } from './changes.ts';
import { type Checksum, isSame, sumVisibleRows } from './consistency/checksum.ts';
import {
  type ChecksumState,
  checkChecksums,
  findLive,
  NotComparableError,
  reachedHead,
  whileStanding,
} from './consistency/live.ts';
import { logPages } from './consistency/log-pages.ts';
import { differencesOf, keyOf, type RowDifference, readRows } from './consistency/rows.ts';
import { largest, least } from './positions.ts';
import type { ProjectionGroup } from './projection-group.ts';
import {
  allShards,
  createProjectionVersion,
  listProjectionVersions,
  type ProjectionShard,
  type ProjectionVersion,
} from './projection-versions.ts';
import { projectBatch } from './projector.ts';
import { dropProjectionVersion } from './promotion.ts';
import { copyQuarantined } from './quarantine/quarantine.ts';
import { inSnapshotTaken, openSnapshot } from './snapshot.ts';
import { visibleRows } from './tombstones.ts';

export type TableCheck = {
  table: string;
  rowsLive: number;
  rowsRebuilt: number;
  checksum: ChecksumState;
  /** Number of rows that differ; 1,000 at most are named. */
  differing: number;
  differences: RowDifference[];
};
export type Verification = { group: string; projectionVersion: string; position: bigint; tables: TableCheck[] };

/** Whether the tables contain exactly the rows of the log, with correct checksums. */
export const isConsistent = ({ tables }: Verification) =>
  tables.every(({ differing, checksum }) => differing === 0 && checksum !== 'differs');

export type VerifyOptions = {
  /** null: all tables of the group. */
  table?: string | null;
  onProgress?: (position: bigint, head: bigint) => void;
  /** Cancels the verification: drops what was created for it and throws the signal's reason. */
  signal?: AbortSignal;
};

const namedAtMost = 1000;
/** At most about this many events are missing when the live projection version is held. */
const nearEnough = 500;
/** A difference must be seen this often again, each time after the read models have caught up. */
const confirmations = 2;

/**
 * Derives all rows of a group, or of one table, from the log and compares them with the live rows at one position,
 * while traffic goes on. @throws NotComparableError if there is nothing to compare, or another verification is running
 */
export async function compareWithRebuild(
  pool: Pool,
  store: EventStore,
  group: ProjectionGroup,
  options: VerifyOptions = {},
): Promise<Verification> {
  return withRebuild(pool, store, group, options, ({ compare }) => compare());
}

export type Rebuild = {
  live: ProjectionVersion;
  rebuilt: ProjectionVersion;
  /** Compares both at one position. */
  compare(): Promise<Verification>;
  /** What the checksum of a table lacked at that position. */
  missing(table: string): Checksum | null;
};

/** Builds the rows in a temporary projection version that exists while `work` runs. */
export async function withRebuild<T>(
  pool: Pool,
  store: EventStore,
  group: ProjectionGroup,
  { table = null, onProgress, signal }: VerifyOptions,
  work: (rebuild: Rebuild) => Promise<T>,
): Promise<T> {
  const live = await findLive(pool, group);
  const tables = table === null ? group.tables : group.tables.filter(({ name }) => name === table);
  if (tables.length === 0) throw new NotComparableError(`projection group ${group.name} has no table ${table}`);
  return alone(pool, group, async () => {
    // Projectors leave it alone, because no group has this name.
    const shards = live.shards.length;
    const throwAway = { ...group, tables, shards, name: throwAwayName(group) };
    const { id, groupName, schema } = await createProjectionVersion(pool, throwAway);
    await copyQuarantined(pool, live.schema, schema);
    const rebuilt = (await listProjectionVersions(pool, groupName)).find((version) => version.id === id);
    if (!rebuilt) throw new NotComparableError(`${schema} was dropped`);
    const parts: Parts = {
      pool,
      store,
      group: { ...group, tables },
      live,
      rebuilt,
      shards: allShards(rebuilt),
      signal,
      missing: new Map(),
    };
    try {
      await approach(parts, onProgress);
      for (const { name } of tables) await pool.query(`analyze ${rebuilt.schema}.${name}`);
      return await work({
        live,
        rebuilt,
        compare: () => compare(parts),
        missing: (name) => parts.missing.get(name) ?? null,
      });
    } finally {
      await dropProjectionVersion(pool, rebuilt.id);
    }
  });
}

type Parts = {
  pool: Pool;
  store: EventStore;
  group: ProjectionGroup;
  live: ProjectionVersion;
  /** As many shards as the live one. They lack the same events of quarantined projects. */
  rebuilt: ProjectionVersion;
  /** The shards of `rebuilt`, as far as they are built. */
  shards: readonly ProjectionShard[];
  signal: AbortSignal | undefined;
  missing: Map<string, Checksum | null>;
};

const throwAwayName = ({ name }: ProjectionGroup) => `verify_${name}`;

/** Allows one verification at a time, and first drops the tables of a killed one. */
async function alone<T>(pool: Pool, group: ProjectionGroup, work: () => Promise<T>): Promise<T> {
  const client = await pool.connect();
  const lock = [`verify ${group.name}`];
  try {
    const { rows } = await client.query<{ isOurs: boolean }>(
      'select pg_try_advisory_lock(hashtext($1)) as "isOurs"',
      lock,
    );
    if (!rows[0]?.isOurs) throw new NotComparableError(`another verification of ${group.name} is running`);
    for (const { id } of await listProjectionVersions(pool, throwAwayName(group)))
      await dropProjectionVersion(pool, id);
    return await work();
  } finally {
    const unlocking = client.query('select pg_advisory_unlock(hashtext($1))', lock);
    const isUnlocked = await unlocking.then(
      () => true,
      () => false,
    );
    // The lock ends with its connection.
    client.release(!isUnlocked);
  }
}

/**
 * Catches up until little is missing. The difference of positions is not the number of events, because positions can
 * have gaps.
 */
async function approach(parts: Parts, onProgress?: VerifyOptions['onProgress']): Promise<void> {
  for (;;) {
    const { shards } = await findLive(parts.pool, parts.group);
    const positions = shards.map(({ position }) => position);
    if ((await rebuildTo(parts, positions, onProgress)) < nearEnough) return;
  }
}

/** Builds each shard to its position in `ends`. @returns the number of events */
async function rebuildTo(
  parts: Parts,
  ends: readonly bigint[],
  onProgress?: VerifyOptions['onProgress'],
): Promise<number> {
  const { pool, store, group, signal } = parts;
  const end = largest(ends);
  let count = 0;
  for await (const events of logPages(store, { from: least(parts.shards.map(({ position }) => position)), to: end })) {
    signal?.throwIfAborted();
    parts.shards = await Promise.all(
      parts.shards.map(async (shard) => {
        const missing = events.filter(
          ({ position }) => position > shard.position && position <= (ends[shard.shard] ?? end),
        );
        return { ...shard, ...(await projectBatch(pool, group, shard, shard.position, missing)) };
      }),
    );
    count += events.length;
    onProgress?.(events.at(-1)?.position ?? end, end);
  }
  return count;
}

/** Runs `work` in a snapshot in which both projection versions are at the same positions. */
const atOnePosition = <T>(parts: Parts, work: (snapshot: PoolClient, position: bigint) => Promise<T>): Promise<T> =>
  inSnapshotTaken(
    parts.pool,
    (snapshot) =>
      whileStanding(parts.pool, parts.live, async (_, standing) => {
        await rebuildTo(parts, standing);
        await openSnapshot(snapshot);
        return least(standing);
      }),
    work,
  );

async function compare(parts: Parts): Promise<Verification> {
  const { pool, store, group, live, signal } = parts;
  await approach(parts);
  const found = await atOnePosition(parts, async (snapshot, position) => {
    const names = group.tables.map(({ name }) => name);
    const checks = await checkChecksums(snapshot, live, names, signal);
    const checksums = new Map(checks.map((check) => [check.table, check]));
    const tables: TableCheck[] = [];
    for (const table of group.tables) {
      signal?.throwIfAborted();
      const { state: checksum = 'not kept', missing = null } = checksums.get(table.name) ?? {};
      parts.missing.set(table.name, missing);
      tables.push({ ...(await compareTable(snapshot, table, parts)), checksum });
    }
    return { group: group.name, projectionVersion: live.schema, position, tables };
  });
  for (let round = 0; round < confirmations && found.tables.some(({ differing }) => differing > 0); round += 1) {
    await reachedHead(pool, store, live);
    await approach(parts);
    await confirm(parts, found);
  }
  return found;
}

async function compareTable(
  snapshot: PoolClient,
  table: Table,
  { live, rebuilt }: Parts,
): Promise<Omit<TableCheck, 'checksum'>> {
  const [one, other] = [
    await sumVisibleRows(snapshot, live.schema, table),
    await sumVisibleRows(snapshot, rebuilt.schema, table),
  ];
  const counts = { table: table.name, rowsLive: Number(one.rows), rowsRebuilt: Number(other.rows) };
  if (isSame(one, other)) return { ...counts, differing: 0, differences: [] };
  const { keys, count } = await differingKeys(snapshot, table, live.schema, rebuilt.schema);
  return { ...counts, differing: count, differences: await differencesAt(snapshot, table, keys, { live, rebuilt }) };
}

async function differingKeys(snapshot: PoolClient, table: Table, live: string, rebuilt: string) {
  const { key } = table;
  const columns = key.map((column) => `coalesce(a.${column}, b.${column})::text as ${column}`).join(', ');
  const { rows } = await snapshot.query<Record<string, string>>(
    `select ${columns}, count(*) over () as "count of all" from ${visibleRows(live, table)} a
     full join ${visibleRows(rebuilt, table)} b on ${key.map((column) => `a.${column} = b.${column}`).join(' and ')}
     where a.${key[0]} is null or b.${key[0]} is null or a *<> b
     order by ${key.join(', ')} limit ${namedAtMost}`,
  );
  return { keys: rows, count: Number(rows[0]?.['count of all'] ?? 0) };
}

async function differencesAt(
  snapshot: PoolClient,
  table: Table,
  keys: readonly Readonly<Record<string, string>>[],
  { live, rebuilt }: Pick<Parts, 'live' | 'rebuilt'>,
): Promise<RowDifference[]> {
  const actual = await readRows(snapshot, live.schema, table, keys);
  const expected = await readRows(snapshot, rebuilt.schema, table, keys);
  const names = keys.map((key) => keyOf(table, key));
  return differencesOf(table, names, actual, expected);
}

/** Keeps only differences that still exist. */
async function confirm(parts: Parts, found: Verification): Promise<void> {
  await atOnePosition(parts, async (snapshot) => {
    for (const table of parts.group.tables) {
      const check = found.tables.find(({ table: name }) => name === table.name);
      if (!check || check.differing === 0) continue;
      const keys = check.differences.map(({ key }) => key);
      const still = await differencesAt(snapshot, table, keys, parts);
      check.differing -= check.differences.length - still.length;
      check.differences = still;
    }
  });
}
