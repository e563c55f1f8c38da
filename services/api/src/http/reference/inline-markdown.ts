import { html, type Markup } from '../markup.ts';

const part = /(`[^`]+`|\[[^\]]+\]\([^)\s]+\)|\*\*[^*]+\*\*)/;

/** Code, links and bold text of Markdown. */
export function inline(text: string): Markup {
  return html`${text.split(part).map(showPart)}`;
}

function showPart(text: string): Markup {
  if (/^`.+`$/s.test(text)) return html`<code>${text.slice(1, -1)}</code>`;
  if (/^\*\*.+\*\*$/s.test(text)) return html`<b>${text.slice(2, -2)}</b>`;
  const [, name, href] = /^\[(.+)\]\((.+)\)$/s.exec(text) ?? [];
  return name && href && /^[#/]/.test(href) ? html`<a href="${href}">${name}</a>` : html`${name ?? text}`;
}

export const paragraphs = (text: string): Markup =>
  html`${text
    .split(/\n\n+/)
    .filter((one) => one.trim() !== '')
    .map((one) => html`<p>${inline(one)}</p>`)}`;
