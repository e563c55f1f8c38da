import type { Project, ProjectChanges } from '@gatebook/js/admin';
import { requiredFault } from '@gatebook/js/core';
import { useAction } from '@gatebook/react';
import { Group, Stack, Textarea, TextInput } from '@mantine/core';
import { useForm } from '@mantine/form';
import { useState } from 'react';
import { CopyField } from '../../components/copy-field.tsx';
import { SaveButton } from '../../components/save-button.tsx';
import { ErrorNote } from '../../components/states.tsx';
import { Writing } from '../../components/writing.tsx';

type Values = { displayName: string; description: string };

export function DetailsForm({ project, save }: { project: Project; save: (changes: ProjectChanges) => Promise<void> }) {
  const [isSaved, setSaved] = useState(false);
  const form = useForm<Values>({
    initialValues: { displayName: project.displayName, description: project.description },
    validate: { displayName: requiredFault('a name') },
  });
  const action = useAction(async (values: Values) => {
    await save(values);
    form.resetDirty(values);
    setSaved(true);
  });
  return (
    <Writing>
      <form onSubmit={form.onSubmit((values) => void action.run(values))}>
        <Stack gap="md" maw="32rem">
          <TextInput label="Name" {...form.getInputProps('displayName')} />
          <Textarea label="Description" autosize minRows={2} maxRows={6} {...form.getInputProps('description')} />
          <CopyField label="Project ID" value={project.id} />
          {action.error !== undefined && <ErrorNote error={action.error} />}
          <Group>
            <SaveButton isRunning={action.isRunning} isDirty={form.isDirty()} isSaved={isSaved} />
          </Group>
        </Stack>
      </form>
    </Writing>
  );
}
