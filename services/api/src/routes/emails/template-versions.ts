import { changeEmailTemplate, resetEmailTemplate } from '@gatebook/commands/project/project';
import { Success } from '@gatebook/contract/common';
import {
  EmailTemplateReplacement,
  EmailTemplateTextList,
  EmailTemplateVersionView,
  templateLanguage,
  templateType,
} from '@gatebook/contract/emails';
import { TemplateType } from '@gatebook/domain/email/events';
import { type Language, languages } from '@gatebook/domain/email/languages';
import { versionIdOf } from '@gatebook/domain/email/template-versions';
import { chooseVersion } from '@gatebook/mail/choose-template';
import { findTemplateVersions, listEditedVersions } from '@gatebook/readmodel/emails/queries';
import { z } from 'zod';
import { adminOnly } from '../../access.ts';
import type { Deps } from '../../deps.ts';
import { answerSuccess, defineRoute } from '../../http/define-route.ts';
import { parseContent } from './templates.ts';
import { sourceOf, toVersionView } from './wire.ts';

/*
 * An owner can edit a template in each language. The routes of the protocol know only the default version, which is for
 * readers of the other languages (docs/decisions/0132).
 */

const tags = ['Emails'];
const params = z.strictObject({ type: templateType, language: templateLanguage });

export async function findTemplateVersion(
  { db }: Deps,
  projectId: string,
  { type, language }: { type: TemplateType; language: Language },
): Promise<EmailTemplateVersionView> {
  return toVersionView(type, language, await findTemplateVersions(db, projectId, type, [language, null]));
}

const listTemplateTexts = defineRoute({
  method: 'GET',
  path: '/internal/email-template-versions',
  asOf: [],
  access: adminOnly,
  tags,
  summary: 'List which texts of email templates are sent in each language',
  description:
    'Each type in each language. `source` says what a reader of the language gets: `version`, the version for the language; `default_version`, the edited default version; `built_in`, Gatebook’s text in the language.',
  response: { 200: EmailTemplateTextList },
  handle: async ({ deps, caller }) => {
    const edited = new Set((await listEditedVersions(deps.db, caller.projectId)).map(versionIdOf));
    const items = TemplateType.options.flatMap((templateType) => {
      const find = (language: Language | null) => edited.has(versionIdOf({ templateType, language })) || undefined;
      return languages.map((language) => {
        return { type: templateType, language, source: sourceOf(chooseVersion(find, language)) };
      });
    });
    return { items, is_paginated: false as const };
  },
});

const getTemplateVersion = defineRoute({
  method: 'GET',
  path: '/internal/email-templates/:type/versions/:language',
  asOf: [],
  access: adminOnly,
  tags,
  summary: 'Get an email template in a language',
  description: 'What a reader of the language gets, and Gatebook’s text in the language.',
  params,
  response: { 200: EmailTemplateVersionView },
  handle: async ({ deps, caller, params }) => findTemplateVersion(deps, caller.projectId, params),
});

const replaceTemplateVersion = defineRoute({
  method: 'PUT',
  path: '/internal/email-templates/:type/versions/:language',
  bodySize: 'medium',
  access: adminOnly,
  isPreviewable: true,
  errors: ['EMAIL_CONTENT_INVALID'],
  tags,
  summary: 'Replace an email template in a language',
  description: 'Replaces subject and content of the version for the language. Other versions do not change.',
  params,
  body: EmailTemplateReplacement,
  response: { 200: EmailTemplateVersionView },
  handle: async ({ deps, caller, context, params, body }) => {
    const { subject } = body;
    const content = parseContent(body.content);
    const { type, language } = params;
    const before = await findTemplateVersion(deps, caller.projectId, params);
    const change = { templateType: type, language, subject, content: content as never };
    const { position } = await changeEmailTemplate(deps, context, change);
    return {
      position,
      body: () => findTemplateVersion(deps, caller.projectId, params),
      stale: () => ({
        ...before,
        subject,
        content: content as EmailTemplateVersionView['content'],
        source: 'version' as const,
      }),
    };
  },
});

const resetTemplateVersion = defineRoute({
  method: 'DELETE',
  path: '/internal/email-templates/:type/versions/:language',
  access: adminOnly,
  isPreviewable: true,
  errors: ['EMAIL_TEMPLATE_ALREADY_DEFAULT'],
  tags,
  summary: 'Reset an email template in a language',
  description:
    'Removes the version for the language. Its readers get the edited default version, or else Gatebook’s text in the language.',
  params,
  response: { 200: Success },
  handle: async ({ deps, context, params }) => {
    const { type: templateType, language } = params;
    const { position } = await resetEmailTemplate(deps, context, { templateType, language });
    return answerSuccess(position);
  },
});

export const templateVersionRoutes = [
  listTemplateTexts,
  getTemplateVersion,
  replaceTemplateVersion,
  resetTemplateVersion,
] as const;
