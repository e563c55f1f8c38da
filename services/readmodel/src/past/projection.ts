import { catalog } from '@gatebook/domain/catalog';
import type { Recorded } from '@gatebook/domain/event';
import type { TeamEvent } from '@gatebook/domain/team/events';
import { defaultTeamName } from '@gatebook/domain/team/state';
import type { UserEvent } from '@gatebook/domain/user/events';
import { type Change, erase, insert, type Projection, type Row, type Table } from '@gatebook/projections/changes';
import { writtenColumns } from '@gatebook/projections/values';
import { type PastTable, pastGroupTables, pastTables } from './tables.ts';

type AnyProjection = Readonly<Record<string, ((event: never) => readonly Change[]) | undefined>>;

/** The same projection on the tables of the past. */
export const ofPast = (projection: AnyProjection): AnyProjection =>
  Object.fromEntries(
    Object.entries(projection).map(([type, apply]) => [
      type,
      apply && ((event: never) => apply(event).flatMap(inPast)),
    ]),
  );

/** What a change of a current table is in the tables of the past. */
function inPast(change: Change): readonly Change[] {
  // Members of a deleted team keep their versions: queries join the team.
  if (change.kind === 'removeAll') return change.column === 'project_id' ? [change] : [];
  const past = pastTables.get(change.table);
  if (!past || change.kind === 'erase' || isErasure(change)) return [];
  const { apart, omitted } = past;
  const isApart = (column: string) => apart?.columns.includes(column) ?? false;
  const light = changeOfPart(past, change, (column) => !isApart(column) && !omitted.includes(column));
  return apart ? [...light, ...changeOfPart(past, change, isApart, apart.table)] : light;
}

type TableChange = Exclude<Change, { kind: 'removeAll' | 'erase' }>;

/** Which rows it changes depends on personal data, so it would differ after the erasure. See `erasuresOfPast`. */
const isErasure = (change: TableChange) => change.kind === 'patch' && 'named_after' in change.where;

function changeOfPart(
  { table }: PastTable,
  change: TableChange,
  isHere: (column: string) => boolean,
  name = table.name,
): readonly Change[] {
  const pick = <V>(row: Readonly<Record<string, V>>) =>
    Object.fromEntries(Object.entries(row).filter(([column]) => isHere(column)));
  if (change.kind === 'insert') {
    const { row } = change;
    const key = Object.fromEntries(table.key.map((column) => [column, row[column] ?? null]));
    return [insert(name, { ...key, project_id: row.project_id ?? row.id ?? null, ...pick(row) })];
  }
  const found = { table: name, where: change.where };
  if (change.kind === 'remove') return atKey(table, { ...change, ...found });
  if (change.kind === 'increment') {
    const by = pick(change.by);
    return Object.keys(by).length === 0 ? [] : atKey(table, { ...change, ...found, by });
  }
  const values: Row = pick(change.values);
  return Object.keys(values).length === 0 ? [] : atKey(table, { ...change, ...found, values });
}

/** A table of columns that are kept apart has no other column to find rows by. */
function atKey({ name, key }: Table, change: Exclude<TableChange, { kind: 'insert' }>): readonly Change[] {
  if (change.table !== name && Object.keys(change.where).some((column) => !key.includes(column))) {
    throw new Error(`rows of ${change.table} can only be found by their key`);
  }
  return [change];
}

/** Personal data of a subject in all versions, as they would be built without the subject's key. */
export const erasuresOfPast: Projection<UserEvent | TeamEvent> = {
  UserDeleted: ({ data }) => eraseUser(data.userId),
  UserErased: ({ data }) => eraseUser(data.userId),
  TeamDeleted: ({ data: { teamId } }) => [
    erase('teams', { id: teamId }, namelessTeam),
    erase('team_values', { id: teamId }, erasedValues('team_values')),
    erase('api_keys', { team_id: teamId }, erasedValues('api_keys')),
  ],
};

const namelessTeam = { display_name: defaultTeamName, named_after: null };

function eraseUser(userId: string): readonly Change[] {
  const ofUser = pastGroupTables.flatMap(({ name, columns }) => {
    const values = erasedValues(name);
    if (Object.keys(values).length === 0) return [];
    if ('user_id' in columns) return [erase(name, { user_id: userId }, values)];
    return name.startsWith('user') ? [erase(name, { id: userId }, values)] : [];
  });
  return [...ofUser, erase('teams', { named_after: userId }, namelessTeam)];
}

function erasedValues(name: string): Row {
  const table = pastGroupTables.find((one) => one.name === name);
  if (!table) throw new Error(`the past has no table ${name}`);
  const personal = writtenColumns(table).filter((column) => table.columns[column]?.isPersonal);
  return Object.fromEntries(personal.map((column) => [column, table.columns[column]?.isNullable ? null : {}]));
}

/** Every event, so that its ID names a moment. */
export const eventsOfPast: AnyProjection = Object.fromEntries(
  Object.keys(catalog).map((type) => [
    type,
    ({ id, position, metadata }: Recorded) => [insert('events', { id, position, project_id: metadata.projectId })],
  ]),
);
