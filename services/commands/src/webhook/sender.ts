/** `headers`: those of the endpoint, which cannot replace Gatebook's. */
export type WebhookTarget = {
  url: string;
  headers: Readonly<Record<string, string>>;
  secrets: readonly { secret: string; expiresAt: Date | null }[];
};
export type WebhookMessage = { id: string; body: string };

/**
 * `timeout`, `unreachable`: there was no response. `forbidden`: the URL leads to where Gatebook sends nothing.
 * `event_unavailable`: the log does not have the event any more.
 */
export type WebhookErrorCode = 'timeout' | 'unreachable' | 'forbidden' | 'event_unavailable';

/** `responseBody`: its beginning. `retryAfterMs`: null without the header. */
export type WebhookResult = {
  statusCode: number | null;
  errorCode: WebhookErrorCode | null;
  durationMs: number;
  responseBody: string;
  retryAfterMs: number | null;
};

export type WebhookSender = {
  /** Sends once. Never throws for what the receiver does. `at`: ISO 8601. */
  send(target: WebhookTarget, message: WebhookMessage, attempt: SendingOptions): Promise<WebhookResult>;
  close(): void;
};
type SendingOptions = { at: string; deadlineMs?: number; signal?: AbortSignal };

export const isDelivered = ({ statusCode }: Pick<WebhookResult, 'statusCode'>) =>
  statusCode !== null && statusCode >= 200 && statusCode < 300;
