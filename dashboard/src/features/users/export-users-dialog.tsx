import type { User, UserExportFormat } from '@gatebook/js/admin';
import { useAction } from '@gatebook/react';
import { plural, t } from '@lingui/core/macro';
import { Trans } from '@lingui/react/macro';
import { Button, Group, Modal, Radio, Stack, Text } from '@mantine/core';
import { useEffect, useRef, useState } from 'react';
import { ErrorNote } from '../../components/states.tsx';
import { createExportFile } from '../../lib/export-file.ts';
import { headOf, recordOf } from './user-records.ts';

type Props = {
  isOpen: boolean;
  onClose: () => void;
  /** Which users, as a sentence. */
  description: string;
  readPages: () => AsyncIterable<readonly User[]>;
  /** Adds the export to the audit log. */
  record: (format: UserExportFormat) => Promise<void>;
};

/** Writes users to a file. */
export function ExportUsersDialog({ isOpen, onClose, ...form }: Props) {
  return (
    <Modal opened={isOpen} onClose={onClose} title={t`Export users`} closeOnClickOutside={false}>
      <ExportForm onClose={onClose} {...form} />
    </Modal>
  );
}

const formats: readonly { format: UserExportFormat; label: string; description: string }[] = [
  { format: 'csv', label: 'CSV', description: t`For spreadsheets` },
  { format: 'jsonl', label: t`JSON lines`, description: t`Everything, for scripts` },
];

function ExportForm({ description, readPages, record, onClose }: Omit<Props, 'isOpen'>) {
  const [format, setFormat] = useState<UserExportFormat>('csv');
  const [written, setWritten] = useState<number | null>(null);
  const [isComplete, setComplete] = useState(false);
  const isClosed = useRef(false);
  // Closing the dialog ends the export; nothing is left on the disk.
  useEffect(() => {
    isClosed.current = false;
    return () => {
      isClosed.current = true;
    };
  }, []);
  const run = useAction(async () => {
    const file = await createExportFile(`users-${new Date().toISOString().slice(0, 10)}.${format}`);
    if (!file) return;
    setWritten(0);
    try {
      await record(format);
      const write = (text: string) => file.write(new TextEncoder().encode(text));
      await write(headOf(format));
      let count = 0;
      for await (const users of readPages()) {
        if (isClosed.current) return await file.discard();
        await write(users.map((user) => recordOf(user, format)).join(''));
        count += users.length;
        setWritten(count);
      }
      await file.close();
      setComplete(true);
    } catch (error) {
      await file.discard();
      setWritten(null);
      throw error;
    }
  });
  return (
    <Stack gap="md">
      <Text size="sm">{description}</Text>
      <Radio.Group label={t`Format`} value={format} onChange={(value) => setFormat(value as UserExportFormat)}>
        <Stack gap="xs" mt={6}>
          {formats.map(({ format: value, ...texts }) => (
            <Radio key={value} value={value} {...texts} disabled={written !== null} />
          ))}
        </Stack>
      </Radio.Group>
      <Text size="sm" c="dimmed" role="status">
        {written === null
          ? t`The file contains personal data.`
          : `${plural(written, { one: '# user', other: '# users' })}. ${isComplete ? t`The export is complete.` : ''}`}
      </Text>
      {run.error !== undefined && <ErrorNote title={t`The users could not be exported`} error={run.error} />}
      <Group justify="flex-end" gap="xs">
        <Button variant="default" onClick={onClose}>
          {isComplete ? t`Close` : t`Cancel`}
        </Button>
        {!isComplete && (
          <Button loading={run.isRunning} onClick={() => void run.run()}>
            <Trans>Export</Trans>
          </Button>
        )}
      </Group>
    </Stack>
  );
}
