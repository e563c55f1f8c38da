import type { AuditClient, AuditExport } from '@gatebook/js/admin';
import { t } from '@lingui/core/macro';
import type { ExportFile } from '../../lib/export-file.ts';
import { createRecordReader, readRecord } from './export-records.ts';

/** Attempts without a single new event, before the download stops. */
const MAX_ATTEMPTS = 3;

export type ExportProgress = { events: number; bytes: number };
type Options = {
  audit: Pick<AuditClient, 'openExport'>;
  query: AuditExport;
  file: ExportFile;
  onProgress: (progress: ExportProgress) => void;
};

/**
 * Writes an export to a file. A transfer that is cut off continues after the last complete record.
 * @returns a function that downloads until the end; after an error, it continues where it stopped
 */
export function createExportDownload({ audit, query, file, onProgress }: Options) {
  let lastId: string | undefined;
  const progress = { events: 0, bytes: 0 };

  /** @returns whether the export is complete */
  const readOnce = async (signal: AbortSignal): Promise<boolean> => {
    const read = createRecordReader(query.format, progress.bytes > 0);
    const body = (await audit.openExport({ ...query, afterEventId: lastId })).getReader();
    const cancel = (): void => void body.cancel().catch(() => undefined);
    signal.addEventListener('abort', cancel);
    try {
      for (;;) {
        // Only the transfer is tried again, not a write to a full disk.
        const { done, value } = await body.read().catch(() => ({ done: true, value: undefined }));
        signal.throwIfAborted();
        if (done || !value) return false;
        const records = read(value);
        if (!records) continue;
        await file.write(records.bytes);
        const last = readRecord(query.format, records.last);
        if (last.kind === 'event') lastId = last.id;
        progress.bytes += records.bytes.length;
        progress.events += last.kind === 'end' ? records.count - 1 : records.count;
        onProgress({ ...progress });
        if (last.kind === 'end') return true;
      }
    } finally {
      signal.removeEventListener('abort', cancel);
      cancel();
    }
  };

  return async (signal: AbortSignal): Promise<void> => {
    for (let attempt = 1; attempt <= MAX_ATTEMPTS; attempt += 1) {
      const before = lastId;
      if (await readOnce(signal)) return file.close();
      if (lastId !== before) attempt = 0;
    }
    throw new Error(t`The connection was lost. The events so far are kept: continue when you are online again.`);
  };
}
