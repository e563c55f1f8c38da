import { requestMailing } from '@gatebook/commands/mailing/mailing';
import { SendEmail, SendEmailResult } from '@gatebook/contract/sending';
import { templateWithId } from '@gatebook/contract/template-ids';
import type { TemplateType } from '@gatebook/domain/email/events';
import { reject } from '@gatebook/domain/errors';
import { findMissingUser } from '@gatebook/readmodel/emails/mailings';
import { serverAndUp } from '../../access.ts';
import { defineRoute } from '../../http/define-route.ts';

/** (protocol, projects §12.1) */
export const sendEmailRoute = defineRoute({
  method: 'POST',
  path: '/emails/send-email',
  bodySize: 'large',
  access: serverAndUp,
  role: 'developer',
  limit: 'send-email',
  errors: [
    'REQUIRES_CUSTOM_EMAIL_SERVER',
    'EMAIL_TEMPLATE_NOT_FOUND',
    'EMAIL_THEME_NOT_FOUND',
    'EMAIL_DRAFT_NOT_FOUND',
    'USER_ID_DOES_NOT_EXIST',
  ],
  tags: ['Emails'],
  summary: 'Send an email to users',
  description:
    'Sends HTML or a template to the primary addresses of the given users, or of all users. The project must use its own mail server. Users who turned off the category are skipped.',
  body: SendEmail,
  response: { 200: SendEmailResult },
  handle: async ({ deps, caller, context, body }) => {
    if (caller.project.config.emailConfig.type === 'shared') reject('REQUIRES_CUSTOM_EMAIL_SERVER');
    const templateType = findTemplateType(body);
    const { user_ids: userIds = null, html = null, subject = null, variables = {}, scheduled_at_millis } = body;
    const missing = userIds && (await findMissingUser(deps.db, caller.projectId, userIds));
    if (missing) reject('USER_ID_DOES_NOT_EXIST', { user_id: missing });
    const { position } = await requestMailing(deps, context, {
      category: body.notification_category_name === 'Marketing' ? 'marketing' : 'transactional',
      templateType,
      content: { subject: subject || null, html, variables },
      userIds,
      scheduledAt: scheduled_at_millis === undefined ? null : new Date(scheduled_at_millis).toISOString(),
    });
    return { position, body: { results: [...new Set(userIds)].map((user_id) => ({ user_id })) } };
  },
});

/** @throws DomainError EMAIL_TEMPLATE_NOT_FOUND, EMAIL_THEME_NOT_FOUND, EMAIL_DRAFT_NOT_FOUND */
function findTemplateType({ theme_id, draft_id, template_id }: SendEmail): TemplateType | null {
  if (typeof theme_id === 'string') reject('EMAIL_THEME_NOT_FOUND');
  if (draft_id !== undefined) reject('EMAIL_DRAFT_NOT_FOUND');
  if (template_id === undefined) return null;
  return templateWithId(template_id) ?? reject('EMAIL_TEMPLATE_NOT_FOUND');
}
