import type { CreateApiKey } from '@gatebook/js/core';
import { useAction } from '@gatebook/react';
import { t } from '@lingui/core/macro';
import { Trans } from '@lingui/react/macro';
import { Button, Group, NativeSelect, Stack, Text, TextInput } from '@mantine/core';
import { useForm } from '@mantine/form';
import { useState } from 'react';
import { daysFromNow, keyLifetimes } from '../lib/key-lifetimes.ts';
import { required } from '../lib/required.ts';
import { CopyField } from './copy-field.tsx';
import { DialogForm } from './dialog-form.tsx';
import { FormDialog } from './form-dialog.tsx';
import { useMarkSaved } from './form-dialog-state.ts';

const never = 'never';
const lifetimes = [...keyLifetimes, { value: never, label: t`Never` }];

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
      title={secret === null ? t`Create API key` : t`Save your API key`}
      closeOnClickOutside={secret === null}
      size="lg"
    >
      {secret === null ? (
        <CreateForm onCancel={close} create={async (input) => setSecret(await create(input))} />
      ) : (
        <Stack gap="md">
          <Text size="sm">
            <Trans>Copy this key now. You won’t be able to see it again.</Trans>
          </Text>
          <CopyField label={t`API key`} value={secret} />
          <Group justify="flex-end">
            <Button onClick={close}>
              <Trans>Done, I’ve saved it</Trans>
            </Button>
          </Group>
        </Stack>
      )}
    </FormDialog>
  );
}

function CreateForm({ onCancel, create }: { onCancel: () => void; create: (input: CreateApiKey) => Promise<void> }) {
  const form = useForm({
    initialValues: { description: '', days: '365' },
    validate: { description: required(t`Enter a name`) },
  });
  const markSaved = useMarkSaved();
  const action = useAction(async ({ description, days }: typeof form.values) => {
    await create({ description: description.trim(), expiresAt: days === never ? null : daysFromNow(Number(days)) });
    markSaved();
  });
  return (
    <DialogForm form={form} action={action} submitLabel={t`Create API key`} onClose={onCancel}>
      <TextInput label={t`Name`} placeholder={t`Deployment`} data-autofocus {...form.getInputProps('description')} />
      <NativeSelect label={t`Expires after`} data={lifetimes} {...form.getInputProps('days')} />
    </DialogForm>
  );
}
