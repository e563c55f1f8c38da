import type { Recorded } from '@gatebook/domain/event';
import type { PoolClient } from '@gatebook/runtime/postgres';
import { type Change, insert, type Row, type Table, type Value } from '../changes.ts';
import type { ChecksumChanges } from '../consistency/checksum.ts';
import type { Folded } from '../fold-changes.ts';
import type { ProjectionVersion } from '../projection-versions.ts';
import { type Tombstone, writeTombstones } from '../tombstones.ts';
import { writtenColumns } from '../values.ts';
import { rowsOf, send, typed, valuesOf, writeChanges } from '../write-changes.ts';
import { type CurrentVersion, foldVersions, logicalTable, type VersionChange, wantedRows } from './fold-versions.ts';
import { actionsTable, forever } from './versioned-table.ts';

/** An applied event with its changes. `isOwn`: it belongs to the shard, or to the project that is being released. */
export type AppliedEvent = { event: Recorded; changes: readonly Change[]; isOwn: boolean };

type Options = {
  /** As in `writeChanges`. */
  checksums: ChecksumChanges | null;
  onlyOf: (table: string) => string | null;
  position: bigint;
};

/**
 * Writes the versions that events make in the versioned tables. Call it in a transaction that has locked the
 * checkpoint, because it reads the current rows first.
 */
export async function writeVersions(
  tx: PoolClient,
  { schema, tables }: Pick<ProjectionVersion, 'schema' | 'tables'>,
  applied: readonly AppliedEvent[],
  { checksums, onlyOf, position }: Options,
): Promise<void> {
  const versioned = tables.filter(({ versionsOf }) => versionsOf);
  const changes = changesByTable(versioned, applied, await readActions(tx, schema, applied));
  const folded = await Promise.all(
    versioned.map(async (table): Promise<Folded> => {
      const ofTable = changes.get(table.name) ?? [];
      const current = await readCurrent(tx, schema, table, ofTable, onlyOf(table.name));
      return { table, steps: foldVersions(table, current, ofTable) };
    }),
  );
  // A project can be deleted, and its rows cleared, before its last events are applied.
  await writeTombstones(tx, { schema }, { added: [], inserted: projectsIn(folded) }, position);
  await writeChanges(tx, schema, folded, checksums, onlyOf);
}

type Action = { actionId: string; at: string; from: bigint };

/** The last action of each project so far. */
async function readActions(tx: PoolClient, schema: string, applied: readonly AppliedEvent[]) {
  const projects = new Set(applied.map(({ event }) => event.metadata.projectId));
  const { rows } = await tx.query<{ projectId: string; actionId: string; at: Date; from: string }>(
    `select project_id as "projectId", action_id as "actionId", at, from_position as "from"
     from ${schema}.${actionsTable.name} where project_id = any($1) and until_position = ${forever}`,
    [[...projects]],
  );
  return new Map(
    rows.map(({ projectId, actionId, at, from }): [string, Action] => [
      projectId,
      { actionId, at: at.toISOString(), from: BigInt(from) },
    ]),
  );
}

/** Gives all changes of an action the position of its first event. `actions`: continued by these events. */
function changesByTable(
  versioned: readonly Table[],
  applied: readonly AppliedEvent[],
  actions: Map<string, Action>,
): ReadonlyMap<string, readonly VersionChange[]> {
  const byTable = new Map(versioned.map(({ name }): [string, VersionChange[]] => [name, []]));
  for (const { event, changes, isOwn } of applied) {
    const action = isOwn ? nextAction(actions.get(event.metadata.projectId), event) : null;
    if (action) {
      actions.set(event.metadata.projectId, action);
      byTable
        .get(actionsTable.name)
        ?.push({ at: action.from, change: insert(actionsTable.name, rowOf(action, event)) });
    }
    for (const change of changes) {
      if (change.kind === 'removeAll') continue;
      byTable.get(change.table)?.push({ at: action?.from ?? event.position, change });
    }
  }
  return byTable;
}

/** The action of an event; `last`: that of the project's event before. */
function nextAction(last: Action | undefined, { position, committedAt, metadata }: Recorded): Action {
  const { requestId: actionId } = metadata;
  if (last?.actionId === actionId) return last;
  return { actionId, at: last && last.at > committedAt ? last.at : committedAt, from: position };
}

const rowOf = ({ actionId, at }: Action, { id, metadata }: Recorded): Row => ({
  project_id: metadata.projectId,
  action_id: actionId,
  event_id: id,
  at,
});

async function readCurrent(
  tx: PoolClient,
  schema: string,
  table: Table,
  changes: readonly VersionChange[],
  only: string | null,
): Promise<CurrentVersion[]> {
  const logical = logicalTable(table);
  const columns = writtenColumns(logical);
  const selected = columns.map((column) => `t.${column}${isReadAsText(logical, column) ? '::text' : ''} as ${column}`);
  const reads = [...wantedRows(table, changes)].map(([names, wanted]) => {
    const matched = names.split(',');
    const conditions = matched.map((column) => `t.${column} = r.is_${column}`);
    return send<Record<string, Value> & { from: string }>(tx, {
      text: `select ${selected.join(', ')}, t.from_position as "from" from ${schema}.${table.name} t
        join ${rowsOf(typed(table, matched, 'is_'))} on ${conditions.join(' and ')}
        where t.until_position = ${forever}${only === null ? '' : ` and ${only}`}`,
      rows: wanted.map((row) => valuesOf(row, matched)),
    });
  });
  const found = new Map<string, CurrentVersion>();
  for (const { rows } of await Promise.all(reads)) {
    for (const { from, ...row } of rows) {
      found.set(JSON.stringify(logical.key.map((column) => row[column])), { row: row as Row, from: BigInt(from) });
    }
  }
  return [...found.values()];
}

/** These would lose precision otherwise. */
const isReadAsText = ({ columns }: Table, column: string) =>
  columns[column]?.type === 'bigint' || columns[column]?.type === 'timestamptz';

function projectsIn(folded: readonly Folded[]): Tombstone[] {
  const projects = new Set<Value | undefined>();
  for (const { steps } of folded) {
    for (const step of steps) {
      if (step.kind !== 'rows') continue;
      for (const change of step.rows) if (change.kind === 'insert') projects.add(change.row.project_id);
    }
  }
  return [...projects].flatMap((value) => (typeof value === 'string' ? [{ column: 'project_id', value }] : []));
}
