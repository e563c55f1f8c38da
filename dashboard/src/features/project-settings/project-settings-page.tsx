import type { Project, ProjectClient } from '@gatebook/js/projects';
import { type Resource, useResource, useResourceCache } from '@gatebook/react/use-resource';
import { Button, Text } from '@mantine/core';
import { useEffect, useState } from 'react';
import { ConfirmDialog } from '../../components/confirm-dialog.tsx';
import { Page } from '../../components/page.tsx';
import { BlockLoading, Card, ErrorNote } from '../../components/states.tsx';
import { useNavigation } from '../../lib/navigation.ts';
import { useTitle } from '../../lib/use-title.ts';
import { DetailsForm } from './details-form.tsx';
import { DomainsForm } from './domains-form.tsx';
import { ProductionMode } from './production-mode.tsx';
import { Providers } from './providers.tsx';
import { QuotasForm } from './quotas-form.tsx';
import { SecuritySwitches } from './security-switches.tsx';
import { Switches, signInSwitches, userSwitches } from './switches.tsx';

type Props = { client: ProjectClient; project: Resource<Project>; apiUrl: string; startsAtDomains?: boolean };

export function ProjectSettingsPage({ client, project, apiUrl, startsAtDomains = false }: Props) {
  useTitle('Settings', project.value?.displayName);
  const isThere = project.value !== undefined;
  useEffect(() => {
    if (!startsAtDomains || !isThere) return;
    // After the frame, which begins each page at its top.
    const frame = requestAnimationFrame(() => document.getElementById('domains-title')?.scrollIntoView());
    return () => cancelAnimationFrame(frame);
  }, [startsAtDomains, isThere]);
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
      {project.value && <Settings client={client} project={project.value} apiUrl={apiUrl} refresh={project.refresh} />}
    </Page>
  );
}

function Settings({
  client,
  project,
  apiUrl,
  refresh,
}: {
  client: ProjectClient;
  project: Project;
  apiUrl: string;
  refresh: () => Promise<void>;
}) {
  const cache = useResourceCache();
  const { go } = useNavigation();
  const [isDeleting, setDeleting] = useState(false);
  const own = useResource(['project-settings', project.id], client.findSettings);
  const changeSettings = async (changes: Parameters<ProjectClient['updateSettings']>[0]): Promise<void> => {
    await client.updateSettings(changes);
    await own.refresh();
  };
  const update = async (changes: Parameters<ProjectClient['update']>[0]): Promise<void> => {
    await client.update(changes);
    await Promise.all([refresh(), cache.invalidate(['projects'])]);
  };
  return (
    <>
      <Card title="About" labelId="about-title">
        <DetailsForm project={project} save={update} />
      </Card>
      <Card title="Signing in" labelId="sign-in-title">
        <Switches
          switches={signInSwitches}
          config={project.config}
          change={(config) => update({ config })}
          settings={own.value}
          changeSettings={changeSettings}
        />
      </Card>
      <Card title="Security" labelId="security-title">
        {own.error !== undefined && <ErrorNote error={own.error} onRetry={own.refresh} isRetrying={own.isFetching} />}
        {own.value === undefined && own.error === undefined && (
          <BlockLoading height={120} label="Loading security settings" />
        )}
        {own.value && <SecuritySwitches settings={own.value} change={changeSettings} />}
      </Card>
      <Card title="Providers" labelId="providers-title" flush>
        <Providers config={project.config} apiUrl={apiUrl} save={(config) => update({ config })} />
      </Card>
      <Card title="Users and teams" labelId="user-switches-title">
        <Switches switches={userSwitches} config={project.config} change={(config) => update({ config })} />
      </Card>
      <Card title="Quotas" labelId="quotas-title">
        {own.error !== undefined && <ErrorNote error={own.error} onRetry={own.refresh} isRetrying={own.isFetching} />}
        {own.value === undefined && own.error === undefined && <BlockLoading height={240} label="Loading quotas" />}
        {own.value && (
          <QuotasForm
            quotas={own.value.quotas}
            ownsProjects={project.id === 'internal'}
            save={async (quotas) => {
              const saved = await client.updateSettings({ quotas });
              await own.refresh();
              return saved.quotas;
            }}
          />
        )}
      </Card>
      <Card title="Domains" labelId="domains-title">
        <DomainsForm config={project.config} save={(config) => update({ config })} />
      </Card>
      <Card title="Production mode" labelId="production-title">
        <ProductionMode project={project} change={(isProductionMode) => update({ isProductionMode })} />
      </Card>
      {project.id !== 'internal' && (
        <Card title="Delete project" labelId="delete-title">
          <Text size="sm" mb="md">
            Its users, their sessions and its keys are gone at once. This cannot be undone.
          </Text>
          <Button color="red" variant="outline" onClick={() => setDeleting(true)}>
            Delete project
          </Button>
        </Card>
      )}
      <ConfirmDialog
        isOpen={isDeleting}
        onClose={() => setDeleting(false)}
        title="Delete this project?"
        confirmLabel="Delete project"
        typed={project.displayName || project.id}
        onConfirm={async () => {
          await client.delete();
          go('/projects', { replace: true });
          await cache.invalidate(['projects']);
        }}
      >
        Everybody who signs in to it loses the account.
      </ConfirmDialog>
    </>
  );
}
