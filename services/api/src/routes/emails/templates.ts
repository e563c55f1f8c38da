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
import type { FastifyPluginAsyncZod } from 'fastify-type-provider-zod';
import { z } from 'zod';
import { callerOf } from '../../access.ts';
import { contextOf } from '../../context.ts';
import type { Deps } from '../../deps.ts';
import { afterWrite, waitFor } from '../../http/read-your-writes.ts';
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
export const listEmailTemplatesRoute =
  (deps: Deps): FastifyPluginAsyncZod =>
  async (app) => {
    app.get('/email-templates', {
      schema: {
        tags,
        summary: 'The wording of mails',
        description: 'All four kinds; `is_default` where the words are Gatebook’s.',
        response: { 200: EmailTemplateList },
      },
      handler: async (request) => {
        const rows = await listEmailTemplates(deps.db, callerOf(request).projectId);
        const items = TemplateType.options.map((type) =>
          toTemplateView(
            type,
            rows.find((row) => row.type === type),
          ),
        );
        return { items, is_paginated: false as const };
      },
    });
  };

export const getEmailTemplateRoute =
  (deps: Deps): FastifyPluginAsyncZod =>
  async (app) => {
    app.get('/email-templates/:type', {
      schema: {
        tags,
        summary: 'The wording of one kind of mail',
        description: 'The project’s own, part by part, before Gatebook’s.',
        params,
        response: { 200: EmailTemplateView },
      },
      handler: async (request) => findTemplate(deps, callerOf(request).projectId, request.params.type),
    });
  };

export const updateEmailTemplateRoute =
  (deps: Deps): FastifyPluginAsyncZod =>
  async (app) => {
    app.patch('/email-templates/:type', {
      schema: {
        tags,
        summary: 'Give one kind of mail a wording of the project’s own',
        description: 'Subject, content, or both. Needs a mail server of the project’s own.',
        params,
        body: EmailTemplatePatch,
        response: { 200: EmailTemplateView },
      },
      handler: async (request, reply) => {
        const caller = callerOf(request);
        const { type: templateType } = request.params;
        const { subject, content } = request.body;
        if (caller.project.project.config.emailConfig.type === 'shared') reject('EMAIL_CONFIG_IS_SHARED');
        if (content !== undefined && emailContentFaults(content).length > 0) {
          return reject('EMAIL_CONTENT_INVALID', { faults: emailContentFaults(content) });
        }
        const before = await findTemplate(deps, caller.projectId, templateType);
        const parsed = content === undefined ? undefined : EmailContent.parse(content);
        const change = { templateType, subject, content: parsed as never };
        const { position } = await changeEmailTemplate(deps, contextOf(request, caller), change);
        return afterWrite(
          deps,
          reply,
          position,
          () => findTemplate(deps, caller.projectId, templateType),
          () => ({
            ...before,
            subject: subject || before.subject,
            content: (parsed ?? before.content) as EmailTemplateView['content'],
            is_default: false,
          }),
        );
      },
    });
  };

export const resetEmailTemplateRoute =
  (deps: Deps): FastifyPluginAsyncZod =>
  async (app) => {
    app.delete('/email-templates/:type', {
      schema: {
        tags,
        summary: 'Back to Gatebook’s wording',
        description: 'For one kind of mail.',
        params,
        response: { 200: Success },
      },
      handler: async (request, reply) => {
        const { type: templateType } = request.params;
        const context = contextOf(request, callerOf(request));
        const { position } = await resetEmailTemplate(deps, context, { templateType });
        await waitFor(deps, reply, position);
        return { success: true } as const;
      },
    });
  };

/** How a mail would look, stored or not; `variables` tells what its texts may use. */
export const previewEmailRoute =
  (deps: Deps): FastifyPluginAsyncZod =>
  async (app) => {
    app.post('/internal/email-templates/:type/preview', {
      schema: {
        tags,
        summary: 'Look at a wording',
        description:
          'As it is stored, or with the parts that are sent; nothing is kept. `variables` tells what texts may use.',
        params,
        body: EmailPreviewRequest,
        response: { 200: EmailPreview },
      },
      handler: async (request) => {
        const { projectId, project } = callerOf(request);
        const { type } = request.params;
        const { subject, content, variables } = request.body;
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
        const samples = { ...sampleVariables(type), projectDisplayName: project.project.displayName };
        const rendered = await renderEmail({ template, variables: { ...samples, ...variables }, known });
        return { ...rendered, variables: [...known] };
      },
    });
  };
