import type { Writable } from 'node:stream';
import { csvColumns } from '@gatebook/api/routes/audit-exports/csv';
import { writeTo } from '../backup/files.ts';
import { CommandError } from './cli-context.ts';

/** The last line is shorter. */
const longestEnd = 4_096;

/** Copies an export of the audit log. @throws CommandError if it was cut off, which its last line tells */
export async function copyExport(
  body: AsyncIterable<Uint8Array>,
  output: Writable,
  format: string,
): Promise<{ count: number; nextCursor: string }> {
  let tail = Buffer.alloc(0);
  for await (const part of body) {
    await writeTo(output, Buffer.from(part));
    tail = Buffer.concat([tail, part]).subarray(-longestEnd);
  }
  const text = tail.toString('utf8');
  const line = /(?:^|\n)([^\n]+)\n$/.exec(text)?.[1] ?? '';
  const end = format === 'csv' ? readCsvEnd(line) : readJsonEnd(line);
  if (!end) throw new CommandError('The export was cut off. Run the command again.');
  return end;
}

function readJsonEnd(line: string) {
  if (!line.startsWith('{"end":true,')) return null;
  const { count, next_cursor: nextCursor } = JSON.parse(line);
  return { count, nextCursor };
}

/** Its cells have no commas. */
function readCsvEnd(line: string) {
  const cells = line.trimEnd().split(',');
  const cellOf = (name: string) => cells[csvColumns.indexOf(name)] ?? '';
  if (cells.length !== csvColumns.length || cellOf('id') !== '' || cellOf('type') !== 'end') return null;
  return { count: Number(cellOf('count')), nextCursor: cellOf('text') };
}
