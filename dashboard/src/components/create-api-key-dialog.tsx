import type { CreateApiKey } from '@gatebook/js/api-keys';
import { requiredFault } from '@gatebook/js/validation';
import { useAction } from '@gatebook/react/use-action';
import { Button, Group, Modal, NativeSelect, Stack, Text, TextInput } from '@mantine/core';
import { useForm } from '@mantine/form';
import { useState } from 'react';
import { daysFromNow, keyLives } from '../lib/key-lives.ts';
import { CopyField } from './copy-field.tsx';
import { ErrorNote } from './states.tsx';

const never = 'never';
const lives = [...keyLives, { value: never, label: 'Never' }];

type Props = {
  isOpen: boolean;
  onClose: () => void;
  /** @returns the text of the key, which is shown this once */
  create: (input: CreateApiKey) => Promise<string>;
};

/** Asks what the key is for, then shows its text; a click beside the dialog does not close it then. */
export function CreateApiKeyDialog({ isOpen, onClose, create }: Props) {
  const [text, setText] = useState<string | null>(null);
  const close = (): void => {
    setText(null);
    onClose();
  };
  return (
    <Modal
      opened={isOpen}
      onClose={close}
      title={text === null ? 'New API key' : 'Copy the API key now'}
      closeOnClickOutside={text === null}
      size="lg"
    >
      {text === null ? (
        <CreateForm onCancel={close} create={async (input) => setText(await create(input))} />
      ) : (
        <Stack gap="md">
          <Text size="sm">It is shown this once. Only its last four characters can be read later.</Text>
          <CopyField label="API key" value={text} />
          <Group justify="flex-end">
            <Button onClick={close}>I have copied it</Button>
          </Group>
        </Stack>
      )}
    </Modal>
  );
}

function CreateForm({ onCancel, create }: { onCancel: () => void; create: (input: CreateApiKey) => Promise<void> }) {
  const form = useForm({
    initialValues: { description: '', days: '365' },
    validate: { description: requiredFault('what it is for') },
  });
  const action = useAction(({ description, days }: typeof form.values) =>
    create({ description: description.trim(), expiresAt: days === never ? null : daysFromNow(Number(days)) }),
  );
  return (
    <form onSubmit={form.onSubmit((values) => void action.run(values))}>
      <Stack gap="md">
        <TextInput
          label="What is it for?"
          placeholder="Deployment"
          data-autofocus
          {...form.getInputProps('description')}
        />
        <NativeSelect label="Expires after" data={lives} {...form.getInputProps('days')} />
        {action.error !== undefined && <ErrorNote error={action.error} />}
        <Group justify="flex-end" gap="xs">
          <Button variant="default" onClick={onCancel}>
            Cancel
          </Button>
          <Button type="submit" loading={action.isRunning}>
            Create API key
          </Button>
        </Group>
      </Stack>
    </form>
  );
}
