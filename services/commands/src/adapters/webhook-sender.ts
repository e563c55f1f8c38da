import { createConnections, OutgoingError, sendRequest } from '@gatebook/runtime/outgoing/send-request';
import { signWebhook } from '@gatebook/runtime/outgoing/standard-webhooks';
import type { WebhookMessage, WebhookSender, WebhookTarget } from '../webhook/sender.ts';

const usualDeadlineMs = 15_000;
const maxResponseBytes = 4_096;

/** The headers of a message, except those of the endpoint: also with the names that receivers of Svix check. */
function webhookHeaders({ secrets }: Pick<WebhookTarget, 'secrets'>, message: WebhookMessage, at: string) {
  const live = secrets.flatMap(({ secret, expiresAt }) =>
    expiresAt === null || expiresAt.getTime() > Date.parse(at) ? [secret] : [],
  );
  const signed = signWebhook({ ...message, at, secrets: live });
  return {
    'content-type': 'application/json',
    'content-length': String(Buffer.byteLength(message.body)),
    'user-agent': 'Gatebook-Webhooks',
    ...signed,
    'svix-id': signed['webhook-id'],
    'svix-timestamp': signed['webhook-timestamp'],
    'svix-signature': signed['webhook-signature'],
  };
}

/** Sends webhooks over HTTP (Standard Webhooks 1.0). Redirects are not followed. */
export function createWebhookSender({ allowPrivate }: { allowPrivate: boolean }): WebhookSender {
  const connections = createConnections();
  return {
    send: async (target, message, { at, deadlineMs = usualDeadlineMs, signal }) => {
      const own = Object.fromEntries(
        Object.entries(target.headers).map(([name, value]) => [name.toLowerCase(), value]),
      );
      const headers = { ...own, ...webhookHeaders(target, message, at) };
      const limits = {
        deadlineMs,
        maxResponseBytes,
        isCut: true,
        allowPrivate,
        connections,
        ...(signal && { signal }),
      };
      const began = performance.now();
      const durationMs = () => Math.round(performance.now() - began);
      try {
        const request = { method: 'POST', headers, body: message.body } as const;
        const { status, body, retryAfter } = await sendRequest(target.url, request, limits);
        const retryAfterMs = parseRetryAfter(retryAfter, at);
        return { statusCode: status, errorCode: null, durationMs: durationMs(), responseBody: body, retryAfterMs };
      } catch (error) {
        if (!(error instanceof OutgoingError)) throw error;
        const errorCode = error.reason === 'too_large' ? 'unreachable' : error.reason;
        return { statusCode: null, errorCode, durationMs: durationMs(), responseBody: '', retryAfterMs: null };
      }
    },
    close: connections.close,
  };
}

/** Seconds, or a date (RFC 9110 §10.2.3). @returns null if it is neither */
function parseRetryAfter(text: string | null, at: string): number | null {
  if (text === null) return null;
  if (/^\d{1,9}$/.test(text.trim())) return Number(text) * 1_000;
  const until = Date.parse(text);
  return Number.isNaN(until) ? null : Math.max(0, until - Date.parse(at));
}
