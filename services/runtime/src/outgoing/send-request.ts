import type { Agent, IncomingMessage } from 'node:http';
import type { Agent as TlsAgent } from 'node:https';
import { isIP } from 'node:net';
import { isSafeUrl } from '../loopback.ts';
import { HttpAgent, HttpsAgent, sendHttp, sendHttps } from '../node-http.ts';
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
  /** A larger response is cut off there; otherwise the request fails. */
  isCut?: boolean;
  /** Whether targets can be in private networks. */
  allowPrivate: boolean;
  /** Absent: each request opens a connection. */
  connections?: Connections;
};
export type OutgoingResponse = { status: number; body: string; retryAfter: string | null };

/** Connections that stay open for the next request to the same host; addresses were checked when they were opened. */
export type Connections = { http: Agent; https: TlsAgent; close(): void };
const idleMs = 4_000;

/** Use each with one value of `allowPrivate`, and close it in the end. */
export function createConnections(): Connections {
  const options = { keepAlive: true, timeout: idleMs, maxFreeSockets: 64 };
  const [http, https] = [new HttpAgent(options), new HttpsAgent(options)];
  return {
    http,
    https,
    close: () => {
      http.destroy();
      https.destroy();
    },
  };
}

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
  request: OutgoingRequest,
  limits: OutgoingLimits,
): Promise<OutgoingResponse> {
  const { deadlineMs, signal: given, allowPrivate } = limits;
  if (!isAllowedTarget(url, allowPrivate)) throw new OutgoingError('forbidden');
  const { signal, release } = startDeadline(deadlineMs, given);
  try {
    return await sendOnce(url, request, { ...limits, signal }).catch((error: unknown) => {
      if (!(error instanceof ConnectionEndedError)) throw error;
      return sendOnce(url, request, { ...limits, signal, connections: undefined });
    });
  } catch (error) {
    if (error instanceof OutgoingError) throw error;
    if (error instanceof PrivateHostError) throw new OutgoingError('forbidden', error);
    throw new OutgoingError(signal.aborted ? 'timeout' : 'unreachable', error);
  } finally {
    release();
  }
}

/** `AbortSignal.timeout` would keep the request in memory until the deadline, long after its response. */
function startDeadline(deadlineMs: number, given?: AbortSignal): { signal: AbortSignal; release: () => void } {
  const controller = new AbortController();
  const abort = () => controller.abort();
  const timer = setTimeout(abort, deadlineMs);
  if (given?.aborted) abort();
  else given?.addEventListener('abort', abort);
  const release = () => {
    clearTimeout(timer);
    given?.removeEventListener('abort', abort);
  };
  return { signal: controller.signal, release };
}

/** The server closed an idle connection just when it was used again. */
class ConnectionEndedError extends Error {}
const endedCodes: readonly unknown[] = ['ECONNRESET', 'ECONNABORTED', 'EPIPE', 'ERR_STREAM_WRITE_AFTER_END'];

type Sending = Omit<OutgoingLimits, 'connections'> & { signal: AbortSignal; connections?: Connections | undefined };

function sendOnce(url: string, { method, headers, body }: OutgoingRequest, limits: Sending): Promise<OutgoingResponse> {
  const { signal, allowPrivate, connections } = limits;
  const isHttps = new URL(url).protocol === 'https:';
  const agent = connections ? (isHttps ? connections.https : connections.http) : (false as const);
  const options = { method, headers, signal, agent, lookup: createPublicLookup(allowPrivate) };
  return new Promise((resolve, reject) => {
    let hasResponse = false;
    const request = (isHttps ? sendHttps : sendHttp)(url, options, (response) => {
      hasResponse = true;
      readResponse(response, limits).then(resolve, reject);
    });
    request.once('error', (error: NodeJS.ErrnoException) => {
      const isEnded = request.reusedSocket && !hasResponse && endedCodes.includes(error.code);
      reject(isEnded ? new ConnectionEndedError() : error);
    });
    // Without an error, Node destroys a request whose server switches protocols. Then the deadline has no effect.
    request.once('close', () => hasResponse || reject(new Error('the connection closed')));
    request.end(body);
  });
}

async function readResponse(
  response: IncomingMessage,
  { maxResponseBytes, isCut = false }: Pick<Sending, 'maxResponseBytes' | 'isCut'>,
): Promise<OutgoingResponse> {
  const chunks: Buffer[] = [];
  let bytes = 0;
  // Leaving the loop ends the connection.
  for await (const chunk of response as AsyncIterable<Buffer>) {
    bytes += chunk.byteLength;
    chunks.push(chunk);
    if (bytes > maxResponseBytes && !isCut) throw new OutgoingError('too_large');
    if (bytes >= maxResponseBytes && isCut) break;
  }
  const body = Buffer.concat(chunks).subarray(0, maxResponseBytes).toString('utf8');
  return { status: response.statusCode ?? 0, body, retryAfter: response.headers['retry-after'] ?? null };
}

const withoutBrackets = (hostname: string) => hostname.replace(/^\[(.*)\]$/, '$1');
