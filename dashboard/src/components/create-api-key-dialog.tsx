import { type CreateApiKey, requiredFault } from '@gatebook/js/core';
import { useAction } from '@gatebook/react';
import { Button, Group, NativeSelect, Stack, Text, TextInput } from '@mantine/core';
import { useForm } from '@mantine/form';
import { useState } from 'react';
import { daysFromNow, keyLifetimes } from '../lib/key-lifetimes.ts';
import { CopyField } from './copy-field.tsx';
import { DialogButtons } from './dialog-buttons.tsx';
import { FormDialog, useMarkSaved } from './form-dialog.tsx';

const never = 'never';
const lifetimes = [...keyLifetimes, { value: never, label: 'Never' }];

type Props = {
  isOpen: boolean;
  onClose: () => void;
  /** @returns the secret key, which is shown only once */
  create: (input: CreateApiKey) => Promise<string>;
};

/** Creates a key, then shows it once. Clicking outside the dialog does not close it while the key is shown. */
export function CreateApiKeyDialog({ isOpen, onClose, create }: Props) {
  const [secret, setSecret] = useState<string | null>(null);
  const close = (): void => {
    setSecret(null);
    onClose();
  };
  return (
    <FormDialog
      opened={isOpen}
      onClose={close}
      title={secret === null ? 'Create API key' : 'Save your API key'}
      closeOnClickOutside={secret === null}
      size="lg"
    >
      {secret === null ? (
        <CreateForm onCancel={close} create={async (input) => setSecret(await create(input))} />
      ) : (
        <Stack gap="md">
          <Text size="sm">Copy this key now. You won’t be able to see it again.</Text>
          <CopyField label="API key" value={secret} />
          <Group justify="flex-end">
            <Button onClick={close}>Done, I’ve saved it</Button>
          </Group>
        </Stack>
      )}
    </FormDialog>
  );
}

function CreateForm({ onCancel, create }: { onCancel: () => void; create: (input: CreateApiKey) => Promise<void> }) {
  const form = useForm({
    initialValues: { description: '', days: '365' },
    validate: { description: requiredFault('a name') },
  });
  const markSaved = useMarkSaved();
  const action = useAction(async ({ description, days }: typeof form.values) => {
    await create({ description: description.trim(), expiresAt: days === never ? null : daysFromNow(Number(days)) });
    markSaved();
  });
  return (
    <form onSubmit={form.onSubmit((values) => void action.run(values))}>
      <Stack gap="md">
        <TextInput label="Name" placeholder="Deployment" data-autofocus {...form.getInputProps('description')} />
        <NativeSelect label="Expires after" data={lifetimes} {...form.getInputProps('days')} />
        <DialogButtons action={action} submitLabel="Create API key" onClose={onCancel} />
      </Stack>
    </form>
  );
}
