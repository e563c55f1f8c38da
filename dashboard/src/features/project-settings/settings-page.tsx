import type {
  AuditClient,
  EmailsClient,
  OpenIdProvidersClient,
  Project,
  ProjectClient,
  ProjectSettings,
  ProjectSettingsChanges,
} from '@gatebook/js/admin';
import { type Resource, useResource, useResourceCache } from '@gatebook/react';
import { t } from '@lingui/core/macro';
import type { ReactNode } from 'react';
import { HistoryButton } from '../../components/audit/history-button.tsx';
import { SettingsFrame } from '../../components/settings-frame.tsx';
import { BlockLoading, ErrorNote } from '../../components/states.tsx';

/** What every page of the settings gets. */
export type SettingsPageProps = {
  client: ProjectClient;
  openIdProviders: OpenIdProvidersClient;
  emails: EmailsClient;
  audit: AuditClient;
  projectId: string;
  project: Resource<Project>;
  apiUrl: string;
};

type ContentProps = Omit<SettingsPageProps, 'project'> & {
  path: string;
  lead?: ReactNode;
  project: Resource<Project>;
  children: (project: Project) => ReactNode;
};

/** A page of the settings, once the project is loaded. */
export function SettingsPage({ path, lead, projectId, project, children }: ContentProps) {
  return (
    <SettingsFrame path={path} projectId={projectId} projectName={project.value?.displayName} lead={lead}>
      {project.error !== undefined && (
        <ErrorNote
          title={t`The project could not be loaded`}
          error={project.error}
          onRetry={project.refresh}
          isRetrying={project.isFetching}
        />
      )}
      {project.value === undefined && project.error === undefined && (
        <BlockLoading height={420} label={t`Loading settings`} />
      )}
      {project.value && children(project.value)}
    </SettingsFrame>
  );
}

/** The settings that are not part of the project; nothing but their state while they are not loaded. */
export function LoadedSettings({ settings, children }: LoadedSettingsProps) {
  const { value, error, refresh, isFetching } = settings;
  if (value) return children(value);
  if (error !== undefined) return <ErrorNote error={error} onRetry={refresh} isRetrying={isFetching} />;
  return <BlockLoading height={240} label={t`Loading settings`} />;
}
type LoadedSettingsProps = { settings: Resource<ProjectSettings>; children: (settings: ProjectSettings) => ReactNode };

/** Reads and changes what is stored with the project and beside it. */
export function useProjectSettings({ client, projectId, project }: SettingsPageProps) {
  const cache = useResourceCache();
  const settings = useResource(['project-settings', projectId], client.findSettings);
  return {
    settings,
    update: async (changes: Parameters<ProjectClient['update']>[0]): Promise<void> => {
      await client.update(changes);
      await Promise.all([project.refresh(), cache.invalidate(['projects'])]);
    },
    updateSettings: async (changes: ProjectSettingsChanges): Promise<void> => {
      await client.updateSettings(changes);
      await Promise.all([settings.refresh(), project.refresh()]);
    },
  };
}

/** What events of a type change. A section shows the history of all that is stored together with it. */
const storedTogether = {
  ProjectDetailsChanged: t`project details`,
  ProjectConfigChanged: t`configuration`,
  ProjectSettingsChanged: t`branding, security settings, deletion and quotas`,
  ProjectPasswordMigrationChanged: t`password migration`,
} as const;

type HistoryProps = { audit: AuditClient; projectId: string; of: keyof typeof storedTogether };

export function SettingsHistory({ audit, projectId, of }: HistoryProps) {
  return (
    <HistoryButton
      audit={audit}
      projectId={projectId}
      name={storedTogether[of]}
      filters={{ type: of, targetType: 'project', targetId: projectId }}
    />
  );
}
