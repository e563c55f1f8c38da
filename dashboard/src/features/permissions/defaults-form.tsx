import { callOfProjectUpdate, type ProjectConfig } from '@gatebook/js/admin';
import { t } from '@lingui/core/macro';
import { Stack } from '@mantine/core';
import { SaveBar } from '../../components/drafts/save-bar.tsx';
import { type Fields, useDraft } from '../../components/drafts/use-draft.ts';
import { LateMultiSelect } from '../../components/late-select.tsx';
import { Writing } from '../../components/writing.tsx';

type Values = Pick<
  ProjectConfig,
  'teamCreatorDefaultPermissions' | 'teamMemberDefaultPermissions' | 'userDefaultPermissions'
>;
type Props = {
  config: ProjectConfig;
  teamIds: readonly string[];
  projectIds: readonly string[];
  save: (config: Partial<Values>) => Promise<void>;
};

const text = (ids: readonly string[]): string => ids.join(', ') || t`none`;
const fields: Fields<Values> = {
  teamCreatorDefaultPermissions: { label: t`Team creators get`, text },
  teamMemberDefaultPermissions: { label: t`New members get`, text },
  userDefaultPermissions: { label: t`New users get`, text },
};

/** Permissions that are granted automatically. Existing users and members are unchanged. */
export function DefaultsForm({ config, teamIds, projectIds, save }: Props) {
  const { teamCreatorDefaultPermissions, teamMemberDefaultPermissions, userDefaultPermissions } = config;
  const saved = { teamCreatorDefaultPermissions, teamMemberDefaultPermissions, userDefaultPermissions };
  const draft = useDraft<Values>(saved, fields);
  const select = (name: keyof Values, ids: readonly string[]) => ({
    label: fields[name].label,
    data: [...ids],
    value: [...draft.values[name]],
    onChange: (value: string[]) => draft.set(name, value),
  });
  return (
    <Writing>
      <Stack gap="md" maw="38rem">
        <LateMultiSelect {...select('teamCreatorDefaultPermissions', teamIds)} />
        <LateMultiSelect {...select('teamMemberDefaultPermissions', teamIds)} />
        <LateMultiSelect
          description={t`Project permissions. Existing users are unchanged.`}
          {...select('userDefaultPermissions', projectIds)}
        />
        <SaveBar draft={draft} calls={[callOfProjectUpdate({ config: draft.changes })]} save={save} />
      </Stack>
    </Writing>
  );
}
