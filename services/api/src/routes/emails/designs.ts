import { uuid } from '@gatebook/contract/common';
import {
  BuiltInTemplateList,
  EmailDesignPatch,
  EmailHtml,
  NewEmailDesign,
  NoDrafts,
  NoThemes,
  RenderEmail,
} from '@gatebook/contract/email-designs';
import { EmptyBody } from '@gatebook/contract/oauth';
import { templateIds, templateWithId } from '@gatebook/contract/template-ids';
import { TemplateType } from '@gatebook/domain/email/events';
import { reject } from '@gatebook/domain/errors';
import { renderEmail } from '@gatebook/mail/render';
import { sampleVariables, variableNames } from '@gatebook/mail/variables';
import { z } from 'zod';
import { adminOnly } from '../../access.ts';
import { defineRoute, type Route } from '../../http/define-route.ts';
import { findTemplate } from './templates.ts';
import { toTemplate } from './wire.ts';

/*
 * Newer clients write templates, themes and drafts in TSX, which Gatebook does not run (protocol, projects §12.5). The
 * built-in templates are listed by the IDs that these clients use.
 */

const tags = ['Emails'];
const noTsx = 'Gatebook does not render TSX. Change subject and content with PATCH /email-templates/{type}.';

const displayNames: Readonly<Record<TemplateType, string>> = {
  email_verification: 'Email Verification',
  password_reset: 'Password Reset',
  magic_link: 'Magic Link/OTP',
  team_invitation: 'Team Invitation',
};

/** @throws DomainError EMAIL_TEMPLATE_NOT_FOUND */
const requireTemplate = (id: string): TemplateType => templateWithId(id) ?? reject('EMAIL_TEMPLATE_NOT_FOUND');

const listTemplatesById = defineRoute({
  method: 'GET',
  path: '/internal/email-templates',
  access: adminOnly,
  tags,
  summary: 'List email templates by ID',
  description: 'The built-in templates. They have no TSX source.',
  response: { 200: BuiltInTemplateList },
  handle: async () => {
    const templates = TemplateType.options.map((type) => {
      return { id: templateIds[type], display_name: displayNames[type], tsx_source: '' as const };
    });
    return { templates };
  },
});

const updateTemplateById = defineRoute({
  method: 'PATCH',
  path: '/internal/email-templates/:template_id',
  bodySize: 'large',
  access: adminOnly,
  errors: ['EMAIL_TEMPLATE_NOT_FOUND', 'EMAIL_RENDERING_ERROR'],
  tags,
  summary: 'Update an email template by ID (not supported)',
  description: 'Always rejected, because Gatebook does not render TSX.',
  params: z.strictObject({ template_id: uuid }),
  body: EmailDesignPatch,
  response: { 200: EmptyBody },
  handle: async ({ params }) => {
    requireTemplate(params.template_id);
    return reject('EMAIL_RENDERING_ERROR', { error: noTsx });
  },
});

const deleteTemplateById = defineRoute({
  method: 'DELETE',
  path: '/internal/email-templates/:template_id',
  access: adminOnly,
  errors: ['EMAIL_TEMPLATE_NOT_FOUND', 'EMAIL_TEMPLATES_FIXED'],
  tags,
  summary: 'Delete an email template by ID (not supported)',
  description: 'Always rejected, because the built-in templates can’t be deleted.',
  params: z.strictObject({ template_id: uuid }),
  response: { 200: EmptyBody },
  handle: async ({ params }) => {
    requireTemplate(params.template_id);
    return reject('EMAIL_TEMPLATES_FIXED');
  },
});

const rejectCreation = (path: string, noun: string) =>
  defineRoute({
    method: 'POST',
    path,
    bodySize: 'large',
    access: adminOnly,
    errors: ['EMAIL_TEMPLATES_FIXED'],
    tags,
    summary: `Create an email ${noun} (not supported)`,
    description: `Always rejected, because an email ${noun} can’t be added.`,
    body: NewEmailDesign,
    response: { 200: EmptyBody },
    handle: async () => reject('EMAIL_TEMPLATES_FIXED'),
  });

