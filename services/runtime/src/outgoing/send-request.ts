import { isIP } from 'node:net';
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

/** Why a URL may not be requested. */
export type TargetProblem = 'malformed' | 'credentials' | 'not_https' | 'port' | 'private_network';

/** Judges a URL that somebody else chose, without resolving its name. null: it may be requested. */
export function findTargetProblem(url: string, allowPrivate: boolean): TargetProblem | null {
  if (!URL.canParse(url)) return 'malformed';
  const { protocol, hostname, port, username, password } = new URL(url);
  if (username || password) return 'credentials';
  if (!isSafeUrl(url) || (protocol === 'http:' && !allowPrivate)) return 'not_https';
  if (port !== '' && !webPorts.includes(Number(port)) && Number(port) < firstFreePort) return 'port';
  try {
    checkHost(withoutBrackets(hostname), allowPrivate);
    return null;
  } catch {
    return 'private_network';
  }
}

export const isAllowedTarget = (url: string, allowPrivate: boolean): boolean =>
  findTargetProblem(url, allowPrivate) === null;

/**
 * Like `findTargetProblem`, but resolves the name. A name that can't be resolved now has no problem: it is resolved
 * again for each request.
 */
export async function resolveTargetProblem(
  url: string,
  { allowPrivate, timeoutMs }: { allowPrivate: boolean; timeoutMs: number },
): Promise<TargetProblem | null> {
  const problem = findTargetProblem(url, allowPrivate);
  if (problem !== null) return problem;
  const host = withoutBrackets(new URL(url).hostname);
  if (isIP(host) !== 0) return null;
  return new Promise((resolve) => {
    const timer = setTimeout(() => resolve(null), timeoutMs);
    createPublicLookup(allowPrivate)(host, {}, (error) => {
      clearTimeout(timer);
      resolve(error instanceof PrivateHostError ? 'private_network' : null);
    });
  });
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
