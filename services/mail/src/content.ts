import { z } from 'zod';

/** The blocks of an email (protocol, projects §7). Every field can be absent or null. */
const optional = <Schema extends z.ZodType>(schema: Schema) => schema.nullish();
const text = optional(z.string().max(10_000));
const url = optional(z.string().max(4_000));
const color = optional(z.string().regex(/^#[0-9a-fA-F]{6}$/, 'must be a color like #1a2b3c'));
const fontFamily = optional(
  z.enum([
    'MODERN_SANS',
    'BOOK_SANS',
    'ORGANIC_SANS',
    'GEOMETRIC_SANS',
    'HEAVY_SANS',
    'ROUNDED_SANS',
    'MODERN_SERIF',
    'BOOK_SERIF',
    'MONOSPACE',
  ]),
);
const fontWeight = optional(z.enum(['bold', 'normal']));
const textAlign = optional(z.enum(['left', 'center', 'right']));
const size = z.number().min(0).max(2_000);
const padding = optional(z.object({ top: size, bottom: size, right: size, left: size }));
const contentAlignment = optional(z.enum(['top', 'middle', 'bottom']));
const ids = z.array(z.string()).max(500);
const typeface = { fontFamily, fontWeight, textAlign, padding, backgroundColor: color };

export const EmailBlock = z.discriminatedUnion('type', [
  z.object({
    type: z.literal('EmailLayout'),
    data: z.object({
      backdropColor: color,
      canvasColor: color,
      textColor: color,
      fontFamily,
      childrenIds: optional(ids),
    }),
  }),
  z.object({
    type: z.literal('Heading'),
    data: z.object({
      props: optional(z.object({ text, level: optional(z.enum(['h1', 'h2', 'h3'])) })),
      style: optional(z.object({ ...typeface, color })),
    }),
  }),
  z.object({
    type: z.literal('Text'),
    data: z.object({
      props: optional(z.object({ text })),
      style: optional(z.object({ ...typeface, color, fontSize: optional(size) })),
    }),
  }),
  z.object({
    type: z.literal('Button'),
    data: z.object({
      props: optional(
        z.object({
          text,
          url,
          buttonBackgroundColor: color,
          buttonTextColor: color,
          buttonStyle: optional(z.enum(['rectangle', 'pill', 'rounded'])),
          size: optional(z.enum(['x-small', 'small', 'medium', 'large'])),
          fullWidth: optional(z.boolean()),
        }),
      ),
      style: optional(z.object({ ...typeface, fontSize: optional(size) })),
    }),
  }),
  z.object({
    type: z.literal('Image'),
    data: z.object({
      props: optional(
        z.object({
          url,
          alt: text,
          linkHref: url,
          contentAlignment,
          width: optional(size),
          height: optional(size),
        }),
      ),
      style: optional(z.object({ padding, backgroundColor: color, textAlign })),
    }),
  }),
  z.object({
    type: z.literal('Divider'),
    data: z.object({
      props: optional(z.object({ lineColor: color, lineHeight: optional(size) })),
      style: optional(z.object({ backgroundColor: color, padding })),
    }),
  }),
  z.object({
    type: z.literal('Spacer'),
    data: z.object({ props: optional(z.object({ height: optional(size) })) }),
  }),
  z.object({
    type: z.literal('Container'),
    data: z.object({
      props: optional(z.object({ childrenIds: optional(ids) })),
      style: optional(z.object({ backgroundColor: color, borderColor: color, borderRadius: optional(size), padding })),
    }),
  }),
  z.object({
    type: z.literal('ColumnsContainer'),
    data: z.object({
      props: optional(
        z.object({
          columns: z.array(z.object({ childrenIds: ids })).length(3),
          columnsCount: optional(z.union([z.literal(2), z.literal(3)])),
          columnsGap: optional(size),
          contentAlignment,
          fixedWidths: optional(z.array(size.nullable()).length(3)),
        }),
      ),
      style: optional(z.object({ backgroundColor: color, padding })),
    }),
  }),
]);
export type EmailBlock = z.infer<typeof EmailBlock>;
export type BlockOf<Type extends EmailBlock['type']> = Extract<EmailBlock, { type: Type }>['data'];

/** Maps block IDs to blocks; `root` is the EmailLayout. A missing root or child is skipped. */
export const EmailContent = z
  .record(z.string(), EmailBlock)
  .refine((content) => Object.keys(content).length <= 500, 'has more than 500 blocks');
export type EmailContent = z.infer<typeof EmailContent>;

/** Validation errors of an email's content, at most 20; empty when it is valid. */
export function listContentErrors(content: unknown): string[] {
  const parsed = EmailContent.safeParse(content);
  if (parsed.success) return [];
  return parsed.error.issues.slice(0, 20).map(({ path, message }) => `${path.join('.') || 'content'}: ${message}`);
}
