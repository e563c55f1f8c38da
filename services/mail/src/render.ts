import { Body, Container, Head, Html, Preview } from '@react-email/components';
import { render } from '@react-email/render';
import { createElement as h, type ReactNode } from 'react';
import { drawBlocks } from './blocks-html.ts';
import { writeBlocks } from './blocks-text.ts';
import { type Palette, paletteOf, styleSheet } from './colors.ts';
import type { EmailTemplate } from './defaults.ts';
import { fontStacks } from './fonts.ts';
import { interpolated, type Variables } from './template.ts';
import { type BlockNode, treeOf } from './tree.ts';
import { safeVariables, withoutSecrets } from './variables.ts';

export type RenderedEmail = { subject: string; html: string; text: string };
type Rendering = {
  template: EmailTemplate;
  variables: Variables;
  /** Names that the template may use; others make a text stand as it was written. */
  known: readonly string[];
};

const maxSubjectLength = 200;

/**
 * A mail as it leaves: both parts and the subject, whose text is also the preview. Values are text and nothing else, names are
 * defused, links and images lead to safe addresses only.
 */
export async function renderEmail({ template, variables: given, known }: Rendering): Promise<RenderedEmail> {
  const variables = safeVariables(given);
  const layout = template.content.root?.type === 'EmailLayout' ? template.content.root.data : {};
  const nodes = treeOf(template.content);
  const subject = subjectOf(interpolated(template.subject, variables, known));
  const palette = paletteOf(layout);
  const fontFamily = fontStacks[layout.fontFamily ?? 'MODERN_SANS'] ?? 'sans-serif';
  const blocks = drawBlocks({ variables, known, palette, fontFamily, isOnOwnColor: false }, nodes);
  const sheet = palette.isAdaptive ? styleSheet([palette.ink, ...inksOf(nodes)]) : null;
  const html = await render(page({ subject, palette, fontFamily, sheet }, blocks));
  return { subject, html, text: `${writeBlocks({ variables, known }, nodes)}\n` };
}

/** The subject as it may be kept and shown to others: a sign-in code in it would let in whoever reads it in time. */
export function subjectToKeep({ template, variables, known }: Rendering): string {
  return subjectOf(interpolated(template.subject, safeVariables(withoutSecrets(variables)), known));
}

function inksOf(nodes: readonly BlockNode[]): string[] {
  return nodes.flatMap(({ block, children }) => {
    const style = block.type === 'Heading' || block.type === 'Text' ? block.data.style : null;
    return [...(style?.color ? [style.color] : []), ...children.flatMap(inksOf)];
  });
}

type Page = { subject: string; palette: Palette; fontFamily: string; sheet: string | null };

function page({ subject, palette, fontFamily, sheet }: Page, blocks: ReactNode[]) {
  const { backdrop, canvas, ink } = palette;
  const scheme = sheet === null ? 'light' : 'light dark';
  return h(
    Html,
    { lang: 'en' },
    h(
      Head,
      null,
      h('title', null, subject),
      h('meta', { name: 'viewport', content: 'width=device-width, initial-scale=1' }),
      h('meta', { name: 'color-scheme', content: scheme }),
      h('meta', { name: 'supported-color-schemes', content: scheme }),
      // Phones would make links of what looks like a number, a date or an address.
      h('meta', { name: 'format-detection', content: 'telephone=no, date=no, address=no, email=no, url=no' }),
      sheet === null ? null : h('style', null, sheet),
    ),
    h(Preview, null, subject),
    h(
      Body,
      {
        className: 'backdrop',
        style: { backgroundColor: backdrop, color: ink, fontFamily, margin: 0, padding: '32px 12px' },
      },
      h(
        Container,
        { className: 'canvas', style: { backgroundColor: canvas, color: ink, maxWidth: 560, borderRadius: 8 } },
        ...blocks,
      ),
    ),
  );
}

/** One line, as a header has to be. */
function subjectOf(text: string): string {
  const line = text
    .replace(/[\p{Cc}\p{Zl}\p{Zp}]+/gu, ' ')
    .replace(/\s+/g, ' ')
    .trim();
  return [...line].slice(0, maxSubjectLength).join('');
}
