import type { ProjectSettingsPatch, ProjectSettingsView } from '@gatebook/contract/project-settings';
import type { PreviewedCall } from './changes.ts';
import { type Branding, brandingFromWire } from './public-config.ts';
import { type QuotaChanges, type Quotas, quotasFromWire, quotasToWire } from './quotas.ts';

/** Settings that are not part of the protocol's project configuration. */
export type ProjectSettings = {
  anonymousSignUpEnabled: boolean;
  keylessClientsAllowed: boolean;
  /** Emails users when their sign-in methods change. */
  securityNoticesEnabled: boolean;
  /** Rejects new passwords that are on the list of common and breached passwords. */
  breachedPasswordsRejected: boolean;
  /** How many characters a password needs that a user chooses from now on, from 8 to 64. */
  minPasswordLength: number;
  /** Sensitive changes of the user's own account require a sign-in within the last ten minutes. */
  reauthenticationRequired: boolean;
  /** Users without a verified primary address are restricted. */
  emailVerificationRequired: boolean;
  /** For how many hours a session lasts that starts from now on, from 1 to 8,760 (a year). */
  sessionLifetimeHours: number;
  /** For how many seconds an access token lasts, from 61 to 3,600; null: as long as the installation says. */
  accessTokenLifetimeSeconds: number | null;
  /** For how many days failed sign-ins and other rejections are kept, from 1 to 365. */
  rejectionRetentionDays: number;
  /** For how many days a deleted user can be restored, 0 to 90; 0: not at all. */
  userDeletionGraceDays: number;
  /** The same for teams. */
  teamDeletionGraceDays: number;
  /** The same for the project itself. */
  projectDeletionGraceDays: number;
  branding: Branding;
  quotas: Quotas;
};
export type ProjectSettingsChanges = Partial<Omit<ProjectSettings, 'quotas' | 'branding'>> & {
  quotas?: QuotaChanges;
  branding?: Partial<Branding>;
};

/** What `updateSettings` calls, for a preview. */
export const callOfSettingsUpdate = (changes: ProjectSettingsChanges): PreviewedCall => ({
  method: 'PATCH',
  path: '/internal/projects/current/settings',
  body: settingsToWire(changes),
});

export const settingsToWire = (changes: ProjectSettingsChanges): ProjectSettingsPatch => ({
  anonymous_sign_up_enabled: changes.anonymousSignUpEnabled,
  keyless_clients_allowed: changes.keylessClientsAllowed,
  quotas: changes.quotas && quotasToWire(changes.quotas),
  security_notices_enabled: changes.securityNoticesEnabled,
  breached_passwords_rejected: changes.breachedPasswordsRejected,
  min_password_length: changes.minPasswordLength,
  reauthentication_required: changes.reauthenticationRequired,
  email_verification_required: changes.emailVerificationRequired,
  session_lifetime_hours: changes.sessionLifetimeHours,
  access_token_lifetime_seconds: changes.accessTokenLifetimeSeconds,
  rejection_retention_days: changes.rejectionRetentionDays,
  user_deletion_grace_days: changes.userDeletionGraceDays,
  team_deletion_grace_days: changes.teamDeletionGraceDays,
  project_deletion_grace_days: changes.projectDeletionGraceDays,
  branding: changes.branding && {
    logo_url: changes.branding.logoUrl,
    dark_logo_url: changes.branding.darkLogoUrl,
    accent_color: changes.branding.accentColor,
  },
});

export function settingsFromWire(view: ProjectSettingsView): ProjectSettings {
  return {
    anonymousSignUpEnabled: view.anonymous_sign_up_enabled,
    keylessClientsAllowed: view.keyless_clients_allowed,
    quotas: quotasFromWire(view.quotas),
    securityNoticesEnabled: view.security_notices_enabled,
    breachedPasswordsRejected: view.breached_passwords_rejected,
    minPasswordLength: view.min_password_length,
    reauthenticationRequired: view.reauthentication_required,
    emailVerificationRequired: view.email_verification_required,
    sessionLifetimeHours: view.session_lifetime_hours,
    accessTokenLifetimeSeconds: view.access_token_lifetime_seconds,
    rejectionRetentionDays: view.rejection_retention_days,
    userDeletionGraceDays: view.user_deletion_grace_days,
    teamDeletionGraceDays: view.team_deletion_grace_days,
    projectDeletionGraceDays: view.project_deletion_grace_days,
    branding: brandingFromWire(view.branding),
  };
}
