import { AnswerError, ConnectionError, isKnownError } from './errors.ts';
import { isNetworkFailure, type Network } from './network.ts';
import type { Send } from './transport.ts';

export type LiveOptions = {
  /** Begins after this cursor; absent: with what happens from now on. */
  after?: string | undefined;
  /** Ends the iteration. */
  signal?: AbortSignal | undefined;
  /** Called when the connection opens and when it breaks. It is opened again by itself. */
  onConnection?: ((isConnected: boolean) => void) | undefined;
};
/** `cursor`: to continue after this item. */
export type LiveItem<Data> = { cursor: string; data: Data };
/** Opens the stream after a cursor; null: try again later. */
export type OpenLive = (cursor: string) => Promise<ReadableStream<Uint8Array> | null>;

const RECONNECT_MS = 2_000;

/**
 * Items of a live stream, each once and in order, over as many connections as it takes. @throws what `open` throws, so
 * when the right to read is lost
 */
export async function* followLive<Data>(
  open: OpenLive,
  { after = 'head', signal, onConnection }: LiveOptions = {},
): AsyncGenerator<LiveItem<Data>, void, undefined> {
  let cursor = after;
  while (!signal?.aborted) {
    const body = await open(cursor);
    if (body) {
      onConnection?.(true);
      for await (const { id, data } of readMessages(body, signal)) {
        cursor = id ?? cursor;
        if (data !== null) yield { cursor, data: JSON.parse(data) as Data };
      }
      onConnection?.(false);
    }
    await waitFor(RECONNECT_MS, signal);
  }
}

/** Through the client. What is wrong with the request is thrown; network and server can recover. */
export const openThrough =
  (send: Send, pathAfter: (cursor: string) => string): OpenLive =>
  async (cursor) => {
    try {
      const body = await send<unknown>('GET', pathAfter(cursor));
      return body instanceof ReadableStream ? body : null;
    } catch (error) {
      if (canRecover(error)) return null;
      throw error;
    }
  };

/** Whether the same call can succeed later. */
export function canRecover(error: unknown): boolean {
  if (error instanceof ConnectionError || isNetworkFailure(error)) return true;
  return (error instanceof AnswerError || isKnownError(error)) && (error.status === 429 || error.status >= 500);
}

type Message = { id: string | null; data: string | null };

/** HTML standard, "Interpreting an event stream". Messages that are cut off are dropped. */
async function* readMessages(body: ReadableStream<Uint8Array>, signal?: AbortSignal): AsyncGenerator<Message> {
  const reader = body.getReader();
  const cancel = (): void => void reader.cancel().catch(() => undefined);
  signal?.addEventListener('abort', cancel);
  const decoder = new TextDecoder();
  let text = '';
  try {
    while (!signal?.aborted) {
      // A broken connection reads like an ended one.
      const { done, value } = await reader.read().catch(() => ({ done: true, value: undefined }));
      if (done) return;
      const parts = (text + decoder.decode(value, { stream: true })).split(/\r?\n\r?\n/);
      text = parts.pop() ?? '';
      yield* parts.map(toMessage);
    }
  } finally {
    signal?.removeEventListener('abort', cancel);
    cancel();
  }
}

function toMessage(text: string): Message {
  const message: Message = { id: null, data: null };
  for (const line of text.split(/\r?\n/)) {
    const [, field, value = ''] = /^(id|data): ?(.*)$/.exec(line) ?? [];
    if (field === 'id') message.id = value;
    if (field === 'data') message.data = message.data === null ? value : `${message.data}\n${value}`;
  }
  return message;
}

/** Ends early when the signal aborts. */
export function waitFor(ms: number, signal: AbortSignal | undefined): Promise<void> {
  return new Promise((resolve) => {
    const end = (): void => {
      clearTimeout(timer);
      signal?.removeEventListener('abort', end);
      resolve();
    };
    const timer = setTimeout(end, ms);
    if (signal?.aborted) end();
    else signal?.addEventListener('abort', end);
  });
}

/** A network whose calls and pauses end when the signal aborts. */
export const endedBy = (signal: AbortSignal, network: Network): Network => ({
  ...network,
  fetch: (url, init) => network.fetch(url, { ...init, signal }),
  pause: (ms) => waitFor(ms, signal),
});
