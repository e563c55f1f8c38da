import { Body, Container, Head, Html, Preview } from '@react-email/components';
import { render } from '@react-email/render';
import { createElement as h } from 'react';
import { drawBlocks, fontStacks } from './blocks-html.ts';
import { writeBlocks } from './blocks-text.ts';
import type { BlockOf } from './content.ts';
import type { EmailTemplate } from './defaults.ts';
import { interpolated, type Variables } from './template.ts';
import { safeVariables } from './variables.ts';

export type RenderedEmail = { subject: string; html: string; text: string };
type Rendering = {
  template: EmailTemplate;
  variables: Variables;
  /** Names that the template may use; others make a text stand as it was written. */
  known: readonly string[];
};

const maxSubjectLength = 200;
const light = { backdrop: '#f3f5f9', canvas: '#ffffff', ink: '#1d2433' };
/** For readers who prefer dark, where the owner chose no colours. */
const darkStyle = `
  :root { color-scheme: light dark; supported-color-schemes: light dark; }
  a { color: #2f5bea; }
  @media (prefers-color-scheme: dark) {
    .backdrop, .backdrop > table, .backdrop > table > tbody > tr > td { background-color: #0f1218 !important; }
    .canvas { background-color: #181d27 !important; }
    .ink { color: #e6e9f0 !important; }
    .tinted { color: #a5adbd !important; }
    .line { border-color: #2b3242 !important; }
  }`;

/**
 * A mail as it leaves: both parts and the subject, whose text is also the preview. Values are text and nothing else, names are
 * defused, links and images lead to safe addresses only.
 */
export async function renderEmail({ template, variables: given, known }: Rendering): Promise<RenderedEmail> {
  const variables = safeVariables(given);
  const { content } = template;
  const root = content.root?.type === 'EmailLayout' ? content.root.data : {};
  const subject = subjectOf(interpolated(template.subject, variables, known));
  const drawing = { content, variables, known };
  const ids = root.childrenIds ?? [];
  const html = await render(page(root, subject, drawBlocks(drawing, ids, ['root'])));
  return { subject, html, text: `${writeBlocks(drawing, ids, ['root']).join('\n\n')}\n` };
}

function page(root: BlockOf<'EmailLayout'>, subject: string, blocks: React.ReactNode[]) {
  const backdropColor = root.backdropColor ?? light.backdrop;
  const canvasColor = root.canvasColor ?? light.canvas;
  const color = root.textColor ?? light.ink;
  const isPlain = backdropColor === light.backdrop && canvasColor === light.canvas && color === light.ink;
  const scheme = isPlain ? 'light dark' : 'light';
  const fontFamily = fontStacks[root.fontFamily ?? 'MODERN_SANS'];
  return h(
    Html,
    { lang: 'en' },
    h(
      Head,
      null,
      h('title', null, subject),
      h('meta', { name: 'color-scheme', content: scheme }),
      h('meta', { name: 'supported-color-schemes', content: scheme }),
      isPlain ? h('style', null, darkStyle) : null,
    ),
    h(Preview, null, subject),
    h(
      Body,
      {
        className: 'backdrop',
        style: { backgroundColor: backdropColor, color, fontFamily, margin: 0, padding: '32px 12px' },
      },
      h(
        Container,
        { className: 'canvas ink', style: { backgroundColor: canvasColor, color, maxWidth: 560, borderRadius: 8 } },
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
