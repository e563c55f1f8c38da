import { isLocalhost } from '@gatebook/domain/project/trusted-urls';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import type { Deps } from '../deps.ts';
import type { Inbox, InboxMessage } from '../inbox.ts';
import { html, type Markup, raw } from './markup.ts';
import { answerUnknownPath } from './unknown-paths.ts';

const pagePolicy =
  "default-src 'none'; style-src 'unsafe-inline'; frame-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'";
/** An email can show images and styles but runs no scripts. Its links open in a new tab. */
const mailPolicy =
  "default-src 'none'; style-src 'unsafe-inline'; img-src http: https: data:; sandbox allow-popups allow-popups-to-escape-sandbox; frame-ancestors 'self'";

/**
 * Serves the emails of a development machine at `/inbox`. Anyone who reads them can sign in, so only a Gatebook with a
 * local URL serves them, and only under that host name (another name would be a DNS rebinding attack).
 */
export async function serveInbox(app: FastifyInstance, { inbox, config }: Deps): Promise<void> {
  if (inbox === null || !isLocal(new URL(config.http.publicUrl).hostname)) return;
  await app.register(async (pages) => {
    pages.addHook('onRequest', async (request, reply) => {
      if (!hostnamesOf(request).every(isLocal)) return answerUnknownPath(request, reply);
      reply.headers({
        'cache-control': 'no-store',
        'referrer-policy': 'no-referrer',
        'x-content-type-options': 'nosniff',
        'content-security-policy': pagePolicy,
      });
    });
    const hidden = { schema: { hide: true } };
    pages.get('/inbox', hidden, async (_request, reply) => sendPage(reply, listPage(await inbox.list())));
    pages.get('/inbox/messages', hidden, async (_request, reply) =>
      reply
        .serializer(JSON.stringify)
        .send({ items: (await inbox.list()).map(({ html: _, text: __, ...item }) => item) }),
    );
    pages.get('/inbox/messages/:id', hidden, async (request, reply) => {
      const message = await find(inbox, request);
      return message ? reply.serializer(JSON.stringify).send(message) : answerUnknownPath(request, reply);
    });
    pages.get('/inbox/messages/:id/html', hidden, async (request, reply) => {
      const message = await find(inbox, request);
      if (!message) return answerUnknownPath(request, reply);
      reply.header('content-security-policy', mailPolicy);
      return reply.type('text/html; charset=utf-8').send(withBase(message.html ?? ''));
    });
    pages.get('/inbox/:id', hidden, async (request, reply) => {
      const message = await find(inbox, request);
      return message ? sendPage(reply, messagePage(message)) : answerUnknownPath(request, reply);
    });
  });
}

/** The host in the request and the host that a proxy forwards. Both must be local. */
function hostnamesOf({ hostname, raw: { headers } }: FastifyRequest): string[] {
  const url = `http://${headers.host ?? ''}`;
  return [hostname, URL.canParse(url) ? new URL(url).hostname : ''];
}

const isLocal = (hostname: string) => isLocalhost(hostname) || hostname === '[::1]' || hostname === '::1';

function find(inbox: Inbox, { params }: FastifyRequest): Promise<InboxMessage | null> {
  return inbox.find(String((params as Record<string, unknown>).id));
}

/** Makes links of an email leave the frame that shows it. */
const withBase = (mail: string) => mail.replace(/<head([^>]*)>|^/i, (head) => `${head}<base target="_blank">`);

function sendPage(reply: FastifyReply, { markup }: Markup): FastifyReply {
  return reply.type('text/html; charset=utf-8').send(`<!doctype html>\n${markup}`);
}

function listPage(messages: readonly InboxMessage[]): Markup {
  const rows = messages.map(
    ({
      id,
      at,
      to,
      subject,
    }) => html`<li><a href="/inbox/${id}"><span class="subject">${subject || '(no subject)'}</span>
      <span class="to">${to.join(', ')}</span> <time datetime="${at}">${shownTime(at)}</time></a></li>`,
  );
  const empty = html`<p class="empty">No emails yet. New emails appear automatically.</p>`;
  return frame('Inbox', html`${messages.length === 0 ? empty : html`<ul class="list">${rows}</ul>`}`, {
    refresh: html`<meta http-equiv="refresh" content="3">`,
  });
}

