import type { EmailType } from '@gatebook/sdk/emails';

/** The kinds of mail, as owners read of them. */
export const emailKinds: Readonly<Record<EmailType, string>> = {
  magic_link: 'Sign-in code',
  email_verification: 'E-mail verification',
  password_reset: 'Password reset',
  team_invitation: 'Team invitation',
};
export const emailTypes = Object.keys(emailKinds) as EmailType[];
