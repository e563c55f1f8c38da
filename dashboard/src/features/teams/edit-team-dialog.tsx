import type { Team, TeamChanges } from '@gatebook/js/admin';
import { useAction } from '@gatebook/react';
import { t } from '@lingui/core/macro';
import { Trans } from '@lingui/react/macro';
import { Button, FileButton, Group, Text, TextInput } from '@mantine/core';
import { useForm } from '@mantine/form';
import { useState } from 'react';
import { DialogForm } from '../../components/dialog-form.tsx';
import { FormDialog } from '../../components/form-dialog.tsx';
import { required } from '../../lib/required.ts';
import { TeamImage } from './team-image.tsx';

/** So that lists of teams stay quick for the apps that load them. */
const MAX_IMAGE_BYTES = 100_000;

type Values = { displayName: string; image: string };
type Props = { isOpen: boolean; onClose: () => void; team: Team; update: (changes: TeamChanges) => Promise<unknown> };

export function EditTeamDialog({ isOpen, onClose, ...form }: Props) {
  return (
    <FormDialog opened={isOpen} onClose={onClose} title={t`Edit team`}>
      <EditTeamForm onClose={onClose} {...form} />
    </FormDialog>
  );
}

function EditTeamForm({ onClose, team: latest, update }: Omit<Props, 'isOpen'>) {
  // A change by somebody else meanwhile is not one of this form.
  const [team] = useState(latest);
  const form = useForm<Values>({
    initialValues: { displayName: team.displayName, image: team.profileImageUrl ?? '' },
    validate: {
      displayName: required(t`Enter a name`),
      image: (image) => (image.trim() === '' || URL.canParse(image) ? null : t`Enter a complete URL`),
    },
  });
  const { image } = form.values;
  const isUploaded = image.startsWith('data:');
  const action = useAction((values: Values) => update(changesOf(team, values)));
  const upload = async (file: File | null): Promise<void> => {
    if (file === null) return;
    if (file.size > MAX_IMAGE_BYTES) form.setFieldError('image', t`Choose an image of at most 100 kB`);
    else form.setFieldValue('image', await readAsUrl(file));
  };
  return (
    <DialogForm form={form} action={action} submitLabel={t`Save`} onDone={onClose} onClose={onClose}>
      <TextInput label={t`Name`} data-autofocus {...form.getInputProps('displayName')} />
      <TextInput
        label={t`Image URL`}
        description={t`Your app shows it. The dashboard shows uploaded images only.`}
        {...form.getInputProps('image')}
        {...(isUploaded && { value: t`Uploaded image`, readOnly: true })}
      />
      <Group gap="xs">
        <TeamImage team={{ ...team, profileImageUrl: image }} />
        <FileButton accept="image/png,image/jpeg,image/webp,image/gif" onChange={(file) => void upload(file)}>
          {(button) => (
            <Button size="xs" variant="default" {...button}>
              <Trans>Upload image</Trans>
            </Button>
          )}
        </FileButton>
        {image !== '' && (
          <Button size="xs" variant="subtle" color="red" onClick={() => form.setFieldValue('image', '')}>
            <Trans>Remove image</Trans>
          </Button>
        )}
        <Text size="xs" c="dimmed">
          <Trans>At most 100 kB</Trans>
        </Text>
      </Group>
    </DialogForm>
  );
}

/** Only the changed fields, so that concurrent changes to other fields are kept. */
function changesOf(team: Team, values: Values): TeamChanges {
  const displayName = values.displayName.trim();
  const profileImageUrl = values.image.trim() || null;
  return {
    ...(displayName !== team.displayName && { displayName }),
    ...(profileImageUrl !== team.profileImageUrl && { profileImageUrl }),
  };
}

function readAsUrl(file: File): Promise<string> {
  return new Promise((resolve, reject) => {
    const reader = new FileReader();
    reader.onload = () => resolve(String(reader.result));
    reader.onerror = () => reject(reader.error);
    reader.readAsDataURL(file);
  });
}
