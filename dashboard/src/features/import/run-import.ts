import { type Problem, problemHeader, problemLine } from '@gatebook/contract/import/problem';
import { readRows } from '@gatebook/contract/import/read-rows';
import type { Row } from '@gatebook/contract/import/row';
import { maxImportedRowBytes } from '@gatebook/contract/import/sources';
import type { ImportedRow, ImportOptions, ImportRow, ImportsClient } from '@gatebook/js/admin';
import { t } from '@lingui/core/macro';

/** Limits of one request: rows, bytes, and names in its JSON. */
const MOST_ROWS = 100;
const MOST_BYTES = 1_000_000;
const MOST_NAMES = 8_000;
/** Requests at the same time. A dry run finds duplicates in the order of the file. */
const LANES = 3;

export type Counts = Record<'rows' | ImportedRow['outcome'], number>;
/** `bytes`: of the file, that were read. `reasons`: how often each was the reason of a problem. */
export type ImportProgress = {
  bytes: number;
  counts: Counts;
  reasons: ReadonlyMap<string, { lost: Problem['lost']; reason: string; count: number }>;
};

export type ImportFile = Pick<File, 'name' | 'size' | 'stream'>;
type Settings = {
  file: ImportFile;
  options: ImportOptions;
  importUsers: ImportsClient['importUsers'];
  signal: AbortSignal;
  onProgress: (progress: ImportProgress) => void;
};

/**
 * Sends the users of a file in batches until its end, or until it is stopped. The file is read as it is sent, so it can
 * be of any size. An import that failed can be run again: users who are in the project are left as they are.
 * @returns the report, as CSV
 */
export async function runImport({ file, options, importUsers, signal, onProgress }: Settings): Promise<Blob> {
  const found = startProgress(file.name);
  let bytes = 0;
  let failure: { error: unknown } | null = null;
  const running = new Set<Promise<void>>();
  const send = async (rows: readonly ImportRow[]): Promise<void> => {
    try {
      found.add(await importUsers(rows, options));
      onProgress({ bytes, ...found.read() });
    } catch (error) {
      failure ??= { error };
    }
  };
  const startBatch = async (rows: readonly ImportRow[]) => {
    const work: Promise<void> = send(rows).finally(() => running.delete(work));
    running.add(work);
    if (running.size >= (options.isDryRun ? 1 : LANES)) await Promise.race(running);
  };
  const onRead = (read: number) => {
    bytes = read;
  };
  const batch = createBatch();
  try {
    for await (const row of readRows(textOf(file, onRead))) {
      if (signal.aborted || failure) break;
      const sized = sizeOf(row);
      if ('rejected' in sized) {
        found.add([sized.rejected]);
        continue;
      }
      if (!batch.fits(sized)) await startBatch(batch.take());
      batch.add(sized);
    }
    if (!signal.aborted && !failure && batch.size() > 0) await startBatch(batch.take());
  } finally {
    // Also if the file can't be read to its end: no progress is reported after the failure.
    await Promise.all(running);
  }
  onProgress({ bytes, ...found.read() });
  throwFailure(failure);
  return found.report();
}

function throwFailure(failure: { error: unknown } | null): void {
  if (failure) throw failure.error;
}

type Sized = ImportRow & { bytes: number; names: number };

function sizeOf(row: Row): Sized | { rejected: ImportedRow } {
  const reject = (reason: string, detail: string) => ({
    rejected: { line: row.line, id: null, outcome: 'rejected' as const, problems: [{ reason, detail }] },
  });
  if ('error' in row) return reject('malformed', row.error);
  const text = JSON.stringify(row.value);
  const bytes = new TextEncoder().encode(text).length;
  if (bytes > maxImportedRowBytes) return reject('too_large', t`Import this row on the command line.`);
  return { ...row, bytes, names: (text.match(/":/g) ?? []).length };
}

function createBatch() {
  let [rows, bytes, names]: [ImportRow[], number, number] = [[], 0, 0];
  return {
    size: () => rows.length,
    fits: (row: Sized) =>
      rows.length === 0 ||
      (rows.length < MOST_ROWS && bytes + row.bytes <= MOST_BYTES && names + row.names <= MOST_NAMES),
    add: ({ line, value, ...row }: Sized) => {
      rows.push({ line, value });
      bytes += row.bytes;
      names += row.names;
    },
    take: () => {
      const taken = rows;
      [rows, bytes, names] = [[], 0, 0];
      return taken;
    },
  };
}

async function* textOf(file: ImportFile, onRead: (bytes: number) => void): AsyncGenerator<string> {
  const decoder = new TextDecoder();
  const reader = file.stream().getReader();
  let bytes = 0;
  try {
    for (let part = await reader.read(); !part.done; part = await reader.read()) {
      bytes += part.value.length;
      onRead(bytes);
      yield decoder.decode(part.value, { stream: true });
    }
    yield decoder.decode();
  } finally {
    await reader.cancel();
  }
}

/** Counts outcomes, and collects the report. Browsers can move blobs from memory to disk. */
function startProgress(file: string) {
  const counts: Counts = { rows: 0, created: 0, completed: 0, existing: 0, rejected: 0 };
  const reasons = new Map<string, { lost: Problem['lost']; reason: string; count: number }>();
  const report = [new Blob([problemHeader])];
  return {
    add: (rows: readonly ImportedRow[]) => {
      const lines = rows.flatMap(({ line, id, outcome, problems }) => {
        counts.rows += 1;
        counts[outcome] += 1;
        const lost = outcome === 'rejected' ? ('row' as const) : ('part' as const);
        return problems.map(({ reason, detail }) => {
          const key = `${lost} ${reason}`;
          reasons.set(key, { lost, reason, count: (reasons.get(key)?.count ?? 0) + 1 });
          return problemLine({ file, line, id, lost, reason, detail });
        });
      });
      if (lines.length > 0) report.push(new Blob(lines));
    },
    read: () => ({ counts: { ...counts }, reasons: new Map(reasons) }),
    report: () => new Blob(report, { type: 'text/csv' }),
  };
}
