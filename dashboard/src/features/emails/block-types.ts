import type { EmailBlock } from '@gatebook/js/admin';
import { t } from '@lingui/core/macro';
import { type FieldPart, readValue } from './content-tree.ts';

type Choice = { value: string; label: string };
/** A field of the form of a block. Without a value, the email uses its default. */
export type BlockField = { part: FieldPart; name: string; label: string } & (
  | { kind: 'line' | 'lines' | 'color' | 'switch'; description?: string; placeholder?: string }
  | { kind: 'number'; placeholder: string }
  | { kind: 'choice'; choices: readonly Choice[] }
);
/** A field that is not a number. */
export type PlainField = Exclude<BlockField, { kind: 'number' }>;
export type BlockType = { label: string; fields: readonly BlockField[] };

const choicesOf = (labels: Readonly<Record<string, string>>): Choice[] =>
  Object.entries(labels).map(([value, label]) => ({ value, label }));

export const fontField: PlainField = {
  part: 'style',
  name: 'fontFamily',
  label: t`Font`,
  kind: 'choice',
  choices: choicesOf({
    MODERN_SANS: t`Modern sans`,
    BOOK_SANS: t`Book sans`,
    ORGANIC_SANS: t`Organic sans`,
    GEOMETRIC_SANS: t`Geometric sans`,
    HEAVY_SANS: t`Heavy sans`,
    ROUNDED_SANS: t`Rounded sans`,
    MODERN_SERIF: t`Modern serif`,
    BOOK_SERIF: t`Book serif`,
    MONOSPACE: t`Monospace`,
  }),
};
const align: BlockField = {
  part: 'style',
  name: 'textAlign',
  label: t`Alignment`,
  kind: 'choice',
  choices: choicesOf({ left: t`Left`, center: t`Center`, right: t`Right` }),
};
const color = (part: FieldPart, name: string, label: string): BlockField => ({ part, name, label, kind: 'color' });
const background = color('style', 'backgroundColor', t`Background`);
const fontSize = (placeholder: string): BlockField => ({
  part: 'style',
  name: 'fontSize',
  label: t`Font size`,
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
    label: t`Heading`,
    fields: [
      prop('text', t`Text`, 'lines'),
      choice('level', t`Size`, { h1: t`Large`, h2: t`Medium`, h3: t`Small` }),
      align,
      color('style', 'color', t`Text color`),
      fontField,
    ],
  },
  Text: {
    label: t`Text`,
    fields: [
      prop('text', t`Text`, 'lines', t`**bold** and [label](https://example.com) work here.`),
      fontSize('16'),
      align,
      color('style', 'color', t`Text color`),
      background,
      fontField,
    ],
  },
  Button: {
    label: t`Button`,
    fields: [
      prop('text', t`Text`, 'line'),
      prop('url', 'URL', 'line'),
      color('props', 'buttonBackgroundColor', t`Button color`),
      color('props', 'buttonTextColor', t`Text color`),
      choice('buttonStyle', t`Corners`, { rectangle: t`Square`, rounded: t`Rounded`, pill: t`Pill` }),
      choice('size', t`Size`, { 'x-small': t`Extra small`, small: t`Small`, medium: t`Medium`, large: t`Large` }),
      align,
      prop('fullWidth', t`Full width`, 'switch'),
    ],
  },
  Image: {
    label: t`Image`,
    fields: [
      prop('url', t`Image URL`, 'line', t`Starts with https://. Email clients load it from there.`),
      prop('alt', t`Alternative text`, 'line', t`Read out and shown while the image is not loaded.`),
      prop('linkHref', t`Link`, 'line'),
      size('width', t`Width`, 'automatic'),
      size('height', t`Height`, 'automatic'),
      align,
      background,
    ],
  },
  Divider: {
    label: t`Divider`,
    fields: [color('props', 'lineColor', t`Line color`), size('lineHeight', t`Thickness`, '1')],
  },
  Spacer: { label: t`Spacer`, fields: [size('height', t`Height`, '16')] },
  ColumnsContainer: {
    label: t`Columns`,
    fields: [
      size('columnsGap', t`Gap`, '0'),
      choice('contentAlignment', t`Vertical alignment`, { top: t`Top`, middle: t`Middle`, bottom: t`Bottom` }),
      background,
    ],
  },
  Container: {
    label: t`Box`,
    fields: [
      background,
      color('style', 'borderColor', t`Border color`),
      { part: 'style', name: 'borderRadius', label: t`Corner radius`, kind: 'number', placeholder: '0' },
    ],
  },
} as const satisfies Readonly<Record<string, BlockType>>;
export type BlockTypeName = keyof typeof blockTypes;
export const blockTypeNames = Object.keys(blockTypes) as readonly BlockTypeName[];

export const findBlockType = ({ type }: EmailBlock): BlockType | undefined =>
  Object.hasOwn(blockTypes, type) ? blockTypes[type as BlockTypeName] : undefined;

const inset = { left: 32, right: 32 };
const defaults: Readonly<Record<BlockTypeName, EmailBlock['data']>> = {
  Heading: { props: { text: t`Heading`, level: 'h2' }, style: { padding: { top: 28, bottom: 4, ...inset } } },
  Text: { props: { text: t`Text` }, style: { fontSize: 16, padding: { top: 8, bottom: 8, ...inset } } },
  Button: {
    props: { text: t`Open`, url: 'https://example.com' },
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
  return kind === 'color' && !isColor(value) ? t`Enter a color like #1a2b3c` : null;
}
