import type { ProjectConfig } from '@gatebook/js/admin';
import { useAction } from '@gatebook/react';
import { Group, MultiSelect, Stack } from '@mantine/core';
import { useForm } from '@mantine/form';
import { SaveButton } from '../../components/save-button.tsx';
import { ErrorNote } from '../../components/states.tsx';
import { Writing } from '../../components/writing.tsx';

type Values = {
  teamCreatorDefaultPermissions: string[];
  teamMemberDefaultPermissions: string[];
  userDefaultPermissions: string[];
};
type Props = {
  config: ProjectConfig;
  teamIds: readonly string[];
  projectIds: readonly string[];
  /** Passed from outside, because saving a configuration remounts the form. */
  isSaved: boolean;
  save: (config: Values) => Promise<void>;
};

/** Permissions that are granted automatically. Existing users and members are unchanged. */
export function DefaultsForm({ config, teamIds, projectIds, isSaved, save }: Props) {
  const form = useForm<Values>({
    initialValues: {
      teamCreatorDefaultPermissions: [...config.teamCreatorDefaultPermissions],
      teamMemberDefaultPermissions: [...config.teamMemberDefaultPermissions],
      userDefaultPermissions: [...config.userDefaultPermissions],
    },
  });
  const action = useAction(async (values: Values) => {
    await save(values);
    form.resetDirty(values);
  });
  return (
    <Writing>
      <form onSubmit={form.onSubmit((values) => void action.run(values))}>
        <Stack gap="md" maw="38rem">
          <MultiSelect
            label="Team creators get"
            data={[...teamIds]}
            searchable
            {...form.getInputProps('teamCreatorDefaultPermissions')}
          />
          <MultiSelect
            label="New members get"
            data={[...teamIds]}
            searchable
            {...form.getInputProps('teamMemberDefaultPermissions')}
          />
          <MultiSelect
            label="New users get"
            description="Project permissions. Existing users are unchanged."
            data={[...projectIds]}
            searchable
            {...form.getInputProps('userDefaultPermissions')}
          />
          <Group>
            <SaveButton isRunning={action.isRunning} isDirty={form.isDirty()} isSaved={isSaved} />
          </Group>
          {action.error !== undefined && <ErrorNote error={action.error} />}
        </Stack>
      </form>
    </Writing>
  );
}
