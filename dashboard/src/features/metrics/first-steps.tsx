import { callOfProjectUpdate, type Project, type ProjectClient, type ProjectConfig } from '@gatebook/js/admin';
import type { Resource } from '@gatebook/react';
import { SimpleGrid, Stack, Text } from '@mantine/core';
import { IconKey } from '@tabler/icons-react';
import type { ReactNode } from 'react';
import { AppLink, LinkButton } from '../../components/app-link.tsx';
import { CopyField } from '../../components/copy-field.tsx';
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
import classes from './overview-page.module.css';

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
  client: Pick<ProjectClient, 'update'>;
  project: Resource<Project>;
  projectId: string;
  apiUrl: string;
};

/** Setup steps for a project that has no users yet. */
export function FirstSteps({ client, project, projectId, apiUrl }: Props) {
  return (
    <Card title="Get started" labelId="first-steps-title">
      <ol className={classes.steps}>
        <Step number={1} title="Connect your app">
          <Stack gap="sm">
            <CopyField
              label="Next.js: .env.local"
              value={`NEXT_PUBLIC_STACK_API_URL=${apiUrl}\nNEXT_PUBLIC_STACK_PROJECT_ID=${projectId}`}
            />
            <CopyField
              label="Vite: .env.local"
              value={`VITE_GATEBOOK_URL=${apiUrl}\nVITE_GATEBOOK_PROJECT_ID=${projectId}`}
            />
          </Stack>
        </Step>
        <Step number={2} title="Create a key for your servers">
          <Text size="sm" c="dimmed" mb="sm">
            Servers authenticate with a secret server key. Apps in the browser need no key, unless your settings require
            a publishable key.
          </Text>
          <LinkButton
            href={`/projects/${projectId}/settings/keys?new=1`}
            size="xs"
            leftSection={<IconKey size={14} aria-hidden />}
          >
            Create key
          </LinkButton>
        </Step>
        <Step number={3} title="Turn on features" isWide>
          <Text size="sm" c="dimmed" mb="md">
            In a new project, users sign up with email and password only. Add Google and other OAuth providers in the{' '}
            <AppLink href={`/projects/${projectId}/settings/providers`}>settings</AppLink>.
          </Text>
          {project.value && (
            <Features
              config={project.value.config}
              save={async (config) => {
                await client.update({ config });
                await project.refresh();
              }}
            />
          )}
        </Step>
      </ol>
    </Card>
  );
}

type FeaturesProps = { config: ProjectConfig; save: (config: Partial<Record<SwitchName, boolean>>) => Promise<void> };

function Features({ config, save }: FeaturesProps) {
  const draft = useDraft(pickSwitches(features, config), labelsOf(features));
  return (
    <Stack gap="md">
      <SimpleGrid cols={{ base: 1, sm: 2 }} spacing="xl" verticalSpacing="md">
        {features.map(({ name, description }) => (
          <DraftSwitch key={name} draft={draft} name={name} description={description} />
        ))}
      </SimpleGrid>
      <SaveBar draft={draft} calls={[callOfProjectUpdate({ config: draft.changes })]} save={save} />
    </Stack>
  );
}

type StepProps = { number: number; title: string; isWide?: boolean; children: ReactNode };

function Step({ number, title, isWide = false, children }: StepProps) {
  return (
    <li className={isWide ? `${classes.step} ${classes.wideStep}` : classes.step}>
      <div className={classes.stepHead}>
        <span className={classes.stepNumber}>{number}</span>
        {title}
      </div>
      {children}
    </li>
  );
}
