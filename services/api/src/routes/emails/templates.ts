import { changeEmailTemplate, resetEmailTemplate } from '@gatebook/commands/project/project';
import { Success } from '@gatebook/contract/common';
import {
  EmailPreview,
  EmailPreviewRequest,
  EmailTemplateList,
  EmailTemplatePatch,
  EmailTemplateView,
  templateType,
} from '@gatebook/contract/emails';
import { TemplateType } from '@gatebook/domain/email/events';
import { reject } from '@gatebook/domain/errors';
import { EmailContent, emailContentFaults } from '@gatebook/mail/content';
import { renderEmail } from '@gatebook/mail/render';
import { sampleVariables, variableNames } from '@gatebook/mail/variables';
import { listEmailTemplates } from '@gatebook/readmodel/emails/queries';
import { z } from 'zod';
import { adminOnly } from '../../access.ts';
import type { Deps } from '../../deps.ts';
import { answerSuccess, defineRoute } from '../../http/define-route.ts';
import { toTemplate, toTemplateView } from './wire.ts';

const tags = ['E-mails'];
const params = z.strictObject({ type: templateType });

async function findTemplate({ db }: Deps, projectId: string, type: TemplateType): Promise<EmailTemplateView> {
  const rows = await listEmailTemplates(db, projectId);
  return toTemplateView(
    type,
    rows.find((row) => row.type === type),
  );
}

/** Protocol, projects §7: all four kinds, in its order. */
export const listEmailTemplatesRoute = defineRoute({
  method: 'GET',
  path: '/email-templates',
  access: adminOnly,
  tags,
  summary: 'The wording of mails',
  description: 'All four kinds; `is_default` where the words are Gatebook’s.',
  response: { 200: EmailTemplateList },
  handle: async ({ deps, caller }) => {
    const rows = await listEmailTemplates(deps.db, caller.projectId);
    const items = TemplateType.options.map((type) =>
      toTemplateView(
        type,
        rows.find((row) => row.type === type),
      ),
    );
    return { items, is_paginated: false as const };
  },
});

export const getEmailTemplateRoute = defineRoute({
  method: 'GET',
  path: '/email-templates/:type',
  access: adminOnly,
  tags,
  summary: 'The wording of one kind of mail',
  description: 'The project’s own, part by part, before Gatebook’s.',
  params,
  response: { 200: EmailTemplateView },
  handle: async ({ deps, caller, params }) => findTemplate(deps, caller.projectId, params.type),
});

export const updateEmailTemplateRoute = defineRoute({
  method: 'PATCH',
  path: '/email-templates/:type',
  access: adminOnly,
  errors: ['EMAIL_CONFIG_IS_SHARED', 'EMAIL_CONTENT_INVALID'],
  tags,
  summary: 'Give one kind of mail a wording of the project’s own',
  description: 'Subject, content, or both. Needs a mail server of the project’s own.',
  params,
  body: EmailTemplatePatch,
  response: { 200: EmailTemplateView },
  handle: async ({ deps, caller, context, params, body }) => {
    const { type: templateType } = params;
    const { subject, content } = body;
    if (caller.project.config.emailConfig.type === 'shared') reject('EMAIL_CONFIG_IS_SHARED');
    if (content !== undefined && emailContentFaults(content).length > 0) {
      return reject('EMAIL_CONTENT_INVALID', { faults: emailContentFaults(content) });
    }
    const before = await findTemplate(deps, caller.projectId, templateType);
    const parsed = content === undefined ? undefined : EmailContent.parse(content);
    const change = { templateType, subject, content: parsed as never };
    const { position } = await changeEmailTemplate(deps, context, change);
    return {
      position,
      body: () => findTemplate(deps, caller.projectId, templateType),
      stale: () => ({
        ...before,
        subject: subject || before.subject,
        content: (parsed ?? before.content) as EmailTemplateView['content'],
        is_default: false,
      }),
    };
  },
});

export const resetEmailTemplateRoute = defineRoute({
  method: 'DELETE',
  path: '/email-templates/:type',
  access: adminOnly,
  errors: ['EMAIL_TEMPLATE_IS_DEFAULT'],
  tags,
  summary: 'Back to Gatebook’s wording',
  description: 'For one kind of mail.',
  params,
  response: { 200: Success },
  handle: async ({ deps, context, params }) => {
    const { type: templateType } = params;
    const { position } = await resetEmailTemplate(deps, context, { templateType });
    return answerSuccess(position);
  },
});

/** How a mail would look, stored or not; `variables` tells what its texts may use. */
export const previewEmailRoute = defineRoute({
  method: 'POST',
  path: '/internal/email-templates/:type/preview',
  access: adminOnly,
  errors: ['EMAIL_CONTENT_INVALID'],
  tags,
  summary: 'Look at a wording',
  description:
    'As it is stored, or with the parts that are sent; nothing is kept. `variables` tells what texts may use.',
  params,
  body: EmailPreviewRequest,
  response: { 200: EmailPreview },
  handle: async ({ deps, caller, params, body }) => {
    const { projectId, project } = caller;
    const { type } = params;
    const { subject, content, variables } = body;
    if (content !== undefined && emailContentFaults(content).length > 0) {
      return reject('EMAIL_CONTENT_INVALID', { faults: emailContentFaults(content) });
    }
    const stored = await findTemplate(deps, projectId, type);
    const template = toTemplate({
      ...stored,
      subject: subject || stored.subject,
      content: (content ?? stored.content) as EmailTemplateView['content'],
    });
    const known = variableNames[type];
    const samples = { ...sampleVariables(type), projectDisplayName: project.displayName };
    const rendered = await renderEmail({ template, variables: { ...samples, ...variables }, known });
    return { position: null, body: { ...rendered, variables: [...known] } };
  },
});
