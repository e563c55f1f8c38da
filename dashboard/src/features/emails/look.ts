import type { EmailBlock, EmailContent } from '@gatebook/js/admin';
import { t } from '@lingui/core/macro';
import { fieldFault, findBlockType, fontField, newBlock, type PlainField } from './block-types.ts';
import { addBlock, findBlock, readTree, readValue, removeBlock, withValue } from './content-tree.ts';

/** The logo, the colors and the font of an email; undefined: the default. */
export type Look = {
  logoUrl: string | undefined;
  backdropColor: string | undefined;
  canvasColor: string | undefined;
  textColor: string | undefined;
  fontFamily: string | undefined;
  buttonColor: string | undefined;
  buttonTextColor: string | undefined;
};

const layoutNames = ['backdropColor', 'canvasColor', 'textColor', 'fontFamily'] as const;
const buttonNames = { buttonColor: 'buttonBackgroundColor', buttonTextColor: 'buttonTextColor' } as const;

const colorField = (name: keyof Look, label: string) => ({ part: 'data', name, label, kind: 'color' }) as const;

/** The fields of the form of the look. */
export const lookFields: readonly (PlainField & { name: keyof Look })[] = [
  {
    part: 'data',
    name: 'logoUrl',
    label: t`Logo URL`,
    kind: 'line',
    placeholder: 'https://example.com/logo.png',
    description: t`An image at the top of the email.`,
  },
  colorField('backdropColor', t`Page color`),
  colorField('canvasColor', t`Email color`),
  colorField('textColor', t`Text color`),
  colorField('buttonColor', t`Button color`),
  colorField('buttonTextColor', t`Button text color`),
  { ...fontField, part: 'data', name: 'fontFamily' },
];

/** The look of an email. All buttons have the color of the first one. */
export function readLook(content: EmailContent): Look {
  const root = findBlock(content, 'root');
  const button = Object.values(content).find(({ type }) => type === 'Button');
  const logo = findLogo(content);
  const text = (block: EmailBlock | undefined, part: 'data' | 'props', name: string) => {
    const value = block && readValue(block, part, name);
    return typeof value === 'string' ? value : undefined;
  };
  return {
    logoUrl: text(logo?.block, 'props', 'url'),
    backdropColor: text(root, 'data', 'backdropColor'),
    canvasColor: text(root, 'data', 'canvasColor'),
    textColor: text(root, 'data', 'textColor'),
    fontFamily: text(root, 'data', 'fontFamily'),
    buttonColor: text(button, 'props', buttonNames.buttonColor),
    buttonTextColor: text(button, 'props', buttonNames.buttonTextColor),
  };
}

/** Returns the content with some of its look changed: the layout, all buttons, and the image at the top. */
export function withLook(content: EmailContent, look: Partial<Look>): EmailContent {
  let changed = content;
  for (const name of layoutNames) {
    if (name in look) changed = withValue(changed, 'root', { part: 'data', name }, look[name]);
  }
  for (const [id, { type }] of Object.entries(content)) {
    for (const [from, name] of Object.entries(buttonNames)) {
      if (type !== 'Button' || !(from in look)) continue;
      changed = withValue(changed, id, { part: 'props', name }, look[from as keyof typeof buttonNames]);
    }
  }
  return 'logoUrl' in look ? withLogo(changed, look.logoUrl) : changed;
}

/** Why a look can't be saved. */
export const lookFault = (name: keyof Look, value: unknown): string | null =>
  fieldFault({ kind: name.endsWith('Color') ? 'color' : 'line' }, value);

/** The image at the top of the email. */
function findLogo(content: EmailContent) {
  const first = readTree(content)?.items[0];
  return first?.block.type === 'Image' ? first : undefined;
}

function withLogo(content: EmailContent, url: string | undefined): EmailContent {
  const logo = findLogo(content);
  if (logo && url === undefined) return removeBlock(content, logo.id);
  if (logo) return withValue(content, logo.id, { part: 'props', name: 'url' }, url);
  if (url === undefined || !readTree(content)) return content;
  const { data, ...image } = newBlock('Image');
  const props = { url, alt: '{{ projectDisplayName }}', height: 40 };
  const style = { padding: { top: 32, bottom: 0, left: 32, right: 32 } };
  return addBlock(
    content,
    { parentId: 'root', column: 0 },
    { ...image, data: { ...data, props, style } },
    { atStart: true },
  ).content;
}

/** Why the content can't be saved: the first wrong value of a block or of the layout. */
export function contentFault(content: EmailContent): string | null {
  const look = readLook(content);
  for (const { name, label } of lookFields) {
    const fault = lookFault(name, look[name]);
    if (fault !== null) return `${label}: ${fault}`;
  }
  for (const block of Object.values(content)) {
    const type = findBlockType(block);
    for (const field of type?.fields ?? []) {
      const fault = fieldFault(field, readValue(block, field.part, field.name));
      if (type && fault !== null) return `${type.label}, ${field.label}: ${fault}`;
    }
  }
  return null;
}
