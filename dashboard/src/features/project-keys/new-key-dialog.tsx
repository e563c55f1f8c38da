import type { NewProjectKey } from '@gatebook/js/admin';
import { t } from '@lingui/core/macro';
import { Trans } from '@lingui/react/macro';
import { Button, Group, Modal, Stack, Text } from '@mantine/core';
import { CopyField } from '../../components/copy-field.tsx';
import { keyKinds } from './key-kinds.ts';

type Props = { created: NewProjectKey | null; projectId: string; apiUrl: string; onClose: () => void };

/** Shows the keys once. Clicking outside the dialog does not close it. */
export function NewKeyDialog({ created, projectId, apiUrl, onClose }: Props) {
  return (
    <Modal opened={created !== null} onClose={onClose} title={t`Save your key`} closeOnClickOutside={false} size="lg">
      {created && (
        <Stack gap="md">
          <Text size="sm">
            <Trans>Copy these values now. You won’t be able to see the keys again.</Trans>
          </Text>
          {keyKinds.flatMap(({ kind, name }) => {
            const text = created.texts[kind];
            return text === null ? [] : <CopyField key={kind} label={name} value={text} />;
          })}
          <CopyField label={t`Project ID`} value={projectId} />
          <CopyField label={t`API URL`} value={apiUrl} />
          <Group justify="flex-end">
            <Button onClick={onClose}>
              <Trans>Done, I’ve saved it</Trans>
            </Button>
          </Group>
        </Stack>
      )}
    </Modal>
  );
}
