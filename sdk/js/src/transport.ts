import { actualStatus, readBody, readKnownError, toAnswerError } from './answer.ts';
import { ConnectionError, isKnownError } from './errors.ts';
import { backoffMs, isNetworkFailure, type Network, nonce, retryAfterMs } from './network.ts';
import type { Session, SessionTokens } from './session.ts';
import { clientVersion } from './version.ts';

export type AccessType = 'client' | 'server' | 'admin';
export type Method = 'GET' | 'POST' | 'PATCH' | 'PUT' | 'DELETE';

/** Calls the API below `/api/v1`; `body` is sent as JSON. Resolves with the parsed response. */
/** `ifMatch`: the ETag of a preview, so that the write is rejected if anything has changed since. */
export type SendOptions = { ifMatch?: string };
export type Send = <Answer>(method: Method, path: string, body?: unknown, options?: SendOptions) => Promise<Answer>;
/** Like `Send`, but also returns the status. */
export type Exchange = <Answer>(
  method: Method,
  path: string,
  body?: unknown,
  options?: SendOptions,
) => Promise<{ status: number; body: Answer }>;

export type TransportOptions = {
  /** Origin of the API, without `/api/v1`. */
  baseUrl: string;
  projectId: string;
  accessType: AccessType;
  publishableClientKey?: string | undefined;
  secretServerKey?: string | undefined;
  superSecretAdminKey?: string | undefined;
  /** The signed-in user of this project. */
  session?: Session;
  /** The session of a user of `internal` who owns the project; replaces all keys. */
  ownerSession?: Pick<Session, 'tokens' | 'markExpired'>;
  extraHeaders?: Readonly<Record<string, string>>;
  maxAttempts?: number;
  /** If a 429 response requests a longer wait, it is thrown. Unlimited by default. */
  longestWaitMs?: number;
  network: Network;
};

type Attempt = { done: true; status: number; value: unknown } | { done: false; error: unknown; waitMs: number };

const idempotent: ReadonlySet<Method> = new Set(['GET', 'PUT', 'DELETE']);
const MAX_ATTEMPTS = 5;

/** Headers, typed errors and retries as in (protocol, client §7). */
export function createTransport(options: TransportOptions): Send {
  const exchange = createExchange(options);
  return async (method, path, body, sendOptions) => (await exchange<never>(method, path, body, sendOptions)).body;
}

export function createExchange(options: TransportOptions): Exchange {
  const { network, maxAttempts = MAX_ATTEMPTS, longestWaitMs = Number.POSITIVE_INFINITY } = options;
  return async <Answer>(method: Method, path: string, body?: unknown, { ifMatch }: SendOptions = {}) => {
    for (let attempt = 1; ; attempt += 1) {
      const result = await tryOnce(options, { method, path, body, ifMatch });
      if (result.done) return { status: result.status, body: result.value as Answer };
      if (attempt >= maxAttempts || result.waitMs > longestWaitMs) throw await lastError(options, result.error);
      if (result.waitMs > 0) await network.pause(result.waitMs);
      await network.pause(backoffMs(attempt, network.random));
    }
  };
}

type Call = { method: Method; path: string; body: unknown; ifMatch: string | undefined };

async function tryOnce(options: TransportOptions, { method, path, body, ifMatch }: Call): Promise<Attempt> {
  const tokens = (await options.session?.tokens()) ?? null;
  const ownerTokens = (await options.ownerSession?.tokens()) ?? null;
  let response: Response;
  try {
    response = await options.network.fetch(apiUrl(options.baseUrl, path), {
      method,
      headers: {
        ...headersOf(options, tokens, ownerTokens),
        ...(body !== undefined && jsonType),
        ...(ifMatch !== undefined && { 'if-match': `"${ifMatch}"` }),
      },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
      credentials: 'omit',
      cache: 'no-store',
    });
  } catch (error) {
    if (!isNetworkFailure(error)) throw error;
    // What the first attempt changed would make the ETag outdated.
    if (!idempotent.has(method) || ifMatch !== undefined) throw await lastError(options, error);
    return { done: false, error, waitMs: 0 };
  }
  return readAttempt(options, response, tokens, ownerTokens);
}

async function readAttempt(
  options: TransportOptions,
  response: Response,
  tokens: SessionTokens | null,
  ownerTokens: SessionTokens | null,
): Promise<Attempt> {
  const known = await readKnownError(response);
  if (known && isKnownError(known, 'INVALID_ACCESS_TOKEN') && tokens) {
    options.session?.markExpired(tokens.accessToken);
    return { done: false, error: known, waitMs: 0 };
  }
  if (known && isKnownError(known, ...unusableOwnerTokens) && ownerTokens) {
    options.ownerSession?.markExpired(ownerTokens.accessToken);
    return { done: false, error: known, waitMs: 0 };
  }
  if (known) throw known;
  const status = actualStatus(response);
  if (status >= 200 && status < 300) return { done: true, status, value: await readBody(response) };
  const error = await toAnswerError(response);
  if (status === 429) return { done: false, error, waitMs: retryAfterMs(response) };
  if (status === 508 && error.body.includes('INFINITE_LOOP_DETECTED')) return { done: false, error, waitMs: 0 };
  throw error;
}

/** A new token does not make somebody an owner. */
const unusableOwnerTokens = ['UNPARSABLE_ADMIN_ACCESS_TOKEN', 'ADMIN_ACCESS_TOKEN_EXPIRED'] as const;

const jsonType = { 'content-type': 'application/json' };

function headersOf(options: TransportOptions, tokens: SessionTokens | null, ownerTokens: SessionTokens | null) {
  const headers: Record<string, string | undefined> = {
    'x-stack-override-error-status': 'true',
    'x-stack-project-id': options.projectId,
    'x-stack-access-type': options.accessType,
    'x-stack-client-version': clientVersion,
    'x-stack-access-token': tokens?.accessToken,
    'x-stack-refresh-token': tokens?.refreshToken,
    'x-stack-publishable-client-key': options.ownerSession ? undefined : options.publishableClientKey,
    'x-stack-secret-server-key': options.secretServerKey,
    'x-stack-super-secret-admin-key': options.superSecretAdminKey,
    'x-stack-admin-access-token': ownerTokens?.accessToken,
    'x-stack-random-nonce': nonce(),
    'ngrok-skip-browser-warning': 'true',
    ...options.extraHeaders,
  };
  return Object.fromEntries(Object.entries(headers).filter((entry): entry is [string, string] => !!entry[1]));
}

export function apiUrl(baseUrl: string, path: string): string {
  return `${baseUrl.replace(/\/$/, '')}/api/v1${path.replace(/\/$/, '')}`;
}

async function lastError(options: TransportOptions, error: unknown): Promise<unknown> {
  if (!isNetworkFailure(error)) return error;
  const { network, baseUrl } = options;
  if (!network.isOnline()) return new ConnectionError(true, { isOnline: false }, error);
  const [api, health] = await Promise.all([
    reach(network, apiUrl(baseUrl, '')),
    reach(network, `${baseUrl.replace(/\/$/, '')}/health`),
  ]);
  return new ConnectionError(false, { isOnline: true, api, health }, error);
}

async function reach(network: Network, url: string): Promise<string> {
  try {
    const response = await network.fetch(url, { credentials: 'omit', cache: 'no-store' });
    return response.ok ? 'OK' : `${url} returned ${response.status}`;
  } catch (error) {
    return `${url}: ${error instanceof Error ? error.message : String(error)}`;
  }
}
