import { isLocalhost } from '@gatebook/domain/project/trusted-urls';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import type { Deps } from '../deps.ts';
import type { Inbox, InboxMessage } from '../inbox.ts';
import { html, type Markup } from './markup.ts';
import { writePage } from './own-page.ts';
import { answerUnknownPath } from './unknown-paths.ts';

/** An email can show images and styles but runs no scripts. Its links open in a new tab. */
const mailPolicy =
  "default-src 'none'; style-src 'unsafe-inline'; img-src http: https: data:; sandbox allow-popups allow-popups-to-escape-sandbox; frame-ancestors 'self'";

/**
 * Serves the emails of a development machine at `/inbox`. Anyone who reads them can sign in, so only a Gatebook with a
 * local URL serves them, and only under that host name (another name would be a DNS rebinding attack).
 */
export async function serveInbox(app: FastifyInstance, deps: Deps): Promise<void> {
  const { inbox } = deps;
  if (inbox === null || !servesInbox(deps)) return;
  await app.register(async (pages) => {
    pages.addHook('onRequest', async (request, reply) => {
      if (!hostnamesOf(request).every(isLocal)) return answerUnknownPath(request, reply);
      reply.headers({
        'cache-control': 'no-store',
        'referrer-policy': 'no-referrer',
        'x-content-type-options': 'nosniff',
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

export const servesInbox = ({ inbox, config }: Pick<Deps, 'inbox' | 'config'>): boolean =>
  inbox !== null && isLocal(new URL(config.http.publicUrl).hostname);

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

function sendPage(reply: FastifyReply, { title, body, back }: InboxPage): FastifyReply {
  const head = html`<span class="note">Inbox: emails are kept here instead of being sent.</span>`;
  const main = html`<main id="main">${back ?? []}<h1>${title}</h1>${body}</main>`;
  const { text, policy } = writePage({ title, head, body: main, style, script });
  return reply.header('content-security-policy', policy).type('text/html; charset=utf-8').send(text);
}
type InboxPage = { title: string; body: Markup; back?: Markup };

function listPage(messages: readonly InboxMessage[]): InboxPage {
  const rows = messages.map(
    ({
      id,
      at,
      to,
      subject,
    }) => html`<li><a href="/inbox/${id}"><span class="subject">${subject || '(no subject)'}</span>
      <span class="to">${to.join(', ')}</span> <time datetime="${at}">${shownTime(at)}</time></a></li>`,
  );
  const empty = html`<p class="empty">No emails yet. New emails appear here by themselves.</p>`;
  const list = messages.length === 0 ? empty : html`<ul class="list">${rows}</ul>`;
  return {
    title: 'Inbox',
    body: html`<div id="emails">${list}</div><p id="news" role="status" class="news"></p>`,
  };
}

function messagePage({ id, at, from, to, subject, text }: InboxMessage): InboxPage {
  return {
    title: subject || '(no subject)',
    back: html`<p class="up"><a href="/inbox">← Inbox</a></p>`,
    body: html`<dl><dt>From</dt><dd>${from}</dd><dt>To</dt><dd>${to.join(', ')}</dd><dt>Date</dt><dd><time datetime="${at}">${shownTime(at)}</time></dd></dl>
      <h2>HTML</h2>
      <iframe src="/inbox/messages/${id}/html" title="Email as HTML" sandbox="allow-popups allow-popups-to-escape-sandbox"></iframe>
      <h2>Plain text</h2>
      <pre>${linked(text)}</pre>`,
  };
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

/** Shows new emails in place, and says so to screen readers. The focus stays on its email. */
const script = `
  const emails = document.getElementById('emails');
  const refresh = async () => {
    if (document.hidden) return;
    const answer = await fetch('/inbox').catch(() => null);
    if (!answer?.ok) return;
    const next = new DOMParser().parseFromString(await answer.text(), 'text/html').getElementById('emails');
    if (next.innerHTML === emails.innerHTML) return;
    const focused = emails.contains(document.activeElement) ? document.activeElement.getAttribute('href') : null;
    const count = next.querySelectorAll('li').length - emails.querySelectorAll('li').length;
    emails.replaceChildren(...next.childNodes);
    if (focused) emails.querySelector('[href="' + focused + '"]')?.focus({ preventScroll: true });
    document.getElementById('news').textContent = count === 1 ? '1 new email' : 'Emails were updated';
  };
  if (emails) {
    setInterval(refresh, 2000);
    document.addEventListener('visibilitychange', refresh);
  }
`;

const style = `
  main { max-width: 52rem; margin: 0 auto; padding: 1.5rem; }
  h2 { color: var(--dimmed); }
  .list { list-style: none; margin: 0; padding: 0; background: var(--surface); border: 1px solid var(--line); border-radius: 8px; overflow: hidden; }
  .list li + li { border-top: 1px solid var(--line); }
  .list a { display: grid; grid-template-columns: 1fr auto; gap: 0.125rem 1rem; padding: 0.75rem 1rem; color: inherit; text-decoration: none; }
  .list a:hover { background: var(--hover); } .list a:focus-visible { outline-offset: -2px; }
  .subject { font-weight: 600; overflow-wrap: anywhere; } .to { grid-row: 2; color: var(--dimmed); overflow-wrap: anywhere; }
  time, dt { color: var(--dimmed); } time { font-size: 0.8438rem; font-variant-numeric: tabular-nums; } dd time { font-size: inherit; color: inherit; }
  .empty { margin: 0; padding: 3rem 1rem; text-align: center; color: var(--dimmed); background: var(--surface); border: 1px dashed var(--line); border-radius: 8px; }
  .news { color: var(--dimmed); font-size: 0.8438rem; min-height: 1.5em; }
  .up { margin: 0 0 0.25rem; font-size: 0.8438rem; }
  dl { display: grid; grid-template-columns: auto 1fr; gap: 0.25rem 1rem; margin: 0; } dd { margin: 0; overflow-wrap: anywhere; }
  iframe { width: 100%; height: 35rem; border: 1px solid var(--line); border-radius: 8px; }
  @media (max-width: 30rem) { main { padding: 1rem; } .top .note { display: none; } .list a { grid-template-columns: 1fr; } .list time { grid-row: 3; } }
`;
