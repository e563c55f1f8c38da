import { Body } from '@react-email/body';
import { Container } from '@react-email/container';
import { Head } from '@react-email/head';
import { Html } from '@react-email/html';
import { Preview } from '@react-email/preview';
import { render, toPlainText } from '@react-email/render';
import { createElement as h, type ReactNode } from 'react';
import { renderBlocks } from './blocks-html.ts';
import type { Palette } from './colors.ts';
import type { Variables } from './template.ts';
import type { BlockNode } from './tree.ts';

export { toPlainText };

type Page = {
  language: string;
  subject: string;
  palette: Palette;
  fontFamily: string;
  /** Styles of an adaptive page; null for a page with fixed colors. */
  sheet: string | null;
  variables: Variables;
  known: readonly string[];
  nodes: readonly BlockNode[];
  /** Replaces the project's logo in dark mode; null if none does. */
  darkLogoUrl: string | null;
};

export function renderPage({ nodes, variables, known, darkLogoUrl, ...frame }: Page): Promise<string> {
  const { palette, fontFamily } = frame;
  const context = { variables, known, palette, fontFamily, darkLogoUrl, hasCustomBackground: false };
  return render(page(frame, renderBlocks(context, nodes)));
}

type Frame = Omit<Page, 'variables' | 'known' | 'nodes' | 'darkLogoUrl'>;

function page({ language, subject, palette, fontFamily, sheet }: Frame, blocks: ReactNode[]) {
  const { backdrop, canvas, ink } = palette;
  const scheme = sheet === null ? 'light' : 'light dark';
  return h(
    Html,
    { lang: language },
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
