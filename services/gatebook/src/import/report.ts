import { once } from 'node:events';
import { createWriteStream } from 'node:fs';
import { finished } from 'node:stream/promises';

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

export type Report = {
  add(problem: Problem): Promise<void>;
  counts(): Readonly<Record<'row' | 'part', Readonly<Record<string, number>>>>;
  close(summary: object): Promise<void>;
};

const columns = ['file', 'line', 'id', 'lost', 'reason', 'detail'] as const;

/** Writes a report as it grows, readable by its owner only: CSV if the name says so, otherwise JSON. */
export async function openReport(path: string): Promise<Report> {
  const isCsv = path.toLowerCase().endsWith('.csv');
  const output = createWriteStream(path, { mode: 0o600 });
  await once(output, 'open');
  const counts = { row: new Map<string, number>(), part: new Map<string, number>() };
  let isFirst = true;
  const write = async (text: string) => {
    if (!output.write(text)) await once(output, 'drain');
  };
  await write(isCsv ? `${columns.join(',')}\n` : '{"problems":[');
  return {
    add: async (problem) => {
      const byReason = counts[problem.lost];
      byReason.set(problem.reason, (byReason.get(problem.reason) ?? 0) + 1);
      const line = isCsv ? columns.map((column) => cell(problem[column])).join(',') : JSON.stringify(problem);
      await write(isCsv ? `${line}\n` : `${isFirst ? '' : ','}\n${line}`);
      isFirst = false;
    },
    counts: () => ({ row: Object.fromEntries(counts.row), part: Object.fromEntries(counts.part) }),
    close: async (summary) => {
      if (!isCsv) await write(`\n],"summary":${JSON.stringify(summary)}}\n`);
      output.end();
      await finished(output);
    },
  };
}

/** A leading quote keeps spreadsheets from running a value as a formula. */
function cell(value: string | number | null): string {
  const text = value === null ? '' : String(value);
  const safe = typeof value === 'string' && /^[=+\-@\t\r]/.test(text) ? `'${text}` : text;
  return /[",\n\r]/.test(safe) ? `"${safe.replaceAll('"', '""')}"` : safe;
}
