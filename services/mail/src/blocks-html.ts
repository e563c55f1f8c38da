import { Button, Column, Heading, Hr, Img, Link, Row, Section, Text } from '@react-email/components';
import { type CSSProperties, Fragment, createElement as h, type ReactNode } from 'react';
import type { BlockOf, EmailBlock, EmailContent } from './content.ts';
import { type Run, runsOf, safeHref, safeImage, textOf } from './inline.ts';
import type { Variables } from './template.ts';

export type Drawing = { content: EmailContent; variables: Variables; known: readonly string[] };

export const fontStacks: Readonly<Record<string, string>> = {
  MODERN_SANS: '"Helvetica Neue", "Arial Nova", "Nimbus Sans", Arial, sans-serif',
  BOOK_SANS: 'Optima, Candara, "Noto Sans", source-sans-pro, sans-serif',
  ORGANIC_SANS: 'Seravek, "Gill Sans Nova", Ubuntu, Calibri, "DejaVu Sans", source-sans-pro, sans-serif',
  GEOMETRIC_SANS: 'Avenir, "Avenir Next LT Pro", Montserrat, Corbel, "URW Gothic", source-sans-pro, sans-serif',
  HEAVY_SANS:
    'Bahnschrift, "DIN Alternate", "Franklin Gothic Medium", "Nimbus Sans Narrow", sans-serif-condensed, sans-serif',
  ROUNDED_SANS:
    'ui-rounded, "Hiragino Maru Gothic ProN", Quicksand, Comfortaa, Manjari, "Arial Rounded MT Bold", Calibri, source-sans-pro, sans-serif',
  MODERN_SERIF: 'Charter, "Bitstream Charter", "Sitka Text", Cambria, serif',
  BOOK_SERIF: '"Iowan Old Style", "Palatino Linotype", "URW Palladio L", P052, serif',
  MONOSPACE: '"Nimbus Mono PS", "Courier New", "Cutive Mono", monospace',
};

type Padding = { top: number; bottom: number; left: number; right: number } | null | undefined;
type Typeface = {
  color?: string | null | undefined;
  backgroundColor?: string | null | undefined;
  fontFamily?: string | null | undefined;
  fontSize?: number | null | undefined;
  fontWeight?: 'bold' | 'normal' | null | undefined;
  textAlign?: 'left' | 'center' | 'right' | null | undefined;
  padding?: Padding;
};

/** Blocks below `ids`, in order; a block that is missing, or that contains itself, is not drawn. */
export function drawBlocks(drawing: Drawing, ids: readonly string[], above: readonly string[] = []): ReactNode[] {
  return ids.map((id) => {
    const block = Object.hasOwn(drawing.content, id) ? drawing.content[id] : undefined;
    if (!block || above.includes(id)) return null;
    return h(Fragment, { key: id }, drawBlock(drawing, block, [...above, id]));
  });
}

function drawBlock(drawing: Drawing, block: EmailBlock, above: readonly string[]): ReactNode {
  switch (block.type) {
    case 'Heading':
      return drawHeading(drawing, block.data);
    case 'Text':
      return drawText(drawing, block.data);
    case 'Button':
      return drawButton(drawing, block.data);
    case 'Image':
      return drawImage(drawing, block.data);
    case 'Divider': {
      const { lineColor, lineHeight } = block.data.props ?? {};
      const line = { borderTop: `${lineHeight ?? 1}px solid ${lineColor ?? '#e4e7ee'}`, margin: 0 };
      return h(Section, { style: styleOf(block.data.style ?? {}) }, h(Hr, { style: line, className: 'line' }));
    }
    case 'Spacer':
      return h('div', { style: { height: block.data.props?.height ?? 16, lineHeight: '1px' } });
    case 'Container': {
      const { borderColor, borderRadius, ...style } = block.data.style ?? {};
      const frame: CSSProperties = borderColor ? { border: `1px solid ${borderColor}` } : {};
      const children = drawBlocks(drawing, block.data.props?.childrenIds ?? [], above);
      return h(Section, { style: { ...styleOf(style), ...frame, borderRadius: borderRadius ?? 0 } }, ...children);
    }
    case 'ColumnsContainer':
      return drawColumns(drawing, block.data, above);
    case 'EmailLayout':
      return null;
  }
}

const headingSizes = { h1: 32, h2: 24, h3: 20 } as const;

function drawHeading(drawing: Drawing, { props, style }: BlockOf<'Heading'>): ReactNode {
  const level = props?.level ?? 'h2';
  const weight: CSSProperties = { fontSize: headingSizes[level], lineHeight: 1.25, margin: 0, fontWeight: 700 };
  const letters: CSSProperties = style?.fontFamily === 'MONOSPACE' ? { letterSpacing: '0.14em' } : {};
  return h(
    Heading,
    { as: level, className: classOf(style), style: { ...weight, ...letters, ...styleOf(style ?? {}) } },
    ...drawRuns(runs(drawing, props?.text)),
  );
}

function drawText(drawing: Drawing, { props, style }: BlockOf<'Text'>): ReactNode {
  const size: CSSProperties = { fontSize: 16, lineHeight: 1.5, margin: 0 };
  return h(
    Text,
    { className: classOf(style), style: { ...size, ...styleOf(style ?? {}) } },
    ...drawRuns(runs(drawing, props?.text)),
  );
}

