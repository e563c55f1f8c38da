/** One row of a file. `line` is where it begins, from 1. */
export type Row = { line: number } & ({ value: Readonly<Record<string, unknown>> } | { error: string });

/** Longer rows are rejected, so that a broken file does not fill the memory. In UTF-16 code units. */
export const maxRowLength = 4 * 1_024 * 1_024;
export const tooLong = 'The row is too long.';

export function toRow(line: number, text: string): Row {
  if (text.length > maxRowLength) return { line, error: tooLong };
  try {
    const value: unknown = JSON.parse(text);
    if (isRecord(value)) return { line, value };
    return { line, error: 'The row is not a JSON object.' };
  } catch {
    return { line, error: 'The row is not valid JSON.' };
  }
}

export const isRecord = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);
