import { useAction } from '@gatebook/react/use-action';
import { Group, NumberInput, Stack } from '@mantine/core';
import { useForm } from '@mantine/form';
import { useState } from 'react';
import { SaveButton } from '../../components/save-button.tsx';
import { ErrorNote } from '../../components/states.tsx';

const maxDays = 90;

type Props = { graceDays: number; save: (graceDays: number) => Promise<unknown> };

/** An empty field means no grace period. */
export function DeletionForm({ graceDays, save }: Props) {
  const [isSaved, setSaved] = useState(false);
  const form = useForm<{ days: number | string }>({ initialValues: { days: graceDays } });
  const action = useAction(async ({ days }: { days: number | string }) => {
    await save(Number(days));
    form.resetDirty();
    setSaved(true);
  });
  return (
    <form onSubmit={form.onSubmit((values) => void action.run(values))}>
      <Stack gap="md" maw="40rem">
        <NumberInput
          label="Days until deleted users are erased"
          description="Until then, they can’t sign in, nobody sees them, their email addresses stay taken, and you can restore them. 0 erases them at once. Applies to users who are deleted from now on."
          min={0}
          max={maxDays}
          allowDecimal={false}
          allowNegative={false}
          {...form.getInputProps('days')}
        />
        {action.error !== undefined && <ErrorNote error={action.error} />}
        <Group>
          <SaveButton isRunning={action.isRunning} isDirty={form.isDirty()} isSaved={isSaved} />
        </Group>
      </Stack>
    </form>
  );
}
