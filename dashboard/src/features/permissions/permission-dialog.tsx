import { isKnownError } from '@gatebook/js/errors';
import type { PermissionDefinition } from '@gatebook/js/permissions';
import { useAction } from '@gatebook/react/use-action';
import { Button, Group, Modal, MultiSelect, Stack, TextInput } from '@mantine/core';
import { useForm } from '@mantine/form';
import { ErrorNote } from '../../components/states.tsx';

type Values = { id: string; description: string; containedPermissionIds: string[] };
type Props = {
  /** null: closed. */
  edited: PermissionDefinition | 'new' | null;
  onClose: () => void;
  /** What it may contain; itself is left out. */
  others: readonly PermissionDefinition[];
  save: (values: Values) => Promise<void>;
};

export function PermissionDialog({ edited, onClose, others, save }: Props) {
  return (
    <Modal opened={edited !== null} onClose={onClose} title={edited === 'new' ? 'New permission' : 'Edit permission'}>
      {edited !== null && (
        <PermissionForm definition={edited === 'new' ? null : edited} onClose={onClose} others={others} save={save} />
      )}
    </Modal>
  );
}

type FormProps = Omit<Props, 'edited'> & { definition: PermissionDefinition | null };

function PermissionForm({ definition, onClose, others, save }: FormProps) {
  const form = useForm<Values>({
    initialValues: {
      id: definition?.id ?? '',
      description: definition?.description ?? '',
      containedPermissionIds: [...(definition?.containedPermissionIds ?? [])],
    },
    validate: {
      id: (id) => (/^[a-z0-9_:]+$/.test(id) ? null : 'Use lower-case letters, digits, _ and :'),
    },
  });
  const action = useAction(async (values: Values) => {
    try {
      await save(values);
      onClose();
    } catch (error) {
      if (!isKnownError(error, 'PERMISSION_ID_ALREADY_EXISTS')) throw error;
      form.setFieldError('id', 'This id is taken, in teams or in the project');
    }
  });
  return (
    <form onSubmit={form.onSubmit((values) => void action.run(values))}>
      <Stack gap="md">
        <TextInput
          label="Id"
          description={definition ? 'A new id reaches everybody who was granted it.' : 'What your code asks for.'}
          placeholder="edit_posts"
          data-autofocus
          {...form.getInputProps('id')}
        />
        <TextInput label="Description" {...form.getInputProps('description')} />
        <MultiSelect
          label="Contains"
          description="Whoever is granted this may do these too."
          data={others.map(({ id }) => id).filter((id) => id !== definition?.id)}
          searchable
          {...form.getInputProps('containedPermissionIds')}
        />
        {action.error !== undefined && <ErrorNote error={action.error} />}
        <Group justify="flex-end" gap="xs">
          <Button variant="default" onClick={onClose}>
            Cancel
          </Button>
          <Button type="submit" loading={action.isRunning}>
            {definition ? 'Save' : 'Create permission'}
          </Button>
        </Group>
      </Stack>
    </form>
  );
}
