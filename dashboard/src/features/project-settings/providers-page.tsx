import { callOfProjectUpdate, type MergeStrategy, type Project, type ProjectConfig } from '@gatebook/js/admin';
import { t } from '@lingui/core/macro';
import { NativeSelect } from '@mantine/core';
import { SaveBar } from '../../components/drafts/save-bar.tsx';
import { type Fields, useDraft } from '../../components/drafts/use-draft.ts';
import { Card } from '../../components/states.tsx';
import { PresentOnly, Writing } from '../../components/writing.tsx';
import { OpenIdProviders } from './openid-providers.tsx';
import { Providers } from './providers.tsx';
import { SettingsHistory, SettingsPage, type SettingsPageProps, useProjectSettings } from './settings-page.tsx';

type Strategy = { label: string; description: string };
const mergeStrategies: Readonly<Record<MergeStrategy, Strategy>> = {
  link_method: {
    label: t`Link to the existing account`,
    description: t`The user signs in to the existing account, and the provider is added to it. Both the provider and Gatebook must have verified the email; otherwise, sign-in is rejected.`,
  },
  raise_error: {
    label: t`Reject sign-in`,
    description: t`The user is told that an account with this email exists, and can connect the provider in the account settings.`,
  },
  allow_duplicates: {
    label: t`Create a separate account`,
    description: t`Both accounts have the email. Email codes and passwords still sign in to the first one.`,
  },
};
const strategies = Object.keys(mergeStrategies) as MergeStrategy[];

type Values = Pick<ProjectConfig, 'oauthAccountMergeStrategy'>;
const fields: Fields<Values> = {
  oauthAccountMergeStrategy: {
    label: t`If the email is already in use`,
    text: (strategy) => mergeStrategies[strategy].label,
  },
};

export function ProvidersPage(props: SettingsPageProps) {
  const { client, openIdProviders, audit, projectId, apiUrl } = props;
  const { update } = useProjectSettings(props);
  const history = <SettingsHistory audit={audit} projectId={projectId} of="ProjectConfigChanged" />;
  return (
    <SettingsPage
      {...props}
      path="/settings/providers"
      lead={t`Let users sign in with accounts that they already have.`}
    >
      {(project) => (
        <>
          <Card title={t`OAuth providers`} labelId="providers-title" flush details={history}>
            <Providers
              config={project.config}
              apiUrl={apiUrl}
              testProvider={client.testProvider}
              save={(config) => update({ config })}
            />
          </Card>
          <Card title={t`OpenID Connect providers`} labelId="openid-providers-title" flush details={history}>
            <PresentOnly p="lg">
              <OpenIdProviders
                testProvider={client.testProvider}
                client={openIdProviders}
                projectId={projectId}
                apiUrl={apiUrl}
              />
            </PresentOnly>
          </Card>
          <Accounts project={project} save={(config) => update({ config })} history={history} />
        </>
      )}
    </SettingsPage>
  );
}

type AccountsProps = {
  project: Project;
  history: React.ReactNode;
  save: (config: Partial<Values>) => Promise<void>;
};

function Accounts({ project, history, save }: AccountsProps) {
  const { oauthAccountMergeStrategy } = project.config;
  const draft = useDraft<Values>({ oauthAccountMergeStrategy }, fields);
  const chosen = draft.values.oauthAccountMergeStrategy;
  return (
    <Writing>
      <Card title={t`Accounts with the same email`} labelId="merge-title" details={history}>
        <NativeSelect
          label={fields.oauthAccountMergeStrategy.label}
          description={mergeStrategies[chosen].description}
          inputWrapperOrder={['label', 'input', 'description', 'error']}
          data={strategies.map((value) => ({ value, label: mergeStrategies[value].label }))}
          value={chosen}
          onChange={(event) => draft.set('oauthAccountMergeStrategy', event.currentTarget.value as MergeStrategy)}
          maw="30rem"
        />
      </Card>
      <SaveBar draft={draft} calls={[callOfProjectUpdate({ config: draft.changes })]} save={save} />
    </Writing>
  );
}
