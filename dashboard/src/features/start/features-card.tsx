import { callOfProjectUpdate, type ProjectConfig } from '@gatebook/js/admin';
import { t } from '@lingui/core/macro';
import { Trans } from '@lingui/react/macro';
import { SimpleGrid, Stack, Text } from '@mantine/core';
import { AppLink } from '../../components/app-link.tsx';
import { DraftSwitch } from '../../components/drafts/draft-fields.tsx';
import { SaveBar } from '../../components/drafts/save-bar.tsx';
import { useDraft } from '../../components/drafts/use-draft.ts';
import {
  labelsOf,
  pickSwitches,
  type SwitchName,
  type SwitchText,
  signInSwitches,
  userSwitches,
} from '../../components/project-switches.ts';
import { Card } from '../../components/states.tsx';

/** Off in a new project. */
const offAtFirst: ReadonlySet<SwitchName> = new Set<SwitchName>([
  'magicLinkEnabled',
  'passkeyEnabled',
  'clientTeamCreationEnabled',
  'createTeamOnSignUp',
  'allowUserApiKeys',
  'allowTeamApiKeys',
  'clientUserDeletionEnabled',
]);
export const features: readonly SwitchText[] = [...signInSwitches, ...userSwitches].filter(({ name }) =>
  offAtFirst.has(name),
);

type Props = {
  projectId: string;
  config: ProjectConfig;
  save: (config: Partial<Record<SwitchName, boolean>>) => Promise<void>;
};

export function FeaturesCard({ projectId, config, save }: Props) {
  const draft = useDraft(pickSwitches(features, config), labelsOf(features));
  return (
    <Card title={t`Turn on features`} labelId="features-title">
      <Stack gap="md">
        <Text size="sm" c="dimmed">
          <Trans>
            In a new project, users sign up with email and password only. Add Google and other OAuth providers in the{' '}
            <AppLink href={`/projects/${projectId}/settings/providers`}>settings</AppLink>.
          </Trans>
        </Text>
        <SimpleGrid cols={{ base: 1, sm: 2 }} spacing="xl" verticalSpacing="md">
          {features.map(({ name, description }) => (
            <DraftSwitch key={name} draft={draft} name={name} description={description} />
          ))}
        </SimpleGrid>
        <SaveBar draft={draft} calls={[callOfProjectUpdate({ config: draft.changes })]} save={save} />
      </Stack>
    </Card>
  );
}
