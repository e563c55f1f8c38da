import type { PermissionDefinition, PermissionScope } from '@gatebook/js/admin';
import { isKnownError } from '@gatebook/js/errors';
import { useAction } from '@gatebook/react';
import { t } from '@lingui/core/macro';
import { MultiSelect, TextInput } from '@mantine/core';
import { useForm } from '@mantine/form';
import { PreviewNote } from '../../components/changes/preview-note.tsx';
import { DialogForm } from '../../components/dialog-form.tsx';
import { FormDialog } from '../../components/form-dialog.tsx';

type Values = { id: string; description: string; containedPermissionIds: string[] };
type Props = {
  /** null when the dialog is closed. */
  edited: PermissionDefinition | 'new' | null;
  scope: PermissionScope;
  onClose: () => void;
  /** Definitions that it can contain; the edited one is filtered out. */
  others: readonly PermissionDefinition[];
  save: (values: Values) => Promise<void>;
};

export function PermissionDialog({ edited, onClose, ...form }: Props) {
  return (
    <FormDialog
      opened={edited !== null}
      onClose={onClose}
      title={edited === 'new' ? t`Create permission` : t`Edit permission`}
    >
      {edited !== null && <PermissionForm definition={edited === 'new' ? null : edited} onClose={onClose} {...form} />}
    </FormDialog>
  );
}

type FormProps = Omit<Props, 'edited'> & { definition: PermissionDefinition | null };

function PermissionForm({ scope, definition, onClose, others, save }: FormProps) {
  const form = useForm<Values>({
    initialValues: {
      id: definition?.id ?? '',
      description: definition?.description ?? '',
      containedPermissionIds: [...(definition?.containedPermissionIds ?? [])],
    },
    validate: {
      id: (id) => (/^[a-z0-9_:]+$/.test(id) ? null : t`Use lowercase letters, digits, _ and :`),
    },
  });
  const action = useAction(async (values: Values) => {
    try {
      await save(values);
    } catch (error) {
      if (!isKnownError(error, 'PERMISSION_ID_ALREADY_EXISTS')) throw error;
      form.setFieldError('id', t`A team or project permission with this ID already exists`);
      return false;
    }
  });
  return (
    <DialogForm
      form={form}
      action={action}
      submitLabel={definition ? t`Save` : t`Create permission`}
      onDone={onClose}
      onClose={onClose}
    >
      <TextInput
        label="ID"
        description={definition ? t`Existing grants follow the new ID.` : t`Your code checks for this ID.`}
        placeholder="edit_posts"
        data-autofocus
        {...form.getInputProps('id')}
      />
      <TextInput label={t`Description`} {...form.getInputProps('description')} />
      <MultiSelect
        label={t`Contains`}
        description={t`Users with this permission also have these.`}
        data={others.map(({ id }) => id).filter((id) => id !== definition?.id)}
        searchable
        {...form.getInputProps('containedPermissionIds')}
      />
      {definition && form.isDirty() && <ChangeNote scope={scope} definition={definition} values={form.values} />}
    </DialogForm>
  );
}

type ChangeNoteProps = { scope: PermissionScope; definition: PermissionDefinition; values: Values };

/** Who gains and loses what by the change. */
function ChangeNote({ scope, definition, values }: ChangeNoteProps) {
  const { id, description, containedPermissionIds } = values;
  const body = { id, description, contained_permission_ids: containedPermissionIds };
  return <PreviewNote call={{ method: 'PATCH', path: `/${scope}-permission-definitions/${definition.id}`, body }} />;
}
