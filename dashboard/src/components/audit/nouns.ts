import { t } from '@lingui/core/macro';

const nouns: Readonly<Record<string, string>> = {
  api_key: t`API key`,
  connected_account: t`connected account`,
  email: t`email`,
  email_template: t`email template`,
  permission: t`permission`,
  project: t`project`,
  project_key: t`project key`,
  session: t`session`,
  team: t`team`,
  team_invitation: t`team invitation`,
  user: t`user`,
  webhook_endpoint: t`webhook endpoint`,
};

/** What a target of an event is, in a sentence. */
export const nounOf = (type: string): string => nouns[type] ?? type.replaceAll('_', ' ');
