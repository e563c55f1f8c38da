import type { Project, ProjectClient, ProjectKeysClient, ProjectSettings } from '@gatebook/js/admin';
import type { EventMethods } from '@gatebook/js/events';
import { type Resource, useResource } from '@gatebook/react';
import { t } from '@lingui/core/macro';
import { Trans } from '@lingui/react/macro';
import { IconDatabaseImport } from '@tabler/icons-react';
import { LinkButton } from '../../components/app-link.tsx';
import { Page } from '../../components/page.tsx';
import { SetupChecklist } from '../../components/setup-checklist.tsx';
import { BlockLoading, ErrorNote } from '../../components/states.tsx';
import { useTitle } from '../../lib/use-title.ts';
import { ConnectCard } from './connect-card.tsx';
import { FeaturesCard } from './features-card.tsx';
import { FirstRequest } from './first-request.tsx';
import { FirstSignUp } from './first-sign-up.tsx';
import classes from './start.module.css';

type Props = {
  client: Pick<ProjectClient, 'update' | 'findSettings'>;
  keys: Pick<ProjectKeysClient, 'create' | 'findFirstRequest'>;
  events: Pick<EventMethods, 'listEvents' | 'followEvents'>;
  project: Resource<Project>;
  projectId: string;
  apiUrl: string;
  version: string;
};

/** From an empty project to the first request and the first sign-up in an app. */
export function StartPage({ client, keys, events, project, projectId, apiUrl, version }: Props) {
  useTitle(t`Get started`, project.value?.displayName);
  const settings = useResource(['project-settings', projectId], client.findSettings);
  return (
    <Page
      title={t`Get started`}
      lead={t`Connect your app, see the first request and sign-up arrive, and prepare for production.`}
      actions={
        <LinkButton
          href={`/projects/${projectId}/import`}
          variant="default"
          leftSection={<IconDatabaseImport size={16} aria-hidden />}
        >
          <Trans>Import users</Trans>
        </LinkButton>
      }
    >
      {project.error !== undefined && (
        <ErrorNote title={t`The project could not be loaded`} error={project.error} onRetry={project.refresh} />
      )}
      <div className={classes.columns}>
        <div className={classes.main}>
          {project.error === undefined && (
            <Connect {...{ keys, projectId, apiUrl, version, settings }} canSignUp={project.value?.config} />
          )}
          <FirstRequest
            key={`request ${projectId}`}
            keys={keys}
            projectId={projectId}
            hasUsers={(project.value?.userCount ?? 0) > 0}
          />
          <FirstSignUp
            key={projectId}
            events={events}
            projectId={projectId}
            canTry={settings.value?.keylessClientsAllowed === true && project.value?.config.signUpEnabled === true}
            onFound={project.refresh}
          />
        </div>
        {project.value ? (
          <SetupChecklist project={project.value} />
        ) : (
          project.error === undefined && <BlockLoading height={300} label={t`Loading steps`} />
        )}
      </div>
      {project.value && (
        <FeaturesCard
          projectId={projectId}
          config={project.value.config}
          save={async (config) => {
            await client.update({ config });
            await project.refresh();
          }}
        />
      )}
    </Page>
  );
}

type ConnectProps = Pick<Props, 'keys' | 'projectId' | 'apiUrl' | 'version'> & {
  settings: Resource<ProjectSettings>;
  canSignUp: { signUpEnabled: boolean; credentialEnabled: boolean } | undefined;
};

/** The code depends on whether the project accepts clients without a key. */
function Connect({ settings, canSignUp, ...values }: ConnectProps) {
  if (settings.error !== undefined) {
    return <ErrorNote title={t`The settings could not be loaded`} error={settings.error} onRetry={settings.refresh} />;
  }
  if (!settings.value || !canSignUp) return <BlockLoading height={480} label={t`Loading code`} resizes />;
  return (
    <ConnectCard
      {...values}
      needsPublishableKey={!settings.value.keylessClientsAllowed}
      isSignUpClosed={!canSignUp.signUpEnabled || !canSignUp.credentialEnabled}
    />
  );
}
