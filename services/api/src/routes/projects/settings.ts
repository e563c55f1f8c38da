import { updateProject } from '@gatebook/commands/project/project';
import { ProjectSettingsPatch, ProjectSettingsView } from '@gatebook/contract/project-settings';
import type { ProjectSettings } from '@gatebook/domain/project/config';
import { findProject } from '@gatebook/readmodel/projects/queries';
import { adminOnly } from '../../access.ts';
import type { Deps } from '../../deps.ts';
import { defineRoute } from '../../http/define-route.ts';
import { changedBranding, toBrandingView } from './branding-wire.ts';
import { changedQuotas, toQuotasView } from './quotas-wire.ts';

const tags = ['Projects'];
export const toSettingsView = (settings: ProjectSettings): ProjectSettingsView => ({
  anonymous_sign_up_enabled: settings.anonymousSignUpEnabled,
  keyless_clients_allowed: settings.keylessClientsAllowed,
  quotas: toQuotasView(settings),
  security_notices_enabled: settings.securityNoticesEnabled,
  breached_passwords_rejected: settings.breachedPasswordsRejected,
  min_password_length: settings.minPasswordLength,
  reauthentication_required: settings.reauthenticationRequired,
  email_verification_required: settings.emailVerificationRequired,
  session_lifetime_hours: settings.sessionLifetimeHours,
  access_token_lifetime_seconds: settings.accessTokenLifetimeSeconds,
  rejection_retention_days: settings.rejectionRetentionDays,
  user_deletion_grace_days: settings.userDeletionGraceDays,
  team_deletion_grace_days: settings.teamDeletionGraceDays,
  project_deletion_grace_days: settings.projectDeletionGraceDays,
  branding: toBrandingView(settings),
});

/** Only what the request gives, because the read models can be older than the last change of the other fields. */
function changesOf(body: ProjectSettingsPatch, before: ProjectSettings): Partial<ProjectSettings> {
  const changes: { [Name in keyof ProjectSettings]: ProjectSettings[Name] | undefined } = {
    anonymousSignUpEnabled: body.anonymous_sign_up_enabled,
    keylessClientsAllowed: body.keyless_clients_allowed,
    quotas: body.quotas && changedQuotas(before, body.quotas),
    securityNoticesEnabled: body.security_notices_enabled,
    breachedPasswordsRejected: body.breached_passwords_rejected,
    minPasswordLength: body.min_password_length,
    reauthenticationRequired: body.reauthentication_required,
    emailVerificationRequired: body.email_verification_required,
    sessionLifetimeHours: body.session_lifetime_hours,
    accessTokenLifetimeSeconds: body.access_token_lifetime_seconds,
    rejectionRetentionDays: body.rejection_retention_days,
    userDeletionGraceDays: body.user_deletion_grace_days,
    teamDeletionGraceDays: body.team_deletion_grace_days,
    projectDeletionGraceDays: body.project_deletion_grace_days,
    branding: body.branding && changedBranding(before, body.branding),
  };
  const given = Object.entries(changes).filter(([, value]) => value !== undefined);
  return Object.fromEntries(given) as Partial<ProjectSettings>;
}

async function currentSettings({ db }: Deps, projectId: string): Promise<ProjectSettings> {
  return (await findProject(db, projectId)).settings;
}

export const getSettingsRoute = defineRoute({
  method: 'GET',
  path: '/internal/projects/current/settings',
  asOf: [],
  access: adminOnly,
  tags,
  summary: 'Get project settings',
  description: 'Settings of Gatebook that are not part of the project configuration.',
  response: { 200: ProjectSettingsView },
  handle: async ({ deps, caller }) => toSettingsView(await currentSettings(deps, caller.projectId)),
});

export const updateSettingsRoute = defineRoute({
  method: 'PATCH',
  path: '/internal/projects/current/settings',
  access: adminOnly,
  isPreviewable: true,
  tags,
  summary: 'Update project settings',
  description: 'Omitted fields are unchanged.',
  body: ProjectSettingsPatch,
  response: { 200: ProjectSettingsView },
  handle: async ({ deps, caller, context, body }) => {
    const { projectId } = caller;
    const before = await currentSettings(deps, projectId);
    const settings = changesOf(body, before);
    const { position } = await updateProject(deps, context, { settings });
    await deps.projects.forget(projectId, position);
    return {
      position,
      body: async () => toSettingsView(await currentSettings(deps, projectId)),
      stale: () => toSettingsView({ ...before, ...settings }),
    };
  },
});
