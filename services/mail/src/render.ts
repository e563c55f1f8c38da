import { Body, Container, Head, Html, Preview } from '@react-email/components';
import { render, toPlainText } from '@react-email/render';
import { createElement as h, type ReactNode } from 'react';
import { renderBlocks } from './blocks-html.ts';
import { renderBlocksAsText } from './blocks-text.ts';
import { type Palette, resolvePalette, styleSheet } from './colors.ts';
import type { EmailTemplate } from './defaults.ts';
import { fontStacks } from './fonts.ts';
import { interpolateToString, type Variables } from './template.ts';
import { type BlockNode, buildTree } from './tree.ts';
import { maskSecrets, sanitizeVariables } from './variables.ts';

export type RenderedEmail = { subject: string; html: string; text: string };
type Rendering = {
  template: EmailTemplate;
  variables: Variables;
  /** Names of the available variables. A text that uses any other name is not interpolateToString. */
  known: readonly string[];
};

const maxSubjectLength = 200;

/**
 * Renders subject, HTML and plain text. The subject is also the preview text. Values are inserted as plain text, names
 * are defused, and links and images are limited to safe URLs.
 */
export async function renderEmail({ template, variables: rawVariables, known }: Rendering): Promise<RenderedEmail> {
  const variables = sanitizeVariables(rawVariables);
  const layout = template.content.root?.type === 'EmailLayout' ? template.content.root.data : {};
  const nodes = buildTree(template.content);
  const subject = toSubject(interpolateToString(template.subject, variables, known));
  const palette = resolvePalette(layout);
  const fontFamily = fontStacks[layout.fontFamily ?? 'MODERN_SANS'] ?? 'sans-serif';
  const blocks = renderBlocks({ variables, known, palette, fontFamily, hasCustomBackground: false }, nodes);
  const sheet = palette.isAdaptive ? styleSheet([palette.ink, ...listInks(nodes)]) : null;
  const html = await render(page({ subject, palette, fontFamily, sheet }, blocks));
  return { subject, html, text: `${renderBlocksAsText({ variables, known }, nodes)}\n` };
}

/** The subject without secrets, for storage: anyone who reads a sign-in code in time could use it. */
export function subjectToKeep({ template, variables, known }: Rendering): string {
  return toSubject(interpolateToString(template.subject, sanitizeVariables(maskSecrets(variables)), known));
}

const unsubscribePlaceholder = /\{\{\s*unsubscribeLink\s*\}\}/g;

/**
 * An email with HTML of a server. The HTML is sent as it is; only `{{ unsubscribeLink }}` is replaced. The plain text
 * is derived from it.
 */
export function renderHtml({
  subject,
  html,
  unsubscribeUrl,
}: {
  subject: string;
  html: string;
  unsubscribeUrl: string | null;
}): RenderedEmail {
  const sent = html.replace(unsubscribePlaceholder, () => escapeAttribute(unsubscribeUrl ?? ''));
  return { subject: toSubject(subject), html: sent, text: `${toPlainText(sent)}\n` };
}

const escapeAttribute = (url: string) => url.replaceAll('&', '&amp;').replaceAll('"', '&quot;');

function listInks(nodes: readonly BlockNode[]): string[] {
  return nodes.flatMap(({ block, children }) => {
    const style = block.type === 'Heading' || block.type === 'Text' ? block.data.style : null;
    return [...(style?.color ? [style.color] : []), ...children.flatMap(listInks)];
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
      // Keep phones from turning numbers, dates and addresses into links.
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

/** Reduces a text to one line of bounded length, as a header requires. */
function toSubject(text: string): string {
  const line = text
    .replace(/[\p{Cc}\p{Zl}\p{Zp}]+/gu, ' ')
    .replace(/\s+/g, ' ')
    .trim();
  return [...line].slice(0, maxSubjectLength).join('');
}
