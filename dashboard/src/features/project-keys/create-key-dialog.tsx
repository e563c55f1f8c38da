import type { CreateProjectKey, ProjectKeyKind } from '@gatebook/js/admin';
import { useAction } from '@gatebook/react';
import { t } from '@lingui/core/macro';
import { Checkbox, NativeSelect, Stack, TextInput } from '@mantine/core';
import { useForm } from '@mantine/form';
import { DialogForm } from '../../components/dialog-form.tsx';
import { FormDialog } from '../../components/form-dialog.tsx';
import { daysFromNow, projectKeyLifetimes } from '../../lib/key-lifetimes.ts';
import { required } from '../../lib/required.ts';
import { keyKinds } from './key-kinds.ts';

type Values = { description: string; kinds: ProjectKeyKind[]; days: string };
type Props = { isOpen: boolean; onClose: () => void; create: (input: CreateProjectKey) => Promise<void> };

export function CreateKeyDialog({ isOpen, onClose, create }: Props) {
  return (
    <FormDialog opened={isOpen} onClose={onClose} title={t`Create key`}>
      <CreateKeyForm onClose={onClose} create={create} />
    </FormDialog>
  );
}

function CreateKeyForm({ onClose, create }: Omit<Props, 'isOpen'>) {
  const form = useForm<Values>({
    initialValues: { description: '', kinds: ['publishableClientKey', 'secretServerKey'], days: '365' },
    validate: {
      description: required(t`Enter a name`),
      kinds: (kinds) => (kinds.length === 0 ? t`Select at least one key type` : null),
    },
  });
  const action = useAction(({ description, kinds, days }: Values) =>
    create({ description: description.trim(), kinds, expiresAt: daysFromNow(Number(days)) }),
  );
  return (
    <DialogForm form={form} action={action} submitLabel={t`Create key`} onDone={onClose} onClose={onClose}>
      <TextInput label={t`Name`} placeholder={t`Website`} data-autofocus {...form.getInputProps('description')} />
      <Checkbox.Group label={t`Key types`} {...form.getInputProps('kinds')}>
        <Stack gap="xs" mt={6}>
          {keyKinds.map(({ kind, name, use }) => (
            <Checkbox key={kind} value={kind} label={name} description={use} />
          ))}
        </Stack>
      </Checkbox.Group>
      <NativeSelect label={t`Expires after`} data={projectKeyLifetimes} {...form.getInputProps('days')} />
    </DialogForm>
  );
}
