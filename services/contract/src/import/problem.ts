import { csvStart, toCsvRow } from '../csv.ts';

/** What could not be imported. `id` is the ID in the other product, if the row has one. */
export type Problem = {
  file: string;
  line: number;
  id: string | null;
  /** `row`: nothing of the row was imported. `part`: all but this. */
  lost: 'row' | 'part';
  reason: string;
  detail: string | null;
};

const columns = ['file', 'line', 'id', 'lost', 'reason', 'detail'] as const;

export const problemHeader = csvStart + toCsvRow(columns);
export const problemLine = (problem: Problem): string => toCsvRow(columns.map((column) => problem[column]));
