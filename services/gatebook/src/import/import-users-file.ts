import { type ImportRun, importUserRows, type RowResult } from '@gatebook/api/import/import-user-rows';
import type { Source, SourceOptions } from '@gatebook/api/import/source';
import type { Row } from '@gatebook/contract/import/row';
import { openRows } from './open-rows.ts';
import type { Report } from './report.ts';

/** Small enough to lose little when interrupted, large enough to be fast. */
const usersAtOnce = 500;
/** While the log writes one batch, the next one is prepared. A dry run finds duplicates in the order of the file. */
const batchesAtOnce = 2;

export type ImportCounts = { rows: number; created: number; completed: number; existing: number; rejected: number };
export type ImportJob = ImportRun & { report: Report; signal: AbortSignal };
type Options = { source: Source; sourceOptions: SourceOptions; onProgress: (bytes: number, users: number) => void };

/** Imports the users of a file, one batch after the other, until the end or until the signal aborts. */
export async function importUsersFile(job: ImportJob, file: string, options: Options): Promise<ImportCounts> {
  const counts: ImportCounts = { rows: 0, created: 0, completed: 0, existing: 0, rejected: 0 };
  let bytes = 0;
  let waiting: Row[] = [];
  const running = new Set<Promise<void>>();
  const importBatch = async (rows: readonly Row[]) => {
    for (const result of await importUserRows(job, rows, options)) await settle(job.report, file, result, counts);
  };
  const startBatch = async () => {
    const batch = waiting;
    waiting = [];
    const work: Promise<void> = importBatch(batch).finally(() => running.delete(work));
    running.add(work);
    if (running.size >= (job.rehearsal ? 1 : batchesAtOnce)) await Promise.race(running);
    options.onProgress(bytes, counts.rows);
  };
  const onRead = (read: number) => {
    bytes = read;
  };
  for await (const row of openRows(file, onRead)) {
    if (job.signal.aborted) break;
    counts.rows += 1;
    waiting.push(row);
    if (waiting.length >= usersAtOnce) await startBatch();
  }
  if (!job.signal.aborted) await startBatch();
  await Promise.all(running);
  return counts;
}

async function settle(report: Report, file: string, result: RowResult, counts: ImportCounts): Promise<void> {
  const { line, id, outcome, problems } = result;
  counts[outcome] += 1;
  const lost = outcome === 'rejected' ? 'row' : 'part';
  for (const problem of problems) await report.add({ file, line, id, lost, ...problem });
}
