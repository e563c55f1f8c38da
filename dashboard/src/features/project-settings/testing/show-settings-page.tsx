import type { ChangesClient, EmailsClient, Project, ProjectClient, ProjectSettings, Quotas } from '@gatebook/js/admin';
import { fireEvent, screen, within } from '@testing-library/react';
import type { ComponentType } from 'react';
import { vi } from 'vitest';
import { ChangesContext } from '../../../lib/changes.ts';
import { noAudit, noChanges } from '../../../testing/clients.ts';
import { never, renderPage } from '../../../testing/render.tsx';
import { sampleProject } from '../../../testing/samples.ts';
import type { SettingsPageProps } from '../settings-page.tsx';

export const sampleSettings = (quotas: Partial<Quotas> = {}): ProjectSettings => ({
  anonymousSignUpEnabled: false,
  keylessClientsAllowed: true,
  securityNoticesEnabled: true,
  breachedPasswordsRejected: true,
  minPasswordLength: 8,
  reauthenticationRequired: false,
  emailVerificationRequired: false,
  sessionLifetimeHours: 8760,
  accessTokenLifetimeSeconds: null,
  rejectionRetentionDays: 90,
  userDeletionGraceDays: 0,
  teamDeletionGraceDays: 0,
  projectDeletionGraceDays: 0,
  branding: { logoUrl: null, darkLogoUrl: null, accentColor: null },
  quotas: {
    teamsPerUser: 100,
    membershipsPerUser: 500,
    apiKeysPerUser: 100,
    apiKeysPerTeam: 100,
    contactChannelsPerUser: 50,
    providerAccountsPerUser: 20,
    sessionsPerUser: 100,
    projectKeys: 100,
    domains: 100,
    permissionDefinitions: 200,
    webhookEndpoints: 50,
    projectsPerOwner: 100,
    ...quotas,
  },
});

type Shown = {
  client?: Partial<ProjectClient>;
  value?: Project;
  error?: unknown;
  emails?: Partial<EmailsClient>;
  preview?: ChangesClient['preview'];
};

export function show(
  Page: ComponentType<SettingsPageProps>,
  { client, value, error, emails, preview = never }: Shown = {},
) {
  const fullClient: ProjectClient = {
    find: never,
    update: async () => sampleProject(),
    delete: never,
    restore: never,
    erase: never,
    findSettings: async () => sampleSettings(),
    updateSettings: never,
    findPasswordMigration: async () => ({ url: null, secret: null }),
    setPasswordMigration: never,
    testProvider: never,
    testDomain: never,
    ...client,
  };
  const refresh = vi.fn(async () => {});
  const shown = error === undefined ? (value ?? sampleProject()) : undefined;
  const project = { value: shown, error, isFetching: false, refresh };
  const view = renderPage(
    <ChangesContext value={{ ...noChanges, preview }}>
      <Page
        client={fullClient}
        openIdProviders={{ list: async () => [], set: never, remove: never, testIssuer: never }}
        emails={emails as EmailsClient}
        audit={noAudit}
        projectId={(value ?? sampleProject()).id}
        project={project}
        apiUrl="http://gatebook.test"
      />
    </ChangesContext>,
  );
  return { refresh, ...view };
}

export const bar = () => screen.findByRole('region', { name: 'Unsaved changes' });
export const save = async () => fireEvent.click(within(await bar()).getByRole('button', { name: 'Save' }));
export const flip = async (name: RegExp) => fireEvent.click(await screen.findByRole('switch', { name }));
export const type = async (label: string, value: string) =>
  fireEvent.change(await screen.findByLabelText(label), { target: { value } });
