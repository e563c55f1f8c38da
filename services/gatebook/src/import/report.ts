import { once } from 'node:events';
import { createWriteStream } from 'node:fs';
import { finished } from 'node:stream/promises';
import { type Problem, problemHeader, problemLine } from '@gatebook/contract/import/problem';

export type Report = {
  add(problem: Problem): Promise<void>;
  counts(): Readonly<Record<'row' | 'part', Readonly<Record<string, number>>>>;
  close(summary: object): Promise<void>;
};

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
  await write(isCsv ? problemHeader : '{"problems":[');
  return {
    add: async (problem) => {
      const byReason = counts[problem.lost];
      byReason.set(problem.reason, (byReason.get(problem.reason) ?? 0) + 1);
      await write(isCsv ? problemLine(problem) : `${isFirst ? '' : ','}\n${JSON.stringify(problem)}`);
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
