import type { ProjectConfig } from '@gatebook/js/projects';
import { useAction } from '@gatebook/react/use-action';
import { Group, MultiSelect, Stack } from '@mantine/core';
import { useForm } from '@mantine/form';
import { SaveButton } from '../../components/save-button.tsx';
import { ErrorNote } from '../../components/states.tsx';

type Values = {
  teamCreatorDefaultPermissions: string[];
  teamMemberDefaultPermissions: string[];
  userDefaultPermissions: string[];
};
type Props = {
  config: ProjectConfig;
  teamIds: readonly string[];
  projectIds: readonly string[];
  /** Told from outside, since a saved configuration begins a new form. */
  isSaved: boolean;
  save: (config: Values) => Promise<void>;
};

/** What is granted by itself; who is there already keeps what they have. */
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
    <form onSubmit={form.onSubmit((values) => void action.run(values))}>
      <Stack gap="md" maw="38rem">
        <MultiSelect
          label="Who creates a team"
          data={[...teamIds]}
          searchable
          {...form.getInputProps('teamCreatorDefaultPermissions')}
        />
        <MultiSelect
          label="Who joins a team"
          data={[...teamIds]}
          searchable
          {...form.getInputProps('teamMemberDefaultPermissions')}
        />
        <MultiSelect
          label="Every new user"
          description="Permissions of the project; who has an account already keeps what they have."
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
  );
}
