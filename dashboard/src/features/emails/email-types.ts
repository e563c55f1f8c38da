import type { EmailType, UndeliveredEmail } from '@gatebook/js/admin';
import { t } from '@lingui/core/macro';

/** Display names of the types of email. */
export const emailTypeNames: Readonly<Record<UndeliveredEmail['type'], string>> = {
  magic_link: t`Sign-in code`,
  email_verification: t`Email verification`,
  password_reset: t`Password reset`,
  team_invitation: t`Team invitation`,
  api_key_revoked: t`API key revoked`,
  security_notice: t`Security notice`,
  sign_in_invitation: t`Sign-in invitation`,
  mailing: t`Email from your server`,
  new_device_sign_in: t`Sign-in from a new device`,
  webhook_failing: t`Failing webhook`,
  project_invitation: t`Project invitation`,
};

/** The types whose template owners can edit. */
export const editableEmailTypes: readonly EmailType[] = [
  'magic_link',
  'email_verification',
  'password_reset',
  'team_invitation',
];
