import type { EmailType, UndeliveredEmail } from '@gatebook/js/emails';

/** The kinds of mail, as owners read of them. */
export const emailKinds: Readonly<Record<UndeliveredEmail['type'], string>> = {
  magic_link: 'Sign-in code',
  email_verification: 'E-mail verification',
  password_reset: 'Password reset',
  team_invitation: 'Team invitation',
  api_key_revoked: 'API key revoked',
  security_notice: 'Security notice',
  new_device_sign_in: 'Sign-in from a new device',
};

/** Those whose draft is the owners' own. */
export const emailTypes: readonly EmailType[] = [
  'magic_link',
  'email_verification',
  'password_reset',
  'team_invitation',
];