const buttonSizes = {
  'x-small': { padding: '4px 8px', fontSize: 13 },
  small: { padding: '8px 12px', fontSize: 14 },
  medium: { padding: '12px 20px', fontSize: 16 },
  large: { padding: '16px 32px', fontSize: 18 },
} as const;
const buttonCorners = { rectangle: 0, rounded: 6, pill: 64 } as const;

function drawButton(drawing: Drawing, { props, style }: BlockOf<'Button'>): ReactNode {
  const href = safeHref(plain(drawing, props?.url));
  const { fontSize, fontWeight, fontFamily, ...around } = style ?? {};
  const size = buttonSizes[props?.size ?? 'medium'];
  const button: CSSProperties = {
    ...size,
    ...(fontSize ? { fontSize } : {}),
    fontWeight: fontWeight === 'normal' ? 400 : 700,
    ...(fontFamily ? { fontFamily: fontStacks[fontFamily] } : {}),
    backgroundColor: props?.buttonBackgroundColor ?? '#2f5bea',
    color: props?.buttonTextColor ?? '#ffffff',
    borderRadius: buttonCorners[props?.buttonStyle ?? 'rounded'],
    display: props?.fullWidth ? 'block' : 'inline-block',
    textAlign: 'center',
    textDecoration: 'none',
  };
  const label = drawRuns(runs(drawing, props?.text));
  // A button that may lead nowhere says at least what it would have said.
  const shown = href === null ? h('span', { style: button }, ...label) : h(Button, { href, style: button }, ...label);
  return h(Section, { style: styleOf(around) }, shown);
}

function drawImage(drawing: Drawing, { props, style }: BlockOf<'Image'>): ReactNode {
  const src = safeImage(plain(drawing, props?.url));
  if (src === null) return null;
  const { width, height } = props ?? {};
  const image = h(Img, {
    src,
    alt: plain(drawing, props?.alt),
    ...(width ? { width } : {}),
    ...(height ? { height } : {}),
    style: { display: 'inline-block', maxWidth: '100%', verticalAlign: props?.contentAlignment ?? 'middle' },
  });
  const href = safeHref(plain(drawing, props?.linkHref));
  return h(Section, { style: styleOf(style ?? {}) }, href === null ? image : h(Link, { href }, image));
}

function drawColumns(
  drawing: Drawing,
  { props, style }: BlockOf<'ColumnsContainer'>,
  above: readonly string[],
): ReactNode {
  const { columns = [], columnsCount, columnsGap, contentAlignment, fixedWidths } = props ?? {};
  const shown = columns.slice(0, columnsCount ?? 2);
  const gap = (columnsGap ?? 0) / 2;
  const cells = shown.map(({ childrenIds }, nth) => {
    const width = fixedWidths?.[nth];
    const cell: CSSProperties = {
      verticalAlign: contentAlignment ?? 'middle',
      paddingLeft: nth === 0 ? 0 : gap,
      paddingRight: nth === shown.length - 1 ? 0 : gap,
      ...(width ? { width } : { width: `${Math.floor(100 / shown.length)}%` }),
    };
    return h(Column, { key: String(nth), style: cell }, ...drawBlocks(drawing, childrenIds, above));
  });
  return h(Section, { style: styleOf(style ?? {}) }, h(Row, null, ...cells));
}

/** Blocks without a colour of their own follow the reader's preference for light or dark. */
const classOf = (style: Typeface | null | undefined): string => (style?.color ? 'tinted' : 'ink');

function styleOf({
  color,
  backgroundColor,
  fontFamily,
  fontSize,
  fontWeight,
  textAlign,
  padding,
}: Typeface): CSSProperties {
  return {
    ...(color ? { color } : {}),
    ...(backgroundColor ? { backgroundColor } : {}),
    ...(fontFamily ? { fontFamily: fontStacks[fontFamily] } : {}),
    ...(fontSize ? { fontSize } : {}),
    ...(fontWeight ? { fontWeight } : {}),
    ...(textAlign ? { textAlign } : {}),
    ...(padding ? { padding: `${padding.top}px ${padding.right}px ${padding.bottom}px ${padding.left}px` } : {}),
  };
}

function drawRuns(of: readonly Run[]): ReactNode[] {
  return of.map((run, nth) => {
    const key = String(nth);
    const lines = drawLines(textOf(run.pieces));
    if (run.kind === 'bold') return h('strong', { key }, ...lines);
    const href = run.kind === 'link' ? safeHref(run.url) : null;
    return href === null ? h(Fragment, { key }, ...lines) : h(Link, { key, href }, ...lines);
  });
}

function drawLines(text: string): ReactNode[] {
  return text.split('\n').flatMap((line, nth) => (nth === 0 ? [line] : [h('br', { key: String(nth) }), line]));
}

const runs = ({ variables, known }: Drawing, text: string | null | undefined): Run[] =>
  runsOf(text ?? '', variables, known);

function plain(drawing: Drawing, text: string | null | undefined): string {
  return runsOf(text ?? '', drawing.variables, drawing.known)
    .map(({ pieces }) => textOf(pieces))
    .join('');
}
