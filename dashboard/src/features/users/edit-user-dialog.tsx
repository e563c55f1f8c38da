import type { User, UserChanges } from '@gatebook/js/admin';
import { emailFault } from '@gatebook/js/core';
import { isKnownError } from '@gatebook/js/errors';
import { useAction } from '@gatebook/react';
import { Checkbox, JsonInput, Modal, Stack, TextInput } from '@mantine/core';
import { useForm } from '@mantine/form';
import { DialogButtons } from '../../components/dialog-buttons.tsx';
import { formatCount } from '../../lib/format.ts';

/** Of one field of metadata, as the API limits it. */
const MAX_BYTES = 65_536;

type Values = {
  displayName: string;
  email: string;
  isVerified: boolean;
  canSignIn: boolean;
  clientMetadata: string;
  clientReadOnlyMetadata: string;
  serverMetadata: string;
};
type Props = { isOpen: boolean; onClose: () => void; user: User; update: (changes: UserChanges) => Promise<void> };

export function EditUserDialog({ isOpen, onClose, user, update }: Props) {
  return (
    <Modal opened={isOpen} onClose={onClose} title="Edit user">
      <EditUserForm onClose={onClose} user={user} update={update} />
    </Modal>
  );
}

function EditUserForm({ onClose, user, update }: Omit<Props, 'isOpen'>) {
  const form = useForm<Values>({
    initialValues: {
      displayName: user.displayName ?? '',
      email: user.primaryEmail ?? '',
      isVerified: user.primaryEmailVerified,
      canSignIn: user.primaryEmailAuthEnabled,
      clientMetadata: jsonText(user.clientMetadata),
      clientReadOnlyMetadata: jsonText(user.clientReadOnlyMetadata),
      serverMetadata: jsonText(user.serverMetadata),
    },
    validate: {
      email: (email) => (email.trim() === '' ? null : emailFault(email)),
      clientMetadata: validateJson,
      clientReadOnlyMetadata: validateJson,
      serverMetadata: validateJson,
    },
  });
  const hasEmail = form.values.email.trim() !== '';
  const action = useAction(async (values: Values) => {
    try {
      await update(changesOf(user, values));
    } catch (error) {
      if (!isKnownError(error, 'USER_EMAIL_ALREADY_EXISTS')) throw error;
      form.setFieldError('email', 'Another user already signs in with this email');
      return;
    }
    onClose();
  });
  return (
    <form onSubmit={form.onSubmit((values) => void action.run(values))} noValidate>
      <Stack gap="md">
        <TextInput label="Name" autoComplete="off" data-autofocus {...form.getInputProps('displayName')} />
        <TextInput label="Email" type="email" autoComplete="off" {...form.getInputProps('email')} />
        <Checkbox
          label="Email verified"
          disabled={!hasEmail}
          {...form.getInputProps('isVerified', { type: 'checkbox' })}
        />
        <Checkbox
          label="Can sign in with this email"
          disabled={!hasEmail}
          {...form.getInputProps('canSignIn', { type: 'checkbox' })}
        />
        {metadataFields.map(({ name, ...texts }) => (
          <JsonInput
            key={name}
            {...texts}
            formatOnBlur
            autosize
            minRows={2}
            maxRows={10}
            {...form.getInputProps(name)}
          />
        ))}
        <DialogButtons action={action} submitLabel="Save" onClose={onClose} />
      </Stack>
    </form>
  );
}

const metadataFields = [
  { name: 'clientMetadata', label: 'Client metadata', description: 'JSON that the user’s browser can read and write' },
  {
    name: 'clientReadOnlyMetadata',
    label: 'Client read-only metadata',
    description: 'JSON that the user’s browser can read',
  },
  { name: 'serverMetadata', label: 'Server metadata', description: 'JSON that only servers can see' },
] as const;

/** Only the changed fields, so that concurrent changes to other fields are kept. */
function changesOf(user: User, values: Values): UserChanges {
  const displayName = values.displayName.trim() || null;
  const email = values.email.trim() || null;
  const isEmailNew = email !== user.primaryEmail;
  return {
    ...(displayName !== user.displayName && { displayName }),
    ...(isEmailNew && { primaryEmail: email }),
    ...(email !== null &&
      (isEmailNew || values.isVerified !== user.primaryEmailVerified) && { primaryEmailVerified: values.isVerified }),
    ...(email !== null &&
      (isEmailNew || values.canSignIn !== user.primaryEmailAuthEnabled) && {
        primaryEmailAuthEnabled: values.canSignIn,
      }),
    ...Object.fromEntries(
      metadataFields
        .filter(({ name }) => values[name] !== jsonText(user[name]))
        .map(({ name }) => [name, fromJson(values[name])]),
    ),
  };
}

function jsonText(value: unknown): string {
  return value === null || value === undefined ? '' : JSON.stringify(value, null, 2);
}

function fromJson(text: string) {
  return text.trim() === '' ? null : JSON.parse(text);
}

function validateJson(text: string): string | null {
  let value: unknown;
  try {
    value = fromJson(text);
  } catch (error) {
    return `Enter valid JSON. ${error instanceof Error ? error.message : ''}`;
  }
  const bytes = new TextEncoder().encode(JSON.stringify(value)).length;
  return bytes > MAX_BYTES ? `Shorten this to ${formatCount(MAX_BYTES)} bytes. It has ${formatCount(bytes)}.` : null;
}