function messagePage({ id, at, from, to, subject, text }: InboxMessage): Markup {
  return frame(
    subject || '(no subject)',
    html`<p class="back"><a href="/inbox">All emails</a></p>
      <dl><dt>From</dt><dd>${from}</dd><dt>To</dt><dd>${to.join(', ')}</dd><dt>Date</dt><dd><time datetime="${at}">${shownTime(at)}</time></dd></dl>
      <h2>HTML</h2>
      <iframe src="/inbox/messages/${id}/html" title="Email as HTML" sandbox="allow-popups allow-popups-to-escape-sandbox"></iframe>
      <h2>Plain text</h2>
      <pre>${linked(text)}</pre>`,
  );
}

/** Turns URLs in plain text into links. */
function linked(text: string): Markup[] {
  return text
    .split(/(https?:\/\/\S+)/)
    .map((part, nth) =>
      nth % 2 === 1 ? html`<a href="${part}" target="_blank" rel="noreferrer">${part}</a>` : html`${part}`,
    );
}

const shownTime = (at: string) => `${at.slice(0, 10)} ${at.slice(11, 19)} UTC`;

function frame(title: string, body: Markup, { refresh = raw('') }: { refresh?: Markup } = {}): Markup {
  return html`<html lang="en"><head><meta charset="utf-8"><title>${title} · Gatebook inbox</title>${refresh}
    <meta name="viewport" content="width=device-width, initial-scale=1"><style>${raw(style)}</style></head>
    <body><header><a class="name" href="/inbox">Inbox</a><span>For development: emails are kept here instead of being sent.</span></header>
    <main><h1>${title}</h1>${body}</main></body></html>`;
}

const style = `
  :root { color-scheme: light dark; --ink: light-dark(#1d2433, #e6e9f0); --soft: light-dark(#5b6478, #a5adbd);
    --page: light-dark(#f3f5f9, #0f1218); --card: light-dark(#fff, #181d27); --line: light-dark(#e1e5ee, #2b3242);
    --accent: light-dark(#2f5bea, #8fa8ff); }
  * { box-sizing: border-box; }
  body { margin: 0; background: var(--page); color: var(--ink); font: 16px/1.5 system-ui, sans-serif; }
  header { display: flex; flex-wrap: wrap; gap: 4px 16px; align-items: baseline; padding: 14px 24px; background: var(--card);
    border-bottom: 1px solid var(--line); color: var(--soft); font-size: 14px; }
  .name { font-weight: 700; font-size: 16px; color: var(--ink); text-decoration: none; }
  main { max-width: 820px; margin: 0 auto; padding: 24px; }
  h1 { font-size: 24px; line-height: 1.25; margin: 8px 0 16px; overflow-wrap: anywhere; }
  h2 { font-size: 14px; color: var(--soft); margin: 28px 0 8px; font-weight: 600; }
  a { color: var(--accent); }
  .list { list-style: none; margin: 0; padding: 0; background: var(--card); border: 1px solid var(--line); border-radius: 8px; }
  .list li + li { border-top: 1px solid var(--line); }
  .list a { display: grid; grid-template-columns: 1fr auto; gap: 2px 16px; padding: 12px 16px; color: inherit; text-decoration: none; }
  .list a:hover, .list a:focus-visible { background: var(--page); }
  .subject { font-weight: 600; overflow-wrap: anywhere; } .to { grid-row: 2; color: var(--soft); overflow-wrap: anywhere; }
  time { color: var(--soft); font-size: 14px; font-variant-numeric: tabular-nums; }
  .empty { padding: 48px 16px; text-align: center; color: var(--soft); background: var(--card); border: 1px dashed var(--line); border-radius: 8px; }
  dl { display: grid; grid-template-columns: auto 1fr; gap: 4px 16px; margin: 0; } dt { color: var(--soft); } dd { margin: 0; overflow-wrap: anywhere; }
  iframe { width: 100%; height: 560px; border: 1px solid var(--line); border-radius: 8px; }
  pre { white-space: pre-wrap; overflow-wrap: anywhere; background: var(--card); border: 1px solid var(--line); border-radius: 8px; padding: 16px; margin: 0; font-size: 14px; }
  @media (max-width: 480px) { main { padding: 16px; } .list a { grid-template-columns: 1fr; } .list time { grid-row: 3; } }
`;
