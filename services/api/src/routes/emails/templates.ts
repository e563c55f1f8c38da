import type { Context } from '@gatebook/commands/deps';
import { changeEmailTemplate, resetEmailTemplate } from '@gatebook/commands/project/project';
import { Success } from '@gatebook/contract/common';
import {
  EmailPreview,
  EmailPreviewRequest,
  EmailTemplateList,
  EmailTemplatePatch,
  EmailTemplateReplacement,
  EmailTemplateView,
  templateType,
} from '@gatebook/contract/emails';
import { TemplateType } from '@gatebook/domain/email/events';
import type { Language } from '@gatebook/domain/email/languages';
import { reject } from '@gatebook/domain/errors';
import { chooseTemplate } from '@gatebook/mail/choose-template';
import { EmailContent, listContentErrors } from '@gatebook/mail/content';
import { defaultTemplate, type EmailTemplate } from '@gatebook/mail/defaults';
import { type RenderedEmail, renderEmail } from '@gatebook/mail/render';
import { sampleVariables, variableNames } from '@gatebook/mail/variables';
import { findTemplateVersions, listEmailTemplates } from '@gatebook/readmodel/emails/queries';
import { z } from 'zod';
import { adminOnly } from '../../access.ts';
import type { Caller } from '../../caller.ts';
import type { Deps } from '../../deps.ts';
import { answerSuccess, defineRoute } from '../../http/define-route.ts';
import { toTemplate, toTemplateView } from './wire.ts';

const tags = ['Emails'];
export const params = z.strictObject({ type: templateType });

export async function findTemplate({ db }: Deps, projectId: string, type: TemplateType): Promise<EmailTemplateView> {
  const rows = await listEmailTemplates(db, projectId);
  return toTemplateView(
    type,
    rows.find((row) => row.type === type),
  );
}

/** (protocol, projects §7) All four kinds, in its order. */
export const listEmailTemplatesRoute = defineRoute({
  method: 'GET',
  path: '/email-templates',
  asOf: [],
  access: adminOnly,
  tags,
  summary: 'List email templates',
  description: 'All four types. `is_default` marks templates that the project has not changed.',
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
  asOf: [],
  access: adminOnly,
  tags,
  summary: 'Get an email template',
  description: 'Parts that the project has not changed come from the default template.',
  params,
  response: { 200: EmailTemplateView },
  handle: async ({ deps, caller, params }) => findTemplate(deps, caller.projectId, params.type),
});

export const updateEmailTemplateRoute = defineRoute({
  method: 'PATCH',
  path: '/email-templates/:type',
  bodySize: 'medium',
  access: adminOnly,
  isPreviewable: true,
  errors: ['EMAIL_CONFIG_SHARED', 'EMAIL_CONTENT_INVALID'],
  tags,
  summary: 'Update an email template',
  description:
    'Changes the subject, the content, or both. The project must use its own mail server (protocol, projects §7); PUT /internal/email-templates/{type}/content also works with the shared one.',
  params,
  body: EmailTemplatePatch,
  response: { 200: EmailTemplateView },
  handle: async ({ deps, caller, context, params, body }) => {
    if (caller.project.config.emailConfig.type === 'shared') reject('EMAIL_CONFIG_SHARED');
    return changeTemplate(deps, context, params.type, body);
  },
});

/** The same with the shared mail server, which the protocol's PATCH rejects (docs/decisions/0115). */
export const replaceEmailTemplateRoute = defineRoute({
  method: 'PUT',
  path: '/internal/email-templates/:type/content',
  bodySize: 'medium',
  access: adminOnly,
  isPreviewable: true,
  errors: ['EMAIL_CONTENT_INVALID'],
  tags,
  summary: 'Replace an email template',
  description: 'Replaces subject and content, with every mail server.',
  params,
  body: EmailTemplateReplacement,
  response: { 200: EmailTemplateView },
  handle: async ({ deps, context, params, body }) => changeTemplate(deps, context, params.type, body),
});

async function changeTemplate(
  deps: Deps,
  context: Context,
  templateType: TemplateType,
  { subject, content }: EmailTemplatePatch,
) {
  const parsed = content === undefined ? undefined : parseContent(content);
  const before = await findTemplate(deps, context.projectId, templateType);
  const { position } = await changeEmailTemplate(deps, context, {
    templateType,
    language: null,
    subject,
    content: parsed as never,
  });
  return {
    position,
    body: () => findTemplate(deps, context.projectId, templateType),
    stale: () => ({
      ...before,
      subject: subject || before.subject,
      content: (parsed ?? before.content) as EmailTemplateView['content'],
      is_default: false,
    }),
  };
}

/** @throws DomainError EMAIL_CONTENT_INVALID */
export function parseContent(content: unknown): EmailContent {
  const faults = listContentErrors(content);
  return faults.length > 0 ? reject('EMAIL_CONTENT_INVALID', { faults }) : EmailContent.parse(content);
}

export const resetEmailTemplateRoute = defineRoute({
  method: 'DELETE',
  path: '/email-templates/:type',
  access: adminOnly,
  isPreviewable: true,
  errors: ['EMAIL_TEMPLATE_ALREADY_DEFAULT'],
  tags,
  summary: 'Reset an email template',
  description: 'Restores the default template.',
  params,
  response: { 200: Success },
  handle: async ({ deps, context, params }) => {
    const { type: templateType } = params;
    const { position } = await resetEmailTemplate(deps, context, { templateType, language: null });
    return answerSuccess(position);
  },
});

/** Renders a template, stored or not. `variables` lists the variables that it can use. */
export const previewEmailRoute = defineRoute({
  method: 'POST',
  path: '/internal/email-templates/:type/preview',
  bodySize: 'large',
  access: adminOnly,
  role: 'read_only',
  errors: ['EMAIL_CONTENT_INVALID'],
  tags,
  summary: 'Preview an email template',
  description:
    'Renders the stored template, in a `language` as its readers get it, or the subject and content in the body. Nothing is stored. `variables` lists the variables that the template can use.',
  params,
  body: EmailPreviewRequest,
  response: { 200: EmailPreview },
  handle: async ({ deps, caller, params, body }) => {
    const rendered = await renderSample(deps, caller, params.type, body);
    return { position: null, body: { ...rendered, variables: [...variableNames[params.type]] } };
  },
});

/** What a reader of the language gets; without a language, the default version. */
async function findUsedTemplate(
  deps: Deps,
  projectId: string,
  { type, language }: { type: TemplateType; language: Language | undefined },
): Promise<EmailTemplate> {
  if (language === undefined) {
    const stored = await findTemplate(deps, projectId, type);
    return stored.is_default ? defaultTemplate(type) : toTemplate(stored);
  }
  const versions = await findTemplateVersions(deps.db, projectId, type, [language, null]);
  return chooseTemplate((wanted) => versions.find((version) => version.language === wanted), type, language);
}

/** The template of the request, rendered with sample values. @throws DomainError EMAIL_CONTENT_INVALID */
export async function renderSample(
  deps: Deps,
  { projectId, project }: Caller,
  type: TemplateType,
  { subject, content, variables, language }: EmailPreviewRequest,
): Promise<RenderedEmail> {
  const given = content === undefined ? undefined : parseContent(content);
  const used = await findUsedTemplate(deps, projectId, { type, language });
  const template: EmailTemplate = { ...used, subject: subject || used.subject, content: given ?? used.content };
  if (given && language) template.language = language;
  const samples = { ...sampleVariables(type), projectDisplayName: project.displayName };
  return renderEmail({
    template,
    variables: { ...samples, ...variables },
    known: variableNames[type],
    branding: project.settings.branding,
  });
}
