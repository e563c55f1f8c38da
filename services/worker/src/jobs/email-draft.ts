import { nameVariables } from '@gatebook/commands/code/code-email';
import type { WriteDeps } from '@gatebook/commands/deps';
import { unsubscribeCodeOf } from '@gatebook/commands/email/notification-preferences';
import { readState } from '@gatebook/commands/execute';
import { readMailing } from '@gatebook/commands/mailing/mailing';
import { streamOf } from '@gatebook/commands/streams';
import { type EmailDropReason, type EmailType, TemplateType } from '@gatebook/domain/email/events';
import { type Language, languageOf } from '@gatebook/domain/email/languages';
import type { RequestedEmail } from '@gatebook/domain/email/state';
import { versionIdOf } from '@gatebook/domain/email/template-versions';
import type { MailingContent } from '@gatebook/domain/mailing/events';
import type { ActiveProject } from '@gatebook/domain/project/state';
import { userDecider } from '@gatebook/domain/user/decide';
import type { ActiveUser } from '@gatebook/domain/user/state';
import { chooseTemplate } from '@gatebook/mail/choose-template';
import { defaultTemplate, type EmailTemplate } from '@gatebook/mail/defaults';
import { type RenderedEmail, renderEmail, renderHtml, subjectToKeep } from '@gatebook/mail/render';
import { variableNames } from '@gatebook/mail/variables';

type Variables = Readonly<Record<string, string>>;
export type MailingDraft = {
  content: MailingContent;
  templateType: TemplateType | null;
  user: ActiveUser;
  /** null for transactional emails. */
  unsubscribeUrl: string | null;
};
/**
 * What is needed to render an email: an email of Gatebook itself has no mailing. `language` is null if it is unknown.
 */
export type EmailDraft =
  | { mailing: null; emailType: EmailType; variables: Variables; language: Language | null }
  | { mailing: MailingDraft; emailType: 'mailing'; language: Language | null };

/** `findLanguage`: the language that a user used last; null if unknown. */
type DraftDeps = {
  write: WriteDeps;
  publicUrl: string;
  findLanguage: (projectId: string, userId: string) => Promise<string | null>;
};

/** Reads what an email needs. @returns the reason if it must not be sent */
export async function prepareDraft(
  { write, publicUrl, findLanguage }: DraftDeps,
  email: RequestedEmail,
): Promise<EmailDraft | EmailDropReason> {
  const { emailType, mailingId, projectId, userId, variables } = email;
  if (Date.parse(email.expiresAt) <= Date.parse(write.now())) return 'expired';
  const user = userId === null ? null : (await readState(write.store, userDecider, streamOf.user(userId))).state;
  if ((user !== null && user.status !== 'active') || email.recipient === null) return 'user_gone';
  const language = languageOf(email.language ?? (userId && (await findLanguage(projectId, userId))));
  if (emailType !== 'mailing')
    return variables === null ? 'user_gone' : { mailing: null, emailType, variables, language };
  const mailing = mailingId === null ? null : await readMailing(write, mailingId);
  if (user === null || !mailing || mailing.status === 'absent' || mailing.content === null) return 'user_gone';
  const { content, templateType, category } = mailing;
  if (user.disabledCategories.has(category)) return 'unsubscribed';
  const code = unsubscribeCodeOf(write, { projectId, userId: user.userId });
  const unsubscribeUrl = category === 'marketing' ? `${publicUrl}/api/v1/emails/unsubscribe?code=${code}` : null;
  return { mailing: { content, templateType, user, unsubscribeUrl }, emailType, language };
}

/** The email, and its subject without secrets, for storage. */
export async function renderDraft(
  project: ActiveProject,
  draft: EmailDraft,
): Promise<{ rendered: RenderedEmail; subject: string }> {
  const { language } = draft;
  if (draft.mailing === null)
    return renderTemplate(project, templateOf(project, draft.emailType, language), draft.emailType, draft.variables);
  const { content, templateType, user, unsubscribeUrl } = draft.mailing;
  const { displayName: projectDisplayName } = project.details;
  if (templateType === null || content.html !== null) {
    const subject = content.subject ?? projectDisplayName;
    const rendered = await renderHtml({ subject, html: content.html ?? '', unsubscribeUrl });
    return { rendered, subject: rendered.subject };
  }
  const variables = { projectDisplayName, ...nameVariables(user.displayName), ...content.variables };
  if (content.subject === null)
    return renderTemplate(project, templateOf(project, templateType, language), templateType, variables);
  // The server chose the language of the subject, which must not differ from that of the text for each recipient.
  const template = { ...templateOf(project, templateType, null), subject: content.subject };
  return renderTemplate(project, template, templateType, variables);
}

async function renderTemplate(
  { settings: { branding } }: Pick<ActiveProject, 'settings'>,
  template: EmailTemplate,
  type: EmailType,
  variables: Variables,
) {
  const rendering = { template, variables, known: variableNames[type], branding };
  return { rendered: await renderEmail(rendering), subject: subjectToKeep(rendering) };
}

/** The text of an email for readers of a language; null: unknown, or none of Gatebook's. */
export function templateOf(
  { emailTemplates }: Pick<ActiveProject, 'emailTemplates'>,
  emailType: EmailType,
  language: Language | null,
): EmailTemplate {
  const templateType = TemplateType.safeParse(emailType).data;
  if (templateType === undefined) return defaultTemplate(emailType, language ?? 'en-US');
  const find = (wanted: Language | null) => emailTemplates.get(versionIdOf({ templateType, language: wanted }));
  return chooseTemplate(find, emailType, language);
}
