import { t } from '@lingui/core/macro';
import { Trans } from '@lingui/react/macro';
import { Button, Stack, Text } from '@mantine/core';
import { useState } from 'react';
import { toJsonText } from '../lib/json-text.ts';
import { lateDialog } from './late-dialog.tsx';
import { type MetadataProps, metadataFields } from './metadata-fields.ts';
import { ScrolledText } from './scrolled-text.tsx';
import { Card } from './states.tsx';

const MetadataDialog = lateDialog(async () => (await import('./metadata-dialog.tsx')).MetadataDialog);

/** The metadata of a user or a team, and a dialog that changes it. */
export function MetadataCard({ owner, reader, update }: MetadataProps) {
  const [isEditing, setEditing] = useState(false);
  const close = (): void => setEditing(false);
  const filled = metadataFields.filter(({ name }) => owner[name] !== null && owner[name] !== undefined);
  return (
    <Card
      title={t`Metadata`}
      labelId="metadata-title"
      actions={
        <Button size="compact-sm" variant="default" onClick={() => setEditing(true)}>
          <Trans>Edit metadata</Trans>
        </Button>
      }
    >
      {filled.length === 0 && (
        <Text size="sm" c="dimmed">
          <Trans>No metadata</Trans>
        </Text>
      )}
      <Stack gap="md">
        {filled.map(({ name, label }) => (
          <div key={name}>
            <Text size="sm" c="dimmed" mb="0.375rem">
              {label}
            </Text>
            <ScrolledText label={label}>{toJsonText(owner[name])}</ScrolledText>
          </div>
        ))}
      </Stack>
      <MetadataDialog isOpen={isEditing} onClose={close} owner={owner} reader={reader} update={update} />
    </Card>
  );
}
