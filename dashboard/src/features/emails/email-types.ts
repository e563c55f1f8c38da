import type { EmailType, UndeliveredEmail } from '@gatebook/js/admin';

/** Display names of the types of email. */
export const emailTypeNames: Readonly<Record<UndeliveredEmail['type'], string>> = {
  magic_link: 'Sign-in code',
  email_verification: 'Email verification',
  password_reset: 'Password reset',
  team_invitation: 'Team invitation',
  api_key_revoked: 'API key revoked',
  security_notice: 'Security notice',
  sign_in_invitation: 'Sign-in invitation',
  mailing: 'Email from your server',
  new_device_sign_in: 'Sign-in from a new device',
  webhook_failing: 'Failing webhook',
  project_invitation: 'Project invitation',
};

/** The types whose template owners can edit. */
export const editableEmailTypes: readonly EmailType[] = [
  'magic_link',
  'email_verification',
  'password_reset',
  'team_invitation',
];
