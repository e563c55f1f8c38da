import { Button, Column, Heading, Hr, Img, Link, Row, Text } from '@react-email/components';
import { type CSSProperties, Fragment, createElement as h, type ReactNode } from 'react';
import { inkClass, light, type Palette } from './colors.ts';
import type { BlockOf } from './content.ts';
import { fontStacks } from './fonts.ts';
import { imageSource, linkTarget, runsOf, textOf } from './inline.ts';
import { interpolate, type Piece, type Variables } from './template.ts';
import type { BlockNode } from './tree.ts';

export type Drawing = {
  variables: Variables;
  known: readonly string[];
  palette: Palette;
  fontFamily: string;
  /** Below a background that its maker chose, which stays light when the page turns dark. */
  isOnOwnColor: boolean;
};

type Style = {
  color?: string | null | undefined;
  backgroundColor?: string | null | undefined;
  borderColor?: string | null | undefined;
  borderRadius?: number | null | undefined;
  fontFamily?: string | null | undefined;
  fontSize?: number | null | undefined;
  fontWeight?: 'bold' | 'normal' | null | undefined;
  textAlign?: 'left' | 'center' | 'right' | null | undefined;
  padding?: { top: number; bottom: number; left: number; right: number } | null | undefined;
};

export function drawBlocks(drawing: Drawing, nodes: readonly BlockNode[]): ReactNode[] {
  return nodes.map((node, nth) => h(Fragment, { key: String(nth) }, drawBlock(drawing, node)));
}

function drawBlock(drawing: Drawing, { block, children }: BlockNode): ReactNode {
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
      const line = { borderTop: `${lineHeight ?? 1}px solid ${lineColor ?? light.line}`, margin: 0 };
      return box(block.data.style, h(Hr, { style: line, className: lineClass(drawing, lineColor) }));
    }
    case 'Spacer': {
      const height = block.data.props?.height ?? 16;
      return h('div', { style: { height, lineHeight: `${height}px`, fontSize: 1 } }, '\u00a0');
    }
    case 'Container': {
      const { style } = block.data;
      const inside = { ...drawing, isOnOwnColor: drawing.isOnOwnColor || Boolean(style?.backgroundColor) };
      return box(style, drawBlocks(inside, children[0] ?? []), lineClass(drawing, style?.borderColor));
    }
    case 'ColumnsContainer':
      return drawColumns(drawing, block.data, children);
    case 'EmailLayout':
      return null;
  }
}

const headingSizes = { h1: 32, h2: 24, h3: 20 } as const;

function drawHeading(drawing: Drawing, { props, style }: BlockOf<'Heading'>): ReactNode {
  const level = props?.level ?? 'h2';
  const pieces = read(drawing, props?.text);
  const isCode = pieces.every((piece) => piece.kind === 'value' && piece.name === 'otp');
  const letters: CSSProperties = {
    ...{ fontSize: headingSizes[level], lineHeight: 1.25, fontWeight: 700, margin: 0 },
    ...(isCode ? { letterSpacing: '0.14em' } : {}),
  };
  return box(style, h(Heading, { as: level, ...lettersOf(drawing, letters, style) }, ...drawLines(textOf(pieces))));
}

function drawText(drawing: Drawing, { props, style }: BlockOf<'Text'>): ReactNode {
  const letters: CSSProperties = { fontSize: 16, lineHeight: 1.5, fontWeight: 400, margin: 0 };
  const isOwn = drawing.isOnOwnColor || Boolean(style?.backgroundColor);
  const runs = runsOf(props?.text ?? '', drawing.variables, drawing.known).map(({ pieces, isBold, url }, nth) => {
    const key = String(nth);
    const lines = drawLines(textOf(pieces));
    const words = isBold ? h('strong', { key }, ...lines) : h(Fragment, { key }, ...lines);
    const href = url === null ? null : linkTarget(url);
    if (href === null) return words;
    const color = style?.color ?? (drawing.palette.isAdaptive ? light.link : drawing.palette.ink);
    const className = isOwn || style?.color ? undefined : 'link';
    return h(Link, { key, href, className, style: { color, textDecoration: 'underline' } }, words);
  });
  return box(style, h(Text, lettersOf(drawing, letters, style), ...runs));
}

const buttonSizes = {
  'x-small': { padding: '4px 8px', fontSize: 13 },
  small: { padding: '8px 12px', fontSize: 14 },
  medium: { padding: '12px 20px', fontSize: 16 },
  large: { padding: '16px 32px', fontSize: 18 },
} as const;
const buttonCorners = { rectangle: 0, rounded: 6, pill: 64 } as const;

