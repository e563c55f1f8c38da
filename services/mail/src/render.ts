import { renderBlocksAsText } from './blocks-text.ts';
import { type Branding, withBranding } from './branding.ts';
import { type Palette, resolvePalette, styleSheet } from './colors.ts';
import type { EmailContent } from './content.ts';
import type { EmailTemplate } from './defaults.ts';
import { fontStacks } from './fonts.ts';
import { interpolateToString, type Variables } from './template.ts';
import { type BlockNode, buildTree } from './tree.ts';
import { maskSecrets, sanitizeVariables, writeOut } from './variables.ts';

export type RenderedEmail = { subject: string; html: string; text: string };
type Rendering = {
  template: EmailTemplate;
  variables: Variables;
  /** Names of the available variables. A text that uses any other name is not interpolateToString. */
  known: readonly string[];
  /** Absent: none. */
  branding?: Branding;
};

const none: Branding = { logoUrl: null, darkLogoUrl: null, accentColor: null };
const maxSubjectLength = 200;
/** React and its components take longer to load than all other modules of a start together, so the first email does. */
const loadHtml = () => import('./html.ts');

type Compiled = { nodes: readonly BlockNode[]; palette: Palette; fontFamily: string; sheet: string | null };
const compiled = new WeakMap<EmailContent, Compiled>();

/** What all emails with this content have in common, computed once. */
function compile(content: EmailContent): Compiled {
  const known = compiled.get(content);
  if (known) return known;
  const result = compileOnce(content);
  compiled.set(content, result);
  return result;
}

function compileOnce(content: EmailContent): Compiled {
  const layout = content.root?.type === 'EmailLayout' ? content.root.data : {};
  const nodes = buildTree(content);
  const palette = resolvePalette(layout);
  const fontFamily = fontStacks[layout.fontFamily ?? 'MODERN_SANS'] ?? 'sans-serif';
  const sheet = palette.isAdaptive ? styleSheet([palette.ink, ...listInks(nodes)]) : null;
  return { nodes, palette, fontFamily, sheet };
}

/**
 * Renders subject, HTML and plain text. The subject is also the preview text. Values are inserted as plain text, names
 * are defused, and links and images are limited to safe URLs. Do not change the content of a template afterwards.
 */
export async function renderEmail({
  template,
  variables: rawVariables,
  known,
  branding = none,
}: Rendering): Promise<RenderedEmail> {
  const { language = 'en-US' } = template;
  const variables = sanitizeVariables(writeOut(rawVariables, language));
  const { nodes, palette, fontFamily, sheet } = compile(withBranding(template.content, branding));
  const subject = toSubject(interpolateToString(template.subject, variables, known));
  const { renderPage } = await loadHtml();
  const frame = { language, subject, palette, fontFamily, sheet };
  const darkLogoUrl = sheet === null ? null : branding.darkLogoUrl;
  const html = await renderPage({ ...frame, variables, known, nodes, darkLogoUrl });
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
export async function renderHtml({
  subject,
  html,
  unsubscribeUrl,
}: {
  subject: string;
  html: string;
  unsubscribeUrl: string | null;
}): Promise<RenderedEmail> {
  const sent = html.replace(unsubscribePlaceholder, () => escapeAttribute(unsubscribeUrl ?? ''));
  const { toPlainText } = await loadHtml();
  return { subject: toSubject(subject), html: sent, text: `${toPlainText(sent)}\n` };
}

const escapeAttribute = (url: string) => url.replaceAll('&', '&amp;').replaceAll('"', '&quot;');

function listInks(nodes: readonly BlockNode[]): string[] {
  return nodes.flatMap(({ block, children }) => {
    const style = block.type === 'Heading' || block.type === 'Text' ? block.data.style : null;
    return [...(style?.color ? [style.color] : []), ...children.flatMap(listInks)];
  });
}

/** Reduces a text to one line of bounded length, as a header requires. */
function toSubject(text: string): string {
  const line = text
    .replace(/[\p{Cc}\p{Zl}\p{Zp}]+/gu, ' ')
    .replace(/\s+/g, ' ')
    .trim();
  return [...line].slice(0, maxSubjectLength).join('');
}
