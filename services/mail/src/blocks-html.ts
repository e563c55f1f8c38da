import { Button } from '@react-email/button';
import { Column } from '@react-email/column';
import { Heading } from '@react-email/heading';
import { Hr } from '@react-email/hr';
import { Img } from '@react-email/img';
import { Link } from '@react-email/link';
import { Row } from '@react-email/row';
import { Text } from '@react-email/text';
import { type CSSProperties, Fragment, createElement as h, type ReactNode } from 'react';
import { logoId } from './branding.ts';
import { inkClass, light, type Palette } from './colors.ts';
import type { BlockOf } from './content.ts';
import { fontStacks } from './fonts.ts';
import { imageSource, joinPieces, linkTarget, parseRuns } from './inline.ts';
import { interpolate, type Piece, type Variables } from './template.ts';
import type { BlockNode } from './tree.ts';

export type HtmlContext = {
  variables: Variables;
  known: readonly string[];
  palette: Palette;
  fontFamily: string;
  darkLogoUrl: string | null;
  /** Inside a block with a custom background, which does not adapt to dark mode. */
  hasCustomBackground: boolean;
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

export function renderBlocks(context: HtmlContext, nodes: readonly BlockNode[]): ReactNode[] {
  return nodes.map((node, index) => h(Fragment, { key: String(index) }, renderBlock(context, node)));
}

function renderBlock(context: HtmlContext, { id, block, children }: BlockNode): ReactNode {
  switch (block.type) {
    case 'Heading':
      return renderHeading(context, block.data);
    case 'Text':
      return renderText(context, block.data);
    case 'Button':
      return renderButton(context, block.data);
    case 'Image':
      return renderImage(context, block.data, id === logoId ? context.darkLogoUrl : null);
    case 'Divider': {
      const { lineColor, lineHeight } = block.data.props ?? {};
      const line = { borderTop: `${lineHeight ?? 1}px solid ${lineColor ?? light.line}`, margin: 0 };
      return box(block.data.style, h(Hr, { style: line, className: lineClass(context, lineColor) }));
    }
    case 'Spacer': {
      const height = block.data.props?.height ?? 16;
      return h('div', { style: { height, lineHeight: `${height}px`, fontSize: 1 } }, '\u00a0');
    }
    case 'Container': {
      const { style } = block.data;
      const inside = {
        ...context,
        hasCustomBackground: context.hasCustomBackground || Boolean(style?.backgroundColor),
      };
      return box(style, renderBlocks(inside, children[0] ?? []), lineClass(context, style?.borderColor));
    }
    case 'ColumnsContainer':
      return renderColumns(context, block.data, children);
    case 'EmailLayout':
      return null;
  }
}

const headingSizes = { h1: 32, h2: 24, h3: 20 } as const;

function renderHeading(context: HtmlContext, { props, style }: BlockOf<'Heading'>): ReactNode {
  const level = props?.level ?? 'h2';
  const pieces = evaluate(context, props?.text);
  const isCode = pieces.every((piece) => piece.kind === 'value' && piece.name === 'otp');
  const textStyle: CSSProperties = {
    fontSize: headingSizes[level],
    lineHeight: 1.25,
    fontWeight: 700,
    margin: 0,
    ...(isCode ? { letterSpacing: '0.14em' } : {}),
  };
  return box(
    style,
    h(Heading, { as: level, ...textProps(context, textStyle, style) }, ...renderLines(joinPieces(pieces))),
  );
}

function renderText(context: HtmlContext, { props, style }: BlockOf<'Text'>): ReactNode {
  const textStyle: CSSProperties = { fontSize: 16, lineHeight: 1.5, fontWeight: 400, margin: 0 };
  const hasOwnBackground = context.hasCustomBackground || Boolean(style?.backgroundColor);
  const runs = parseRuns(props?.text ?? '', context.variables, context.known).map(({ pieces, isBold, url }, index) => {
    const key = String(index);
    const lines = renderLines(joinPieces(pieces));
    const words = isBold ? h('strong', { key }, ...lines) : h(Fragment, { key }, ...lines);
    const href = url === null ? null : linkTarget(url);
    if (href === null) return words;
    const color = style?.color ?? (context.palette.isAdaptive ? light.link : context.palette.ink);
    const className = hasOwnBackground || style?.color ? undefined : 'link';
    return h(Link, { key, href, className, style: { color, textDecoration: 'underline' } }, words);
  });
  return box(style, h(Text, textProps(context, textStyle, style), ...runs));
}

const buttonSizes = {
  'x-small': { padding: '4px 8px', fontSize: 13 },
  small: { padding: '8px 12px', fontSize: 14 },
  medium: { padding: '12px 20px', fontSize: 16 },
  large: { padding: '16px 32px', fontSize: 18 },
} as const;
const buttonCorners = { rectangle: 0, rounded: 6, pill: 64 } as const;

function renderButton(context: HtmlContext, { props, style }: BlockOf<'Button'>): ReactNode {
  const { padding, fontSize } = buttonSizes[props?.size ?? 'medium'];
  const button: CSSProperties = {
    padding,
    fontSize: style?.fontSize ?? fontSize,
    fontWeight: style?.fontWeight === 'normal' ? 400 : 700,
    fontFamily: fontOf(context, style?.fontFamily),
    backgroundColor: props?.buttonBackgroundColor ?? light.link,
    color: props?.buttonTextColor ?? '#ffffff',
    borderRadius: buttonCorners[props?.buttonStyle ?? 'rounded'],
    display: props?.fullWidth ? 'block' : 'inline-block',
    textAlign: 'center',
    textDecoration: 'none',
    boxSizing: 'border-box',
  };
  const label = renderLines(joinPieces(evaluate(context, props?.text)));
  const href = linkTarget(evaluate(context, props?.url));
  // Without a valid URL, keep the label.
  return box(
    style,
    href === null ? h('span', { style: button }, ...label) : h(Button, { href, style: button }, ...label),
  );
}

function renderImage(context: HtmlContext, { props, style }: BlockOf<'Image'>, darkUrl: string | null): ReactNode {
  const src = imageSource(evaluate(context, props?.url));
  if (src === null) return null;
  const { width, height } = props ?? {};
  const image = h(Img, {
    src,
    alt: joinPieces(evaluate(context, props?.alt)),
    ...(width ? { width } : {}),
    ...(height ? { height } : {}),
    style: { display: 'inline-block', maxWidth: '100%', verticalAlign: props?.contentAlignment ?? 'middle' },
  });
  const darkSrc = imageSource(evaluate(context, darkUrl));
  // Clients that do not know `picture` show the image within.
  const shown =
    darkSrc === null
      ? image
      : h('picture', null, h('source', { srcSet: darkSrc, media: '(prefers-color-scheme: dark)' }), image);
  const href = linkTarget(evaluate(context, props?.linkHref));
  return box(style, href === null ? shown : h(Link, { href }, shown));
}

function renderColumns(
  context: HtmlContext,
  { props, style }: BlockOf<'ColumnsContainer'>,
  columns: BlockNode['children'],
): ReactNode {
  const { columnsGap, contentAlignment, fixedWidths } = props ?? {};
  const gap = (columnsGap ?? 0) / 2;
  const inside = { ...context, hasCustomBackground: context.hasCustomBackground || Boolean(style?.backgroundColor) };
  const cells = columns.map((nodes, index) => {
    const cell: CSSProperties = {
      verticalAlign: contentAlignment ?? 'middle',
      paddingLeft: index === 0 ? 0 : gap,
      paddingRight: index === columns.length - 1 ? 0 : gap,
      width: fixedWidths?.[index] ?? `${Math.floor(100 / columns.length)}%`,
    };
    return h(Column, { key: String(index), style: cell }, ...renderBlocks(inside, nodes));
  });
  return box(style, h(Row, null, ...cells));
}

/** Wraps a block in a table cell, where all mail clients support padding and background. */
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

/** Sets color and font on the text itself, because tables do not inherit them in some mail clients. */
function textProps(context: HtmlContext, textStyle: CSSProperties, style: Style | null | undefined) {
  const color = style?.color ?? context.palette.ink;
  const hasOwnBackground = context.hasCustomBackground || Boolean(style?.backgroundColor);
  return {
    ...(hasOwnBackground ? {} : { className: inkClass(color) }),
    style: {
      ...textStyle,
      color,
      fontFamily: fontOf(context, style?.fontFamily),
      ...(style?.fontSize ? { fontSize: style.fontSize } : {}),
      ...(style?.fontWeight ? { fontWeight: style.fontWeight } : {}),
      overflowWrap: 'anywhere' as const,
    },
  };
}

const fontOf = ({ fontFamily }: HtmlContext, custom: string | null | undefined): string | undefined =>
  custom ? fontStacks[custom] : fontFamily;

/** Lines in the default color adapt to dark mode; custom colors stay. */
const lineClass = ({ hasCustomBackground }: HtmlContext, color: string | null | undefined): string | undefined =>
  !hasCustomBackground && (color ?? light.line).toLowerCase() === light.line ? 'line' : undefined;

const evaluate = ({ variables, known }: HtmlContext, text: string | null | undefined): Piece[] =>
  interpolate(text ?? '', variables, known);

function renderLines(text: string): ReactNode[] {
  return text.split('\n').flatMap((line, index) => (index === 0 ? [line] : [h('br', { key: String(index) }), line]));
}
