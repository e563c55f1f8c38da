import { reject } from '@gatebook/domain/errors';
import { isSafeUrl } from '@gatebook/runtime/loopback';
import {
  isAllowedTarget,
  OutgoingError,
  type OutgoingResponse,
  sendRequest as sendOutgoing,
} from '@gatebook/runtime/outgoing/send-request';

/** `body` is undefined when the response is not JSON. */
export type ProviderResponse = { status: number; body: unknown };

type SentResponse = Pick<OutgoingResponse, 'status' | 'body'>;

export type ProviderRequest = {
  method: 'GET' | 'POST';
  headers: Readonly<Record<string, string>>;
  body?: string | undefined;
};

/**
 * How requests get to a provider. Redirects are not followed, so that tokens and secrets never go to an unknown host.
 */
export type Network = {
  isAllowed(url: string): boolean;
  /** @throws OutgoingError when there is no response before `signal`, or when it is too large */
  send(url: string, request: ProviderRequest, signal: AbortSignal): Promise<SentResponse>;
};

/** Profiles and keys take a few kilobytes; anything larger is rejected. */
export const maxResponseBytes = 1024 * 1024;

/** For providers of the protocol, and for those that the operator chose. */
export const openNetwork: Network = {
  isAllowed: isSafeUrl,
  send: async (url, request, signal) => {
    if (!isSafeUrl(url)) throw new OutgoingError('forbidden');
    try {
      const response = await fetch(url, { ...request, body: request.body ?? null, redirect: 'manual', signal });
      return { status: response.status, body: await readBody(response) };
    } catch (error) {
      if (error instanceof OutgoingError) throw error;
      throw new OutgoingError(signal.aborted ? 'timeout' : 'unreachable', error);
    }
  },
};

const maxRequestMs = 10_000;

/** For providers that the owner of a project chose: they must not lead into the network of this server. */
export const createGuardedNetwork = (allowPrivate: boolean): Network => ({
  isAllowed: (url) => isAllowedTarget(url, allowPrivate),
  send: (url, { body, ...request }, signal) =>
    sendOutgoing(
      url,
      { ...request, ...(body === undefined ? {} : { body }) },
      { deadlineMs: maxRequestMs, signal, maxResponseBytes, allowPrivate },
    ),
});

/**
 * Sends one request to a provider.
 * @throws DomainError OAUTH_PROVIDER_UNREACHABLE when there is no response before `signal`, or when the response
 * reports a problem of the provider; OAUTH_PROVIDER_RESPONSE_INVALID when it is too large. The errors contain nothing
 * of the request, which has secrets.
 */
export async function sendRequest(
  { send }: Network,
  url: string,
  request: ProviderRequest,
  signal: AbortSignal,
): Promise<ProviderResponse> {
  const { status, body } = await send(url, request, signal).catch((error: unknown) => {
    const isTooLarge = error instanceof OutgoingError && error.reason === 'too_large';
    return reject(isTooLarge ? 'OAUTH_PROVIDER_RESPONSE_INVALID' : 'OAUTH_PROVIDER_UNREACHABLE');
  });
  const isUsable = status >= 200 && status < 500 && (status < 300 || status >= 400) && status !== 408 && status !== 429;
  return isUsable ? { status, body: parseJson(body) } : reject('OAUTH_PROVIDER_UNREACHABLE');
}

async function readBody(response: Response): Promise<string> {
  const chunks: Uint8Array[] = [];
  let bytes = 0;
  for await (const chunk of response.body ?? []) {
    bytes += chunk.byteLength;
    // Leaving the loop cancels the rest of the response.
    if (bytes > maxResponseBytes) throw new OutgoingError('too_large');
    chunks.push(chunk);
  }
  return Buffer.concat(chunks).toString('utf8');
}

/** Undefined if the text is not JSON. */
export function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
