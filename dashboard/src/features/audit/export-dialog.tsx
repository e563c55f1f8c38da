import type { AuditClient, AuditExportFormat } from '@gatebook/js/admin';
import { useAction } from '@gatebook/react';
import { plural, t } from '@lingui/core/macro';
import { Trans } from '@lingui/react/macro';
import { Button, Group, Modal, Pill, Radio, Stack, Text } from '@mantine/core';
import { useEffect, useRef, useState } from 'react';
import classes from '../../components/audit/audit.module.css';
import { type AuditSearch, filtersOf } from '../../components/audit/audit-search.ts';
import { ErrorNote } from '../../components/states.tsx';
import { createExportFile, type ExportFile } from '../../lib/export-file.ts';
import { formatCount } from '../../lib/format.ts';
import { createExportDownload, type ExportProgress } from './download-export.ts';
import { describeFilters, tabNames } from './filter-texts.ts';
import { useFilterNames } from './use-filter-names.ts';

export type ExportProps = { audit: Pick<AuditClient, 'openExport' | 'list'>; projectId: string; search: AuditSearch };

export function ExportDialog({ isOpen, ...form }: ExportProps & { isOpen: boolean; onClose: () => void }) {
  return (
    <Modal opened={isOpen} onClose={form.onClose} title={t`Export audit log`} closeOnClickOutside={false}>
      <ExportForm {...form} />
    </Modal>
  );
}

const formats: readonly { format: AuditExportFormat; label: string; description: string; extension: string }[] = [
  { format: 'jsonl', label: t`JSON lines`, description: t`Everything, for archives and scripts`, extension: 'jsonl' },
  { format: 'csv', label: 'CSV', description: t`For spreadsheets`, extension: 'csv' },
  { format: 'cloudevents', label: t`CloudEvents 1.0`, description: t`For event buses`, extension: 'jsonl' },
  { format: 'ocsf', label: t`OCSF 1.8.0`, description: t`For SIEM systems`, extension: 'jsonl' },
];

type Running = { download: (signal: AbortSignal) => Promise<void>; file: ExportFile };

function ExportForm({ audit, projectId, search, onClose }: ExportProps & { onClose: () => void }) {
  const [format, setFormat] = useState<AuditExportFormat>('jsonl');
  const [progress, setProgress] = useState<ExportProgress | null>(null);
  const [isComplete, setComplete] = useState(false);
  const running = useRef<Running | null>(null);
  const stop = useRef(new AbortController());
  // Closing the dialog ends the download; nothing is left on the disk.
  useEffect(() => {
    stop.current = new AbortController();
    return () => {
      stop.current.abort();
      void running.current?.file.discard();
    };
  }, []);
  const run = useAction(async () => {
    running.current ??= await start({ audit, projectId, search, format, onProgress: setProgress });
    if (!running.current) return;
    await running.current.download(stop.current.signal);
    running.current = null;
    setComplete(true);
  });
  const hasBegun = run.isRunning || progress !== null;
  return (
    <Stack gap="md">
      <Filters audit={audit} projectId={projectId} search={search} />
      <Radio.Group label={t`Format`} value={format} onChange={(value) => setFormat(value as AuditExportFormat)}>
        <Stack gap="xs" mt={6}>
          {formats.map(({ format: value, label, description }) => (
            <Radio key={value} value={value} label={label} description={description} disabled={hasBegun} />
          ))}
        </Stack>
      </Radio.Group>
      <Text size="sm" c="dimmed" role="status">
        {progress
          ? progressText(progress, isComplete)
          : t`The export is recorded in the audit log. Secrets are left out.`}
      </Text>
      {run.error !== undefined && <ErrorNote title={t`The export was interrupted`} error={run.error} />}
      <Group justify="flex-end" gap="xs">
        <Button variant="default" onClick={onClose}>
          {isComplete ? t`Close` : t`Cancel`}
        </Button>
        {!isComplete && (
          <Button loading={run.isRunning} onClick={() => void run.run()}>
            {run.error !== undefined && progress ? t`Continue` : t`Export`}
          </Button>
        )}
      </Group>
    </Stack>
  );
}

type StartOptions = ExportProps & { format: AuditExportFormat; onProgress: (progress: ExportProgress) => void };

/** @returns null if nobody chose a file */
async function start({ audit, projectId, search, format, onProgress }: StartOptions): Promise<Running | null> {
  const extension = formats.find((each) => each.format === format)?.extension;
  const file = await createExportFile(`audit-log-${projectId}-${new Date().toISOString().slice(0, 10)}.${extension}`);
  const query = { ...filtersOf(search, Date.now()), format };
  return file && { file, download: createExportDownload({ audit, query, file, onProgress }) };
}

function Filters({ audit, projectId, search }: ExportProps) {
  const names = useFilterNames(audit, projectId, search);
  const labels = describeFilters(search, names).map(({ label }) => label);
  if (search.tab !== 'all') labels.unshift(tabNames[search.tab]);
  return (
    <div>
      <Text size="sm">
        {labels.length === 0 ? t`All events up to now, oldest first.` : t`Events up to now that match, oldest first:`}
      </Text>
      {labels.length > 0 && (
        <div className={classes.chips}>
          {labels.map((label) => (
            <Pill key={label}>{label}</Pill>
          ))}
        </div>
      )}
      {search.technical !== undefined && (
        <Text size="sm">
          <Trans>Technical events are included.</Trans>
        </Text>
      )}
    </div>
  );
}

const MEGABYTE = 1_000_000;

function progressText({ events, bytes }: ExportProgress, isComplete: boolean): string {
  const size =
    bytes < MEGABYTE ? t`${formatCount(Math.ceil(bytes / 1000))} kB` : t`${formatCount(bytes / MEGABYTE)} MB`;
  return `${plural(events, { one: '# event', other: '# events' })}, ${size}. ${isComplete ? t`The export is complete.` : ''}`;
}
