import type { AuditClient, OpenIdProvidersClient, Project, ProjectClient } from '@gatebook/js/admin';
import { type Resource, useResource, useResourceCache } from '@gatebook/react';
import { Button, Stack, Text } from '@mantine/core';
import { useEffect, useState } from 'react';
import { HistoryButton } from '../../components/audit/history-button.tsx';
import { ConfirmDialog } from '../../components/confirm-dialog.tsx';
import { Page } from '../../components/page.tsx';
import { Switches, signInSwitches, userSwitches } from '../../components/project-switches.tsx';
import { BlockLoading, Card, ErrorNote } from '../../components/states.tsx';
import { PresentOnly, Writing } from '../../components/writing.tsx';
import { useNavigation } from '../../lib/navigation.ts';
import { useTitle } from '../../lib/use-title.ts';
import { DaysForm } from './days-form.tsx';
import { DetailsForm } from './details-form.tsx';
import { DomainsForm } from './domains-form.tsx';
import { OpenIdProviders } from './openid-providers.tsx';
import { PasswordMigration } from './password-migration.tsx';
import { ProductionMode } from './production-mode.tsx';
import { Providers } from './providers.tsx';
import { QuotasForm } from './quotas-form.tsx';
import { SecuritySwitches } from './security-switches.tsx';

type Clients = { client: ProjectClient; openIdProviders: OpenIdProvidersClient; audit: AuditClient };
type Props = Clients & { project: Resource<Project>; apiUrl: string; startsAtDomains?: boolean };

export function ProjectSettingsPage({ project, apiUrl, startsAtDomains = false, ...clients }: Props) {
  useTitle('Settings', project.value?.displayName);
  const isLoaded = project.value !== undefined;
  useEffect(() => {
    if (!startsAtDomains || !isLoaded) return;
    // Wait for the shell, which scrolls each new page to the top.
    const frame = requestAnimationFrame(() => document.getElementById('domains-title')?.scrollIntoView());
    return () => cancelAnimationFrame(frame);
  }, [startsAtDomains, isLoaded]);
  return (
    <Page title="Settings" isNarrow>
      {project.error !== undefined && (
        <ErrorNote
          title="The project could not be loaded"
          error={project.error}
          onRetry={project.refresh}
          isRetrying={project.isFetching}
        />
      )}
      {project.value === undefined && project.error === undefined && (
        <BlockLoading height={420} label="Loading settings" />
      )}
      {project.value && <Settings {...clients} project={project.value} apiUrl={apiUrl} refresh={project.refresh} />}
    </Page>
  );
}

/** What events of a type change. A section shows the history of all that is stored together with it. */
const sections = {
  ProjectDetailsChanged: 'project details',
  ProjectConfigChanged: 'configuration',
  ProjectSettingsChanged: 'security settings, deletion and quotas',
  ProjectPasswordMigrationChanged: 'password migration',
} as const;

type SettingsProps = Clients & { project: Project; apiUrl: string; refresh: () => Promise<void> };

