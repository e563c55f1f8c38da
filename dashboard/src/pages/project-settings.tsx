import type { ComponentType } from 'react';
import { DangerPage } from '../features/project-settings/danger-page.tsx';
import { DomainsPage } from '../features/project-settings/domains-page.tsx';
import { EmailPage } from '../features/project-settings/email-page.tsx';
import { GeneralPage } from '../features/project-settings/general-page.tsx';
import { ProvidersPage } from '../features/project-settings/providers-page.tsx';
import { SecurityPage } from '../features/project-settings/security-page.tsx';
import type { SettingsPageProps } from '../features/project-settings/settings-page.tsx';
import { SignInMethodsPage } from '../features/project-settings/sign-in-methods-page.tsx';
import { useApp } from '../lib/app.ts';
import { useProject } from './use-project.ts';

const withProject = (Content: ComponentType<SettingsPageProps>) =>
  function SettingsRoute() {
    const { config } = useApp();
    const { admin, project } = useProject();
    return (
      <Content
        key={admin.projectId}
        client={admin.project}
        audit={admin.audit}
        emails={admin.emails}
        openIdProviders={admin.openIdProviders}
        projectId={admin.projectId}
        project={project}
        apiUrl={config.apiUrl}
      />
    );
  };

/** The pages of the settings, by the end of their paths, in one file: going from one to another loads nothing. */
export const settingsRoutes = {
  general: withProject(GeneralPage),
  'sign-in-methods': withProject(SignInMethodsPage),
  providers: withProject(ProvidersPage),
  domains: withProject(DomainsPage),
  email: withProject(EmailPage),
  security: withProject(SecurityPage),
  'danger-zone': withProject(DangerPage),
};