const themeId = z.strictObject({ theme_id: uuid });
const draftId = z.strictObject({ draft_id: uuid });
const absentTheme = { errors: ['EMAIL_THEME_NOT_FOUND'], tags, params: themeId, response: { 200: EmptyBody } } as const;
const absentDraft = { errors: ['EMAIL_DRAFT_NOT_FOUND'], tags, params: draftId, response: { 200: EmptyBody } } as const;
const noThemes = 'Always 404, because Gatebook has no email themes.';
const noDrafts = 'Always 404, because Gatebook has no email drafts.';

const listThemes = defineRoute({
  method: 'GET',
  path: '/internal/email-themes',
  access: adminOnly,
  tags,
  summary: 'List email themes',
  description: 'Always empty.',
  response: { 200: NoThemes },
  handle: async () => ({ themes: [] }),
});

const getTheme = defineRoute({
  method: 'GET',
  path: '/internal/email-themes/:theme_id',
  access: adminOnly,
  ...absentTheme,
  summary: 'Get an email theme',
  description: noThemes,
  handle: async () => reject('EMAIL_THEME_NOT_FOUND'),
});

const updateTheme = defineRoute({
  method: 'PATCH',
  path: '/internal/email-themes/:theme_id',
  bodySize: 'large',
  access: adminOnly,
  ...absentTheme,
  summary: 'Update an email theme',
  description: noThemes,
  body: EmailDesignPatch,
  handle: async () => reject('EMAIL_THEME_NOT_FOUND'),
});

const deleteTheme = defineRoute({
  method: 'DELETE',
  path: '/internal/email-themes/:theme_id',
  access: adminOnly,
  ...absentTheme,
  summary: 'Delete an email theme',
  description: noThemes,
  handle: async () => reject('EMAIL_THEME_NOT_FOUND'),
});

const listDrafts = defineRoute({
  method: 'GET',
  path: '/internal/email-drafts',
  access: adminOnly,
  tags,
  summary: 'List email drafts',
  description: 'Always empty.',
  response: { 200: NoDrafts },
  handle: async () => ({ drafts: [] }),
});

const updateDraft = defineRoute({
  method: 'PATCH',
  path: '/internal/email-drafts/:draft_id',
  bodySize: 'large',
  access: adminOnly,
  ...absentDraft,
  summary: 'Update an email draft',
  description: noDrafts,
  body: EmailDesignPatch,
  handle: async () => reject('EMAIL_DRAFT_NOT_FOUND'),
});

const deleteDraft = defineRoute({
  method: 'DELETE',
  path: '/internal/email-drafts/:draft_id',
  access: adminOnly,
  ...absentDraft,
  summary: 'Delete an email draft',
  description: noDrafts,
  handle: async () => reject('EMAIL_DRAFT_NOT_FOUND'),
});

const renderById = defineRoute({
  method: 'POST',
  path: '/emails/render-email',
  bodySize: 'large',
  access: adminOnly,
  role: 'read_only',
  errors: ['EMAIL_TEMPLATE_NOT_FOUND', 'EMAIL_THEME_NOT_FOUND', 'EMAIL_RENDERING_ERROR'],
  tags,
  summary: 'Render an email template by ID',
  description: 'The template as the project uses it, with sample values. TSX source is rejected.',
  body: RenderEmail,
  response: { 200: EmailHtml },
  handle: async ({ deps, caller, body }) => {
    const { template_id, template_tsx_source, theme_id, theme_tsx_source } = body;
    if (template_tsx_source !== undefined || theme_tsx_source !== undefined) {
      reject('EMAIL_RENDERING_ERROR', { error: noTsx });
    }
    if (typeof theme_id === 'string') reject('EMAIL_THEME_NOT_FOUND');
    const type = requireTemplate(template_id ?? '');
    const template = toTemplate(await findTemplate(deps, caller.projectId, type));
    const variables = { ...sampleVariables(type), projectDisplayName: caller.project.displayName };
    const { branding } = caller.project.settings;
    const { html } = await renderEmail({ template, variables, known: variableNames[type], branding });
    return { position: null, body: { html } };
  },
});

export const emailDesignRoutes: readonly Route[] = [
  listTemplatesById,
  rejectCreation('/internal/email-templates', 'template'),
  updateTemplateById,
  deleteTemplateById,
  listThemes,
  rejectCreation('/internal/email-themes', 'theme'),
  getTheme,
  updateTheme,
  deleteTheme,
  listDrafts,
  rejectCreation('/internal/email-drafts', 'draft'),
  updateDraft,
  deleteDraft,
  renderById,
];