function drawButton(drawing: Drawing, { props, style }: BlockOf<'Button'>): ReactNode {
  const { padding, fontSize } = buttonSizes[props?.size ?? 'medium'];
  const button: CSSProperties = {
    padding,
    fontSize: style?.fontSize ?? fontSize,
    fontWeight: style?.fontWeight === 'normal' ? 400 : 700,
    fontFamily: fontOf(drawing, style?.fontFamily),
    backgroundColor: props?.buttonBackgroundColor ?? light.link,
    color: props?.buttonTextColor ?? '#ffffff',
    borderRadius: buttonCorners[props?.buttonStyle ?? 'rounded'],
    display: props?.fullWidth ? 'block' : 'inline-block',
    ...{ textAlign: 'center', textDecoration: 'none', boxSizing: 'border-box' },
  };
  const label = drawLines(textOf(read(drawing, props?.text)));
  const href = linkTarget(read(drawing, props?.url));
  // A button that may lead nowhere says at least what it would have said.
  return box(
    style,
    href === null ? h('span', { style: button }, ...label) : h(Button, { href, style: button }, ...label),
  );
}

function drawImage(drawing: Drawing, { props, style }: BlockOf<'Image'>): ReactNode {
  const src = imageSource(read(drawing, props?.url));
  if (src === null) return null;
  const { width, height } = props ?? {};
  const image = h(Img, {
    src,
    alt: textOf(read(drawing, props?.alt)),
    ...(width ? { width } : {}),
    ...(height ? { height } : {}),
    style: { display: 'inline-block', maxWidth: '100%', verticalAlign: props?.contentAlignment ?? 'middle' },
  });
  const href = linkTarget(read(drawing, props?.linkHref));
  return box(style, href === null ? image : h(Link, { href }, image));
}

function drawColumns(
  drawing: Drawing,
  { props, style }: BlockOf<'ColumnsContainer'>,
  columns: BlockNode['children'],
): ReactNode {
  const { columnsGap, contentAlignment, fixedWidths } = props ?? {};
  const gap = (columnsGap ?? 0) / 2;
  const inside = { ...drawing, isOnOwnColor: drawing.isOnOwnColor || Boolean(style?.backgroundColor) };
  const cells = columns.map((nodes, nth) => {
    const cell: CSSProperties = {
      verticalAlign: contentAlignment ?? 'middle',
      paddingLeft: nth === 0 ? 0 : gap,
      paddingRight: nth === columns.length - 1 ? 0 : gap,
      width: fixedWidths?.[nth] ?? `${Math.floor(100 / columns.length)}%`,
    };
    return h(Column, { key: String(nth), style: cell }, ...drawBlocks(inside, nodes));
  });
  return box(style, h(Row, null, ...cells));
}

/** A cell around a block: the one place where every mail program heeds padding and background. */
function box(style: Style | null | undefined, children: ReactNode, className?: string): ReactNode {
  const { backgroundColor, borderColor, borderRadius, textAlign, padding } = style ?? {};
  const cell: CSSProperties = {
    ...(backgroundColor ? { backgroundColor } : {}),
    ...(borderColor ? { border: `1px solid ${borderColor}` } : {}),
    ...(borderRadius ? { borderRadius } : {}),
    ...(textAlign ? { textAlign } : {}),
    padding: padding ? `${padding.top}px ${padding.right}px ${padding.bottom}px ${padding.left}px` : 0,
  };
  return h(Row, null, h(Column, { style: cell, className }, children));
}

/** Colour and font stand at the text itself, since some mail programs let tables inherit neither. */
function lettersOf(drawing: Drawing, letters: CSSProperties, style: Style | null | undefined) {
  const color = style?.color ?? drawing.palette.ink;
  const isOwn = drawing.isOnOwnColor || Boolean(style?.backgroundColor);
  return {
    ...(isOwn ? {} : { className: inkClass(color) }),
    style: {
      ...letters,
      color,
      fontFamily: fontOf(drawing, style?.fontFamily),
      ...(style?.fontSize ? { fontSize: style.fontSize } : {}),
      ...(style?.fontWeight ? { fontWeight: style.fontWeight } : {}),
      overflowWrap: 'anywhere' as const,
    },
  };
}

const fontOf = ({ fontFamily }: Drawing, own: string | null | undefined): string | undefined =>
  own ? fontStacks[own] : fontFamily;

/** The line of a default template follows the page into the dark, another keeps its colour. */
const lineClass = ({ isOnOwnColor }: Drawing, color: string | null | undefined): string | undefined =>
  !isOnOwnColor && (color ?? light.line).toLowerCase() === light.line ? 'line' : undefined;

const read = ({ variables, known }: Drawing, text: string | null | undefined): Piece[] =>
  interpolate(text ?? '', variables, known);

function drawLines(text: string): ReactNode[] {
  return text.split('\n').flatMap((line, nth) => (nth === 0 ? [line] : [h('br', { key: String(nth) }), line]));
}
