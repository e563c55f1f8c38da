import { useAction } from '@gatebook/react';
import { Group, NumberInput, Stack } from '@mantine/core';
import { useForm } from '@mantine/form';
import { useState } from 'react';
import { SaveButton } from '../../components/save-button.tsx';
import { ErrorNote } from '../../components/states.tsx';
import { Writing } from '../../components/writing.tsx';

type Values = { days: number | string };
type Props = {
  label: string;
  description: string;
  min: number;
  max: number;
  days: number;
  save: (days: number) => Promise<void>;
};

/** A setting that is a number of days. */
export function DaysForm({ label, description, min, max, days, save }: Props) {
  const [isSaved, setSaved] = useState(false);
  const form = useForm<Values>({
    initialValues: { days },
    validate: { days: (value) => (value === '' ? 'Enter a number of days' : null) },
  });
  const action = useAction(async (values: Values) => {
    await save(Number(values.days));
    form.resetDirty(values);
    setSaved(true);
  });
  return (
    <Writing>
      <form onSubmit={form.onSubmit((values) => void action.run(values))}>
        <Stack gap="md" maw="32rem">
          <NumberInput
            label={label}
            description={description}
            min={min}
            max={max}
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
    </Writing>
  );
}
