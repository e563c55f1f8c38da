import { reject } from '@gatebook/domain/errors';
import { isSafeUrl } from '@gatebook/runtime/loopback';

/** `body` is undefined when the response is not JSON. */
export type ProviderResponse = { status: number; body: unknown };

export type ProviderRequest = {
  method: string;
  headers: Readonly<Record<string, string>>;
  body?: string | undefined;
};

/** Profiles and keys take a few kilobytes; anything larger is rejected. */
export const maxResponseBytes = 1024 * 1024;

/**
 * Sends one request to a provider. Redirects are not followed, so that tokens and secrets never go to an unknown host.
 * @throws DomainError OAUTH_PROVIDER_UNREACHABLE when there is no response before `signal`, or when the response
 * reports a problem of the provider; OAUTH_PROVIDER_RESPONSE_INVALID when it is too large. The errors contain nothing
 * of the request, which has secrets.
 */
export async function sendRequest(
  url: string,
  request: ProviderRequest,
  signal: AbortSignal,
): Promise<ProviderResponse> {
  if (!isSafeUrl(url)) return reject('OAUTH_PROVIDER_UNREACHABLE');
  const response = await fetch(url, { ...request, body: request.body ?? null, redirect: 'manual', signal }).catch(() =>
    reject('OAUTH_PROVIDER_UNREACHABLE'),
  );
  const { status } = response;
  const isUsable = status >= 200 && status < 500 && (status < 300 || status >= 400) && status !== 408 && status !== 429;
  if (!isUsable) {
    await response.body?.cancel().catch(() => undefined);
    return reject('OAUTH_PROVIDER_UNREACHABLE');
  }
  const text = await readBody(response);
  return { status, body: parseJson(text) };
}

async function readBody(response: Response): Promise<string> {
  const chunks: Uint8Array[] = [];
  let bytes = 0;
  try {
    for await (const chunk of response.body ?? []) {
      bytes += chunk.byteLength;
      // Leaving the loop cancels the rest of the response.
      if (bytes > maxResponseBytes) break;
      chunks.push(chunk);
    }
  } catch {
    return reject('OAUTH_PROVIDER_UNREACHABLE');
  }
  return bytes > maxResponseBytes ? reject('OAUTH_PROVIDER_RESPONSE_INVALID') : Buffer.concat(chunks).toString('utf8');
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
