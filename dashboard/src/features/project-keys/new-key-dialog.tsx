import type { NewProjectKey } from '@gatebook/js/project-keys';
import { Button, Group, Modal, Stack, Text } from '@mantine/core';
import { CopyField } from '../../components/copy-field.tsx';
import { keyKinds } from './kinds.ts';

type Props = { created: NewProjectKey | null; projectId: string; apiUrl: string; onClose: () => void };

/** The only time that the texts are shown; a click beside the dialog does not close it. */
export function NewKeyDialog({ created, projectId, apiUrl, onClose }: Props) {
  return (
    <Modal
      opened={created !== null}
      onClose={onClose}
      title="Copy your new key now"
      closeOnClickOutside={false}
      size="lg"
    >
      {created && (
        <Stack gap="md">
          <Text size="sm">It is shown this once. Only its last four characters can be read later.</Text>
          {keyKinds.flatMap(({ kind, name }) => {
            const text = created.texts[kind];
            return text === null ? [] : <CopyField key={kind} label={name} value={text} />;
          })}
          <CopyField label="Project id" value={projectId} />
          <CopyField label="API address" value={apiUrl} />
          <Group justify="flex-end">
            <Button onClick={onClose}>I have copied it</Button>
          </Group>
        </Stack>
      )}
    </Modal>
  );
}
