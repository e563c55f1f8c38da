import type { CreateProjectKey, ProjectKeyKind } from '@gatebook/js/admin';
import { requiredFault } from '@gatebook/js/core';
import { useAction } from '@gatebook/react';
import { Checkbox, NativeSelect, Stack, TextInput } from '@mantine/core';
import { useForm } from '@mantine/form';
import { DialogButtons } from '../../components/dialog-buttons.tsx';
import { FormDialog } from '../../components/form-dialog.tsx';
import { daysFromNow, projectKeyLifetimes } from '../../lib/key-lifetimes.ts';
import { keyKinds } from './key-kinds.ts';

type Values = { description: string; kinds: ProjectKeyKind[]; days: string };
type Props = { isOpen: boolean; onClose: () => void; create: (input: CreateProjectKey) => Promise<void> };

export function CreateKeyDialog({ isOpen, onClose, create }: Props) {
  return (
    <FormDialog opened={isOpen} onClose={onClose} title="Create key">
      <CreateKeyForm onClose={onClose} create={create} />
    </FormDialog>
  );
}

function CreateKeyForm({ onClose, create }: Omit<Props, 'isOpen'>) {
  const form = useForm<Values>({
    initialValues: { description: '', kinds: ['publishableClientKey', 'secretServerKey'], days: '365' },
    validate: {
      description: requiredFault('a name'),
      kinds: (kinds) => (kinds.length === 0 ? 'Select at least one key type' : null),
    },
  });
  const action = useAction(async ({ description, kinds, days }: Values) => {
    await create({ description: description.trim(), kinds, expiresAt: daysFromNow(Number(days)) });
    onClose();
  });
  return (
    <form onSubmit={form.onSubmit((values) => void action.run(values))}>
      <Stack gap="md">
        <TextInput label="Name" placeholder="Website" data-autofocus {...form.getInputProps('description')} />
        <Checkbox.Group label="Key types" {...form.getInputProps('kinds')}>
          <Stack gap="xs" mt={6}>
            {keyKinds.map(({ kind, name, use }) => (
              <Checkbox key={kind} value={kind} label={name} description={use} />
            ))}
          </Stack>
        </Checkbox.Group>
        <NativeSelect label="Expires after" data={projectKeyLifetimes} {...form.getInputProps('days')} />
        <DialogButtons action={action} submitLabel="Create key" onClose={onClose} />
      </Stack>
    </form>
  );
}
