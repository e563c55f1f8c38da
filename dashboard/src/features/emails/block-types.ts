import type { EmailBlock } from '@gatebook/js/admin';
import { type FieldPart, readValue } from './content-tree.ts';

type Choice = { value: string; label: string };
/** A field of the form of a block. Without a value, the email uses its default. */
export type BlockField = { part: FieldPart; name: string; label: string } & (
  | { kind: 'line' | 'lines' | 'color' | 'switch'; description?: string; placeholder?: string }
  | { kind: 'number'; placeholder: string }
  | { kind: 'choice'; choices: readonly Choice[] }
);
export type BlockType = { label: string; fields: readonly BlockField[] };

const choicesOf = (labels: Readonly<Record<string, string>>): Choice[] =>
  Object.entries(labels).map(([value, label]) => ({ value, label }));

export const fontField: BlockField = {
  part: 'style',
  name: 'fontFamily',
  label: 'Font',
  kind: 'choice',
  choices: choicesOf({
    MODERN_SANS: 'Modern sans',
    BOOK_SANS: 'Book sans',
    ORGANIC_SANS: 'Organic sans',
    GEOMETRIC_SANS: 'Geometric sans',
    HEAVY_SANS: 'Heavy sans',
    ROUNDED_SANS: 'Rounded sans',
    MODERN_SERIF: 'Modern serif',
    BOOK_SERIF: 'Book serif',
    MONOSPACE: 'Monospace',
  }),
};
const align: BlockField = {
  part: 'style',
  name: 'textAlign',
  label: 'Alignment',
  kind: 'choice',
  choices: choicesOf({ left: 'Left', center: 'Center', right: 'Right' }),
};
const color = (part: FieldPart, name: string, label: string): BlockField => ({ part, name, label, kind: 'color' });
const background = color('style', 'backgroundColor', 'Background');
const fontSize = (placeholder: string): BlockField => ({
  part: 'style',
  name: 'fontSize',
  label: 'Font size',
  kind: 'number',
  placeholder,
});
const prop = (name: string, label: string, kind: 'line' | 'lines' | 'switch', description?: string): BlockField => ({
  part: 'props',
  name,
  label,
  kind,
  ...(description && { description }),
});
const size = (name: string, label: string, placeholder: string): BlockField => ({
  part: 'props',
  name,
  label,
  kind: 'number',
  placeholder,
});
const choice = (name: string, label: string, labels: Readonly<Record<string, string>>): BlockField => ({
  part: 'props',
  name,
  label,
  kind: 'choice',
  choices: choicesOf(labels),
});

/** The blocks that can be added, in the order of the menu (protocol, projects §7). */
export const blockTypes = {
  Heading: {
    label: 'Heading',
    fields: [
      prop('text', 'Text', 'lines'),
      choice('level', 'Size', { h1: 'Large', h2: 'Medium', h3: 'Small' }),
      align,
      color('style', 'color', 'Text color'),
      fontField,
    ],
  },
  Text: {
    label: 'Text',
    fields: [
      prop('text', 'Text', 'lines', '**bold** and [label](https://example.com) work here.'),
      fontSize('16'),
      align,
      color('style', 'color', 'Text color'),
      background,
      fontField,
    ],
  },
  Button: {
    label: 'Button',
    fields: [
      prop('text', 'Text', 'line'),
      prop('url', 'URL', 'line'),
      color('props', 'buttonBackgroundColor', 'Button color'),
      color('props', 'buttonTextColor', 'Text color'),
      choice('buttonStyle', 'Corners', { rectangle: 'Square', rounded: 'Rounded', pill: 'Pill' }),
      choice('size', 'Size', { 'x-small': 'Extra small', small: 'Small', medium: 'Medium', large: 'Large' }),
      align,
      prop('fullWidth', 'Full width', 'switch'),
    ],
  },
  Image: {
    label: 'Image',
    fields: [
      prop('url', 'Image URL', 'line', 'Starts with https://. Email clients load it from there.'),
      prop('alt', 'Alternative text', 'line', 'Read out and shown while the image is not loaded.'),
      prop('linkHref', 'Link', 'line'),
      size('width', 'Width', 'automatic'),
      size('height', 'Height', 'automatic'),
      align,
      background,
    ],
  },
  Divider: {
    label: 'Divider',
    fields: [color('props', 'lineColor', 'Line color'), size('lineHeight', 'Thickness', '1')],
  },
  Spacer: { label: 'Spacer', fields: [size('height', 'Height', '16')] },
  ColumnsContainer: {
    label: 'Columns',
    fields: [
      size('columnsGap', 'Gap', '0'),
      choice('contentAlignment', 'Vertical alignment', { top: 'Top', middle: 'Middle', bottom: 'Bottom' }),
      background,
    ],
  },
  Container: {
    label: 'Box',
    fields: [
      background,
      color('style', 'borderColor', 'Border color'),
      { part: 'style', name: 'borderRadius', label: 'Corner radius', kind: 'number', placeholder: '0' },
    ],
  },
} as const satisfies Readonly<Record<string, BlockType>>;
export type BlockTypeName = keyof typeof blockTypes;
export const blockTypeNames = Object.keys(blockTypes) as readonly BlockTypeName[];

export const findBlockType = ({ type }: EmailBlock): BlockType | undefined =>
  Object.hasOwn(blockTypes, type) ? blockTypes[type as BlockTypeName] : undefined;

const inset = { left: 32, right: 32 };
const defaults: Readonly<Record<BlockTypeName, EmailBlock['data']>> = {
  Heading: { props: { text: 'Heading', level: 'h2' }, style: { padding: { top: 28, bottom: 4, ...inset } } },
  Text: { props: { text: 'Text' }, style: { fontSize: 16, padding: { top: 8, bottom: 8, ...inset } } },
  Button: {
    props: { text: 'Open', url: 'https://example.com' },
    style: { textAlign: 'left', padding: { top: 16, bottom: 16, ...inset } },
  },
  Image: { props: { url: '', alt: '' }, style: { padding: { top: 16, bottom: 16, ...inset } } },
  Divider: { props: { lineHeight: 1 }, style: { padding: { top: 16, bottom: 8, ...inset } } },
  Spacer: { props: { height: 16 } },
  ColumnsContainer: {
    props: { columnsCount: 2, columnsGap: 16, columns: [1, 2, 3].map(() => ({ childrenIds: [] })) },
  },
  Container: { props: { childrenIds: [] }, style: { padding: { top: 8, bottom: 8, ...inset } } },
};

/** A new block, with the spacing of the default templates. */
export const newBlock = (type: BlockTypeName): EmailBlock => ({ type, data: defaults[type] });

/** What tells a block from the others of its type. */
export function excerptOf(block: EmailBlock): string {
  const [text = ''] = ['text', 'alt', 'url']
    .map((name) => readValue(block, 'props', name))
    .filter((value) => typeof value === 'string' && value !== '');
  return String(text);
}

/** Name of a block for people who cannot see where it is. */
export function nameOf(block: EmailBlock): string {
  const label = findBlockType(block)?.label ?? block.type;
  const excerpt = excerptOf(block);
  return excerpt === '' ? label : `${label}: ${excerpt}`;
}

const isColor = (value: unknown): boolean => typeof value === 'string' && /^#[0-9a-f]{6}$/i.test(value);

/** Why a value can't be saved; the server checks the rest. */
export function fieldFault({ kind }: Pick<BlockField, 'kind'>, value: unknown): string | null {
  if (value === undefined) return null;
  return kind === 'color' && !isColor(value) ? 'Enter a color like #1a2b3c' : null;
}
