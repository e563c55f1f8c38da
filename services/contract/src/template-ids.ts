import type { TemplateType } from '@gatebook/domain/email/events';

/** The IDs that client libraries of 2.8.39 and later use for the built-in templates (protocol, projects §12.5). */
export const templateIds: Readonly<Record<TemplateType, string>> = {
  email_verification: 'e7d009ce-8d47-4528-b245-5bf119f2ffa3',
  password_reset: 'a70fb3a4-56c1-4e42-af25-49d25603abd0',
  magic_link: '822687fe-8d0a-4467-a0d1-416b6e639478',
  team_invitation: 'e84de395-2076-4831-9c19-8e9a96a868e4',
};

/** The template with an ID; undefined if there is none. */
export function templateWithId(id: string): TemplateType | undefined {
  const types = Object.keys(templateIds) as TemplateType[];
  return types.find((type) => templateIds[type] === id);
}
