import { createHash } from 'node:crypto';
import { html, type Markup, raw } from './markup.ts';

type OwnPage = {
  title: string;
  /** Beside the name of the product. */
  head: Markup;
  body: Markup;
  style: string;
  script: string;
};

/** A page in the look of the dashboard that loads nothing, with its content security policy. */
export function writePage({ title, head, body, style, script }: OwnPage): { text: string; policy: string } {
  const { markup } = html`<html lang="en"><head><meta charset="utf-8"><title>${title} · Gatebook</title>
    <meta name="viewport" content="width=device-width, initial-scale=1"><meta name="robots" content="noindex">
    <link rel="icon" href="data:,"><style>${raw(look + style)}</style><script>${raw(colorScheme)}</script></head>
    <body><a class="skip" href="#main">Skip to content</a>
    <header class="top"><a class="name" href="/">${raw(mark)}Gatebook</a>${head}<a class="back" href="/">Dashboard</a></header>
    ${body}<script>${raw(script)}</script></body></html>`;
  const scripts = [colorScheme, script].map(hashOf).join(' ');
  return {
    text: `<!doctype html>\n${markup}`,
    policy: `default-src 'none'; style-src 'unsafe-inline'; script-src ${scripts}; connect-src 'self'; img-src data:; frame-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'`,
  };
}

const hashOf = (script: string) => `'sha256-${createHash('sha256').update(script).digest('base64')}'`;

/** The choice made in the dashboard; see dashboard/public/color-scheme.js. */
const colorScheme = `
  try {
    const chosen = localStorage.getItem('mantine-color-scheme-value');
    if (chosen === 'light' || chosen === 'dark') document.documentElement.style.colorScheme = chosen;
  } catch {}
`;

const mark = `<svg width="24" height="24" viewBox="0 0 32 32" aria-hidden="true"><rect width="32" height="32" rx="7" fill="#1c7a60"/>
  <g fill="none" stroke="#fff" stroke-width="2.2" stroke-linecap="round" stroke-linejoin="round">
  <path d="M7 25V14.5C7 10.4 10.2 8 16 8s9 2.4 9 6.5V25M16 8v17M4.5 25h23"/></g>
  <circle cx="13" cy="17.5" r="1.2" fill="#fff"/><circle cx="19" cy="17.5" r="1.2" fill="#fff"/></svg>`;

const look = `
  :root { color-scheme: light dark; --ink: light-dark(#1e2421, #e4e8e4); --dimmed: light-dark(#62655f, #98a29c);
    --ground: light-dark(#f8f7f3, #121514); --surface: light-dark(#fffefb, #191d1b);
    --line: light-dark(#e6e2d8, #282e2b);
    --sunken: light-dark(#f0eee7, #0e1110); --hover: light-dark(#f3f1ea, #1f2422); --link: light-dark(#15694f, #6cc3a6);
    --title: ui-serif, "Iowan Old Style", Charter, "Source Serif 4",
      "Bitstream Charter", "Noto Serif", Cambria, Georgia, serif;
    --code: ui-monospace, "SF Mono", "Cascadia Code", "JetBrains Mono", Menlo, Consolas,
      "DejaVu Sans Mono", monospace; }
  * { box-sizing: border-box; }
  html { scrollbar-gutter: stable; scroll-padding-top: 4.5rem; }
  body { margin: 0; background: var(--ground); color: var(--ink); font: 400 0.9375rem/1.5 ui-sans-serif, system-ui,
    -apple-system, "Segoe UI", Roboto, "Noto Sans", Ubuntu, Cantarell, "Helvetica Neue", Arial, sans-serif; }
  a { color: var(--link); }
  :focus-visible { outline: 2px solid var(--link); outline-offset: 2px; }
  h1, h2, h3 { font-family: var(--title); font-weight: 600; letter-spacing: -0.01em; overflow-wrap: anywhere; }
  h1 { margin: 0 0 1rem; font-size: 1.625rem; line-height: 1.25; } h2 { margin: 2rem 0 0.5rem; font-size: 1.0625rem; }
  code, pre { font-family: var(--code); font-size: 0.8438rem; }
  .skip { position: absolute; left: -999rem; } .skip:focus { left: 1rem; top: 1rem; z-index: 3; background: var(--surface); padding: 0.5rem 1rem; }
  .top { position: sticky; top: 0; z-index: 2; display: flex; gap: 0.5rem 1rem; align-items: center; min-height: 3.5rem;
    padding: 0.5rem 1.5rem; background: var(--surface); border-bottom: 1px solid var(--line); }
  .top .name { display: inline-flex; gap: 0.625rem; align-items: center; color: var(--ink); text-decoration: none;
    font: 600 1.125rem/1.4 var(--title); }
  .top .note { color: var(--dimmed); font-size: 0.8438rem; } .top .back { margin-left: auto; font-size: 0.8438rem; }
  pre { margin: 0; padding: 1rem; white-space: pre-wrap; overflow-wrap: anywhere; background: var(--sunken);
    border: 1px solid var(--line); border-radius: 8px; }
`;
