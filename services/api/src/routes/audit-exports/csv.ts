import { type CsvCell, csvStart, toCsvRow } from '@gatebook/contract/csv';
import type { ExportEnd, ExportedEvent } from './exported-event.ts';

type Column = { name: string; cellOf: (event: ExportedEvent) => CsvCell };
const columns: readonly Column[] = [
  { name: 'id', cellOf: ({ id }) => id },
  { name: 'time', cellOf: ({ at_millis }) => new Date(at_millis).toISOString() },
  { name: 'at_millis', cellOf: ({ at_millis }) => at_millis },
  { name: 'type', cellOf: ({ type }) => type },
  { name: 'category', cellOf: ({ category }) => category },
  { name: 'text', cellOf: ({ text }) => text },
  { name: 'outcome', cellOf: ({ outcome }) => outcome },
  { name: 'error_code', cellOf: ({ error_code }) => error_code },
  { name: 'count', cellOf: ({ count }) => count },
  { name: 'last_at_millis', cellOf: ({ last_at_millis }) => last_at_millis },
  { name: 'action_id', cellOf: ({ action_id }) => action_id },
  { name: 'caused_by_event_id', cellOf: ({ caused_by_event_id }) => caused_by_event_id },
  { name: 'actor_kind', cellOf: ({ actor }) => actor.kind },
  { name: 'actor_id', cellOf: ({ actor }) => actor.id },
  { name: 'actor_name', cellOf: ({ actor }) => actor.display_name },
  { name: 'impersonator_id', cellOf: ({ actor }) => actor.impersonator?.id },
  { name: 'session_id', cellOf: ({ actor }) => actor.session_id },
  { name: 'targets', cellOf: ({ targets }) => targets.map(({ type, id }) => `${type}:${id}`).join(' ') },
  { name: 'target_names', cellOf: ({ targets }) => targets.flatMap((one) => one.display_name ?? []).join(', ') },
  { name: 'ip', cellOf: ({ origin }) => origin?.ip },
  { name: 'user_agent', cellOf: ({ origin }) => origin?.user_agent },
  { name: 'country', cellOf: ({ origin }) => origin?.country },
  { name: 'is_technical', cellOf: ({ is_technical }) => is_technical },
  { name: 'changes', cellOf: ({ changes }) => changes && JSON.stringify(changes) },
];

/** In order. */
export const csvColumns = columns.map(({ name }) => name);

export const csvHead = csvStart + toCsvRow(csvColumns);
export const toCsvLine = (event: ExportedEvent): string => toCsvRow(columns.map(({ cellOf }) => cellOf(event)));

/** A row in the same form, so that every row has as many cells. */
export const toCsvEnd = ({ count, next_cursor }: ExportEnd): string =>
  toCsvRow(csvColumns.map((name) => ({ type: 'end', text: next_cursor, count })[name]));