function Settings({ client, openIdProviders, audit, project, apiUrl, refresh }: SettingsProps) {
  const cache = useResourceCache();
  const { go } = useNavigation();
  const [isDeleting, setDeleting] = useState(false);
  const settings = useResource(['project-settings', project.id], client.findSettings);
  const changeSettings = async (changes: Parameters<ProjectClient['updateSettings']>[0]): Promise<void> => {
    await client.updateSettings(changes);
    await settings.refresh();
  };
  const update = async (changes: Parameters<ProjectClient['update']>[0]): Promise<void> => {
    await client.update(changes);
    await Promise.all([refresh(), cache.invalidate(['projects'])]);
  };
  const historyOf = (events: keyof typeof sections) => (
    <HistoryButton
      audit={audit}
      projectId={project.id}
      name={sections[events]}
      filters={{ type: events, targetType: 'project', targetId: project.id }}
    />
  );
  return (
    <>
      <Card title="General" labelId="general-title" details={historyOf('ProjectDetailsChanged')}>
        <DetailsForm project={project} save={update} />
      </Card>
      <Card title="Sign-in methods" labelId="sign-in-title" details={historyOf('ProjectConfigChanged')}>
        <Switches
          switches={signInSwitches}
          config={project.config}
          change={(config) => update({ config })}
          settings={settings.value}
          changeSettings={changeSettings}
        />
      </Card>
      <Card title="Security" labelId="security-title" details={historyOf('ProjectSettingsChanged')}>
        {settings.error !== undefined && (
          <ErrorNote error={settings.error} onRetry={settings.refresh} isRetrying={settings.isFetching} />
        )}
        {settings.value === undefined && settings.error === undefined && (
          <BlockLoading height={120} label="Loading security settings" />
        )}
        {settings.value && (
          <Stack gap="lg">
            <SecuritySwitches settings={settings.value} change={changeSettings} />
            <DaysForm
              label="Days to keep failed sign-ins"
              description="Failed sign-ins and other rejected requests are counted in windows of five minutes and deleted after 1 to 365 days."
              min={1}
              max={365}
              days={settings.value.rejectionRetentionDays}
              save={(rejectionRetentionDays) => changeSettings({ rejectionRetentionDays })}
            />
          </Stack>
        )}
      </Card>
      <Card title="OAuth providers" labelId="providers-title" flush details={historyOf('ProjectConfigChanged')}>
        <Providers config={project.config} apiUrl={apiUrl} save={(config) => update({ config })} />
      </Card>
      <Card
        title="OpenID Connect providers"
        labelId="openid-providers-title"
        flush
        details={historyOf('ProjectConfigChanged')}
      >
        <PresentOnly p="lg">
          <OpenIdProviders client={openIdProviders} projectId={project.id} apiUrl={apiUrl} />
        </PresentOnly>
      </Card>
      <Card
        title="Password migration"
        labelId="password-migration-title"
        details={historyOf('ProjectPasswordMigrationChanged')}
      >
        <PresentOnly>
          <PasswordMigration client={client} projectId={project.id} />
        </PresentOnly>
      </Card>
      <Card title="Users and teams" labelId="user-switches-title" details={historyOf('ProjectConfigChanged')}>
        <Switches switches={userSwitches} config={project.config} change={(config) => update({ config })} />
      </Card>
      <Card title="User deletion" labelId="deletion-title" details={historyOf('ProjectSettingsChanged')}>
        {settings.value && (
          <DaysForm
            label="Days until deleted users are erased"
            description="Until then, they can’t sign in, nobody sees them, their email addresses stay taken, and you can restore them. 0 erases them at once. Applies to users who are deleted from now on."
            min={0}
            max={90}
            days={settings.value.userDeletionGraceDays}
            save={(userDeletionGraceDays) => changeSettings({ userDeletionGraceDays })}
          />
        )}
      </Card>
      <Card title="Team deletion" labelId="team-deletion-title" details={historyOf('ProjectSettingsChanged')}>
        {settings.value && (
          <DaysForm
            label="Days until deleted teams are erased"
            description="Until then, nobody sees them, their API keys don’t work, and you can restore them with their members, permissions and API keys. 0 erases them at once. Applies to teams that are deleted from now on."
            min={0}
            max={90}
            days={settings.value.teamDeletionGraceDays}
            save={(teamDeletionGraceDays) => changeSettings({ teamDeletionGraceDays })}
          />
        )}
      </Card>
      <Card title="Quotas" labelId="quotas-title" details={historyOf('ProjectSettingsChanged')}>
        {settings.error !== undefined && (
          <ErrorNote error={settings.error} onRetry={settings.refresh} isRetrying={settings.isFetching} />
        )}
        {settings.value === undefined && settings.error === undefined && (
          <BlockLoading height={240} label="Loading quotas" />
        )}
        {settings.value && (
          <QuotasForm
            quotas={settings.value.quotas}
            ownsProjects={project.id === 'internal'}
            save={async (quotas) => {
              const saved = await client.updateSettings({ quotas });
              await settings.refresh();
              return saved.quotas;
            }}
          />
        )}
      </Card>
      <Card title="Domains" labelId="domains-title" details={historyOf('ProjectConfigChanged')}>
        <DomainsForm config={project.config} save={(config) => update({ config })} />
      </Card>
      <Card title="Production mode" labelId="production-title" details={historyOf('ProjectDetailsChanged')}>
        <ProductionMode project={project} change={(isProductionMode) => update({ isProductionMode })} />
      </Card>
      {project.id !== 'internal' && (
        <Card title="Delete project" labelId="delete-title">
          <Text size="sm" mb="md">
            Deletes the project with its users, sessions and keys. Without a grace period, this cannot be undone.
          </Text>
          {settings.value && (
            <DaysForm
              label="Days until the deleted project is erased"
              description="Until then, its keys and sessions are rejected, and its owners can restore it with everything in it. 0 erases it at once."
              min={0}
              max={90}
              days={settings.value.projectDeletionGraceDays}
              save={(projectDeletionGraceDays) => changeSettings({ projectDeletionGraceDays })}
            />
          )}
          <Writing>
            <Button mt="md" color="red" variant="outline" onClick={() => setDeleting(true)}>
              Delete project
            </Button>
          </Writing>
        </Card>
      )}
      <ConfirmDialog
        isOpen={isDeleting}
        onClose={() => setDeleting(false)}
        title="Delete this project?"
        call={{ method: 'DELETE', path: '/internal/projects/current' }}
        confirmLabel="Delete project"
        typedConfirmation={project.displayName || project.id}
        onConfirm={async () => {
          await client.delete();
          go('/projects', { replace: true });
          await Promise.all([cache.invalidate(['projects']), cache.invalidate(['deleted-projects'])]);
        }}
      >
        All users of this project lose their accounts. If the project has a grace period, its owners can restore it
        until then.
      </ConfirmDialog>
    </>
  );
}
