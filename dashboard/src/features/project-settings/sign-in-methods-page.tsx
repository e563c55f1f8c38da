import {
  callOfProjectUpdate,
  callOfSettingsUpdate,
  type Project,
  type ProjectChanges,
  type ProjectConfig,
  type ProjectSettings,
  type ProjectSettingsChanges,
} from '@gatebook/js/admin';
import { t } from '@lingui/core/macro';
import { Trans } from '@lingui/react/macro';
import { Stack, Text } from '@mantine/core';
import { AppLink } from '../../components/app-link.tsx';
import { DraftSwitch } from '../../components/drafts/draft-fields.tsx';
import { SaveBar } from '../../components/drafts/save-bar.tsx';
import { type Fields, useDraft } from '../../components/drafts/use-draft.ts';
import { labelsOf, pickSwitches, signInSwitches } from '../../components/project-switches.ts';
import { Card } from '../../components/states.tsx';
import { PresentOnly, Writing } from '../../components/writing.tsx';
import { PasswordMigration } from './password-migration.tsx';
import {
  LoadedSettings,
  SettingsHistory,
  SettingsPage,
  type SettingsPageProps,
  useProjectSettings,
} from './settings-page.tsx';

const pickSignInSwitches = (config: ProjectConfig) => pickSwitches(signInSwitches, config);
type Values = ReturnType<typeof pickSignInSwitches> & { anonymousSignUpEnabled: boolean };
const fields: Fields<Values> = {
  ...labelsOf(signInSwitches),
  anonymousSignUpEnabled: { label: t`Anonymous accounts` },
};

export function SignInMethodsPage(props: SettingsPageProps) {
  const { client, audit, projectId } = props;
  const { settings, ...writes } = useProjectSettings(props);
  return (
    <SettingsPage {...props} path="/settings/sign-in-methods">
      {(project) => (
        <LoadedSettings settings={settings}>
          {(loaded) => (
            <>
              <Methods audit={audit} project={project} settings={loaded} {...writes} />
              <Card
                title={t`Password migration`}
                labelId="password-migration-title"
                details={<SettingsHistory audit={audit} projectId={projectId} of="ProjectPasswordMigrationChanged" />}
              >
                <PresentOnly>
                  <PasswordMigration client={client} projectId={projectId} />
                </PresentOnly>
              </Card>
            </>
          )}
        </LoadedSettings>
      )}
    </SettingsPage>
  );
}

type MethodsProps = {
  audit: SettingsPageProps['audit'];
  project: Project;
  settings: ProjectSettings;
  update: (changes: ProjectChanges) => Promise<void>;
  updateSettings: (changes: ProjectSettingsChanges) => Promise<void>;
};

function Methods({ audit, project, settings, update, updateSettings }: MethodsProps) {
  const { anonymousSignUpEnabled } = settings;
  const draft = useDraft<Values>({ ...pickSignInSwitches(project.config), anonymousSignUpEnabled }, fields);
  const { anonymousSignUpEnabled: anonymous, ...config } = draft.changes;
  const hasConfig = Object.keys(config).length > 0;
  const changes = anonymous === undefined ? undefined : { anonymousSignUpEnabled: anonymous };
  return (
    <Writing>
      <Card
        title={t`Sign-up and sign-in`}
        labelId="sign-in-title"
        details={<SettingsHistory audit={audit} projectId={project.id} of="ProjectConfigChanged" />}
      >
        <Stack gap="md">
          {signInSwitches.map(({ name, description }) => (
            <DraftSwitch key={name} draft={draft} name={name} description={description} />
          ))}
          <DraftSwitch
            draft={draft}
            name="anonymousSignUpEnabled"
            description={t`Apps can create an account for users before they sign up.`}
          />
          <Text size="sm" c="dimmed">
            <Trans>
              Google, GitHub and others are on the page{' '}
              <AppLink href={`/projects/${project.id}/settings/providers`}>Providers</AppLink>.
            </Trans>
          </Text>
        </Stack>
      </Card>
      <SaveBar
        draft={draft}
        calls={[
          ...(hasConfig ? [callOfProjectUpdate({ config })] : []),
          ...(changes ? [callOfSettingsUpdate(changes)] : []),
        ]}
        save={async () => {
          if (hasConfig) await update({ config });
          if (changes) await updateSettings(changes);
        }}
      />
    </Writing>
  );
}
