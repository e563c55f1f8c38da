import { z } from 'zod';
import { flag, millis, name, textOf, textUpTo, uuid } from './common.ts';

/** (protocol, projects §12.5) What newer clients call templates, themes and drafts: programs in TSX. */
const tsxSource = textUpTo(262_144);
const theme = z.union([z.null(), flag.refine((value) => !value, 'must be false'), uuid]);

export const BuiltInTemplateList = z
  .object({ templates: z.array(z.object({ id: z.uuid(), display_name: z.string(), tsx_source: z.literal('') })) })
  .meta({ id: 'BuiltInTemplateList' });
export const NoThemes = z
  .object({ themes: z.array(z.never()) })
  .meta({ id: 'EmailThemeList', description: 'Always empty.' });
export const NoDrafts = z
  .object({ drafts: z.array(z.never()) })
  .meta({ id: 'EmailDraftList', description: 'Always empty.' });

export const NewEmailDesign = z
  .strictObject({ display_name: name.optional(), tsx_source: tsxSource.optional(), theme_id: theme.optional() })
  .meta({ id: 'NewEmailDesign' });
export const EmailDesignPatch = z
  .strictObject({
    display_name: name.optional(),
    tsx_source: tsxSource.optional(),
    theme_id: theme.optional(),
    sent_at_millis: z.union([z.null(), millis]).optional(),
  })
  .meta({ id: 'EmailDesignPatch' });

export const RenderEmail = z
  .strictObject({
    template_id: uuid.optional(),
    template_tsx_source: tsxSource.optional(),
    theme_id: theme.optional(),
    theme_tsx_source: tsxSource.optional(),
    editable_markers: flag.optional(),
    editable_source: textOf(z.enum(['template', 'theme', 'both'])).optional(),
  })
  .refine(
    ({ template_id, template_tsx_source }) => (template_id === undefined) !== (template_tsx_source === undefined),
    'must have either template_id or template_tsx_source',
  )
  .meta({ id: 'RenderEmail' });
export const EmailHtml = z.object({ html: z.string() }).meta({ id: 'EmailHtml' });
