import { z } from 'zod';
import { textOf, url } from './common.ts';

const imageUrl = url.refine((value) => /^https:/i.test(value), 'must be an HTTPS URL');
const color = textOf(
  z
    .string()
    .max(7)
    .regex(/^#[0-9a-f]{6}$/i, 'must be a color like #1a2b3c'),
);

export const BrandingView = z
  .object({
    logo_url: z.string().nullable(),
    dark_logo_url: z.string().nullable(),
    accent_color: z.string().nullable(),
  })
  .meta({ id: 'Branding', description: 'How sign-in pages and emails look. null: the default.' });
export type BrandingView = z.infer<typeof BrandingView>;

export const BrandingPatch = z
  .strictObject({
    logo_url: imageUrl.nullable().optional(),
    dark_logo_url: imageUrl.nullable().optional(),
    accent_color: color.nullable().optional(),
  })
  .meta({ id: 'BrandingPatch', description: 'Null goes back to the default.' });
export type BrandingPatch = z.infer<typeof BrandingPatch>;
