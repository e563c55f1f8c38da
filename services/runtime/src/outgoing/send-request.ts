import { isSafeUrl } from '../loopback.ts';
import { sendHttp, sendHttps } from '../node-http.ts';
import { checkHost, createPublicLookup, PrivateHostError } from './private-hosts.ts';

export type OutgoingRequest = {
  method: 'GET' | 'POST';
  headers: Readonly<Record<string, string>>;
  body?: string;
};
export type OutgoingLimits = {
  /** For everything from resolving the name to the last byte of the response. */
  deadlineMs: number;
  /** Ends the request earlier, as the deadline does. */
  signal?: AbortSignal;
  maxResponseBytes: number;
  /** Whether targets can be in private networks. */
  allowPrivate: boolean;
};
export type OutgoingResponse = { status: number; body: string };

/** `forbidden`: the URL is not one that may be requested. */
export class OutgoingError extends Error {
  readonly reason: 'forbidden' | 'timeout' | 'unreachable' | 'too_large';

  constructor(reason: OutgoingError['reason'], cause?: unknown) {
    super(`the request failed: ${reason}`, { cause });
    this.name = 'OutgoingError';
    this.reason = reason;
  }
}

/** Servers below are for the machine itself: mail, databases, remote access. */
const firstFreePort = 1_024;
const webPorts = [80, 443];

/** Whether a URL that somebody else chose may be requested, judged without resolving its name. */
export function isAllowedTarget(url: string, allowPrivate: boolean): boolean {
  if (!isSafeUrl(url)) return false;
  const { protocol, hostname, port } = new URL(url);
  if (protocol === 'http:' && !allowPrivate) return false;
  if (port !== '' && !webPorts.includes(Number(port)) && Number(port) < firstFreePort) return false;
  try {
    checkHost(withoutBrackets(hostname), allowPrivate);
    return true;
  } catch {
    return false;
  }
}

/**
 * Sends a request to a URL that somebody else chose. Every address of the host is checked, the connection goes to a
 * checked one, and redirects are not followed.
 * @throws OutgoingError, without anything of the request or the response
 */
export async function sendRequest(
  url: string,
  { method, headers, body }: OutgoingRequest,
  { deadlineMs, signal: given, maxResponseBytes, allowPrivate }: OutgoingLimits,
): Promise<OutgoingResponse> {
  if (!isAllowedTarget(url, allowPrivate)) throw new OutgoingError('forbidden');
  const signal = AbortSignal.any([AbortSignal.timeout(deadlineMs), ...(given ? [given] : [])]);
  const send = new URL(url).protocol === 'https:' ? sendHttps : sendHttp;
  const options = { method, headers, signal, agent: false as const, lookup: createPublicLookup(allowPrivate) };
  try {
    return await new Promise<OutgoingResponse>((resolve, reject) => {
      const request = send(url, options, (response) => {
        const chunks: Buffer[] = [];
        let bytes = 0;
        response.on('data', (chunk: Buffer) => {
          bytes += chunk.byteLength;
          if (bytes <= maxResponseBytes) return chunks.push(chunk);
          reject(new OutgoingError('too_large'));
          return request.destroy();
        });
        response.once('error', reject);
        response.once('end', () => {
          resolve({ status: response.statusCode ?? 0, body: Buffer.concat(chunks).toString('utf8') });
        });
      });
      request.once('error', reject);
      // Without an error, Node destroys a request whose server switches protocols. Then the deadline has no effect.
      request.once('close', () => reject(new Error('the connection closed')));
      request.end(body);
    });
  } catch (error) {
    if (error instanceof OutgoingError) throw error;
    if (error instanceof PrivateHostError) throw new OutgoingError('forbidden', error);
    throw new OutgoingError(signal.aborted ? 'timeout' : 'unreachable', error);
  }
}

const withoutBrackets = (hostname: string) => hostname.replace(/^\[(.*)\]$/, '$1');
