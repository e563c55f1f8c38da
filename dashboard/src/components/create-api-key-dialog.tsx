import type { CreateApiKey } from '@gatebook/js/core';
import { useAction } from '@gatebook/react';
import { t } from '@lingui/core/macro';
import { NativeSelect, TextInput } from '@mantine/core';
import { useForm } from '@mantine/form';
import { apiKeyLifetimes, expiryOfApiKey } from '../lib/key-lifetimes.ts';
import { required } from '../lib/required.ts';
import { DialogForm } from './dialog-form.tsx';
import { useMarkSaved } from './form-dialog-state.ts';
import { NewApiKeyDialog } from './new-api-key-dialog.tsx';

type Props = {
  isOpen: boolean;
  onClose: () => void;
  /** @returns the secret key, which is shown only once */
  create: (input: CreateApiKey) => Promise<string>;
};

/** Creates a key, then shows it once. */
export function CreateApiKeyDialog({ isOpen, onClose, create }: Props) {
  return (
    <NewApiKeyDialog isOpen={isOpen} onClose={onClose} title={t`Create API key`}>
      {(show, close) => <CreateForm onCancel={close} create={async (input) => show(await create(input))} />}
    </NewApiKeyDialog>
  );
}

function CreateForm({ onCancel, create }: { onCancel: () => void; create: (input: CreateApiKey) => Promise<void> }) {
  const form = useForm({
    initialValues: { description: '', lifetime: '365' },
    validate: { description: required(t`Enter a name`) },
  });
  const markSaved = useMarkSaved();
  const action = useAction(async ({ description, lifetime }: typeof form.values) => {
    await create({ description: description.trim(), expiresAt: expiryOfApiKey(lifetime) });
    markSaved();
  });
  return (
    <DialogForm form={form} action={action} submitLabel={t`Create API key`} onClose={onCancel}>
      <TextInput label={t`Name`} placeholder={t`Deployment`} data-autofocus {...form.getInputProps('description')} />
      <NativeSelect label={t`Expires after`} data={apiKeyLifetimes} {...form.getInputProps('lifetime')} />
    </DialogForm>
  );
}
