import type { Recorded } from '@gatebook/domain/event';
import type { EventStore } from '@gatebook/eventlog/port';
import type { Pool, PoolClient } from '@gatebook/runtime/postgres';
import type { Row, Table } from '../changes.ts';
import { createTimeRaiser } from '../commit-times.ts';
import type { RowChange } from '../fold-changes.ts';
import { changesOf } from '../fold-events.ts';
import { largest, least } from '../positions.ts';
import type { ProjectionGroup } from '../projection-group.ts';
import { allShards, notifyChange, type ProjectionVersion } from '../projection-versions.ts';
import { isWaiting } from '../quarantine/quarantine.ts';
import { inSnapshot } from '../snapshot.ts';
import { type VerifyOptions, withRebuild } from '../verify.ts';
import { writeChanges } from '../write-changes.ts';
import { addChecksums, asValues, type Checksum, noShard } from './checksum.ts';
import { createDerivation, type Derivation } from './derive.ts';
import { type ChecksumState, checkChecksums, findLive, NotComparableError, whileStanding } from './live.ts';
import { logPages } from './log-pages.ts';
import { differencesOf, keyOf, type RowDifference, readRows, writtenRows } from './rows.ts';

export type Repair = {
  table: string;
  projectionVersion: string;
  position: bigint;
  /** What was wrong with the repaired rows. */
  repaired: readonly RowDifference[];
  /** After the repair. `differs`: other rows of the table are wrong, or were when they were last written. */
  checksum: ChecksumState;
};

/** Rows can change or disappear between finding and repairing them. */
const roundsAtMost = 20;

type Key = Readonly<Record<string, string>>;

/** Finds a table by name. @throws NotComparableError */
export function tableOf(group: ProjectionGroup, name: string): Table {
  const table = group.tables.find((candidate) => candidate.name === name);
  if (!table) throw new NotComparableError(`projection group ${group.name} has no table ${name}`);
  if (table.versionsOf) {
    throw new NotComparableError(
      `${name} has versions of rows, which only a rebuild repairs: gatebook projections rebuild ${group.name} --promote`,
    );
  }
  return table;
}

/**
 * Makes rows of the live projection version match the log at its checkpoint, while the projector runs. Reads the log
 * first; then holds the checkpoint for a moment, reads the rest, and writes the rows at exactly that position. The
 * checksum is of correct rows, so a repair does not change it.
 */
export async function repairRows(
  pool: Pool,
  store: EventStore,
  group: ProjectionGroup,
  name: string,
  keys: readonly Key[],
): Promise<Repair> {
  const table = tableOf(group, name);
  const live = await findLive(pool, group);
  const names = new Set(keys.map((key) => keyOf(table, key)));
  const shards = allShards(live).map((shard): DerivedShard => {
    const changesFor = (event: Recorded) => (isWaiting(shard.quarantine, event) ? [] : changesOf(group, shard, event));
    const isWanted = (_: Table, row: Row) => names.has(keyOf(table, row));
    const derivation = createDerivation(group, isWanted, [table], changesFor);
    const raise = createTimeRaiser(group);
    return { ...derivation, upTo: 0n, apply: (events) => derivation.apply(raise(events)) };
  });
  await applyLog(store, shards, positionsOf(live));
  // Read new events before anyone has to wait.
  await applyLog(store, shards, positionsOf(await findLive(pool, group)));
  const { repaired, position } = await whileStanding(pool, live, async (tx, standing) => {
    const { quarantine } = await findLive(tx, group);
    if (quarantine.revision !== live.quarantine.revision) {
      throw new NotComparableError('a project was quarantined or released meanwhile: run the command again');
    }
    await applyLog(store, shards, standing);
    const rows = shards.flatMap((shard) => shard.rows(name));
    const repaired = await repair(tx, live, table, keys, rows);
    if (repaired.length > 0) await notifyChange(tx, group.name);
    return { position: least(standing), repaired };
  });
  const [check] = await inSnapshot(pool, (snapshot) => checkChecksums(snapshot, live, [name]));
  return { table: name, projectionVersion: live.schema, position, repaired, checksum: check?.state ?? 'not kept' };
}

/** The rows of a shard, as the events up to a position make them. */
type DerivedShard = Derivation & { upTo: bigint };

const positionsOf = ({ shards }: ProjectionVersion) => shards.map(({ position }) => position);

/** Applies the log to each shard up to its position in `ends`. @throws Error if the log ends before */
async function applyLog(store: EventStore, shards: readonly DerivedShard[], ends: readonly bigint[]): Promise<void> {
  const from = least(shards.map(({ upTo }) => upTo));
  for await (const events of logPages(store, { from, to: largest(ends) })) {
    for (const [nth, shard] of shards.entries()) {
      const end = ends[nth] ?? 0n;
      shard.apply(events.filter(({ position }) => position > shard.upTo && position <= end));
    }
  }
  for (const [nth, shard] of shards.entries()) shard.upTo = largest([shard.upTo, ends[nth] ?? 0n]);
}

async function repair(
  tx: PoolClient,
  { schema }: ProjectionVersion,
  table: Table,
  keys: readonly Key[],
  rows: readonly Row[],
): Promise<RowDifference[]> {
  const actual = await readRows(tx, schema, table, keys);
  const expected = await writtenRows(tx, table, rows);
  const differences = differencesOf(table, new Set(keys.map((key) => keyOf(table, key))), actual, expected);
  const byName = new Map(rows.map((row) => [keyOf(table, row), row]));
  const changes = differences.map(({ key }): RowChange => {
    const row = byName.get(keyOf(table, key));
    return row ? { kind: 'insert', row } : { kind: 'remove', key };
  });
  if (changes.length > 0) await writeChanges(tx, schema, [{ table, steps: [{ kind: 'rows', rows: changes }] }], null);
  return differences;
}

/**
 * Verifies a whole table, repairs every differing row, verifies again and then corrects the checksum. Batches that
 * wrote to a damaged row have left the damage in the sum.
 */
export async function repairTable(
  pool: Pool,
  store: EventStore,
  group: ProjectionGroup,
  name: string,
  options: Omit<VerifyOptions, 'table'> = {},
): Promise<Repair> {
  tableOf(group, name);
  return withRebuild(pool, store, group, { ...options, table: name }, async ({ compare, missing, live }) => {
    const repaired: RowDifference[] = [];
    for (let round = 1; ; round += 1) {
      const { tables, position } = await compare();
      const [check] = tables;
      if (!check) throw new NotComparableError(`projection group ${group.name} has no table ${name}`);
      if (check.differing === 0) {
        const lacking = missing(name);
        if (lacking) await addMissing(pool, live, name, lacking);
        const checksum = lacking ? 'matches' : check.checksum;
        return { table: name, projectionVersion: live.schema, position, repaired, checksum };
      }
      const keys = check.differences.map(({ key }) => key);
      const repair = await repairRows(pool, store, group, name, keys);
      if (round === roundsAtMost) throw new Error(`rows of ${name} still differ after ${roundsAtMost} repairs`);
      repaired.push(...repair.repaired);
    }
  });
}

/** Adds the difference instead of setting the sum, so that batches can go on. */
async function addMissing(pool: Pool, { id }: ProjectionVersion, table: string, missing: Checksum): Promise<void> {
  await pool.query(addChecksums(1, 2, 3), [id, noShard, ...asValues(new Map([[table, missing]]))]);
}
