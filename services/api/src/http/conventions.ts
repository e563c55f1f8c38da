import { asOfHeaders } from '@gatebook/contract/as-of';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { addStep } from './steps.ts';

/** Headers that identify the caller. `x-hexclave-…` is a second spelling of each (protocol, client §A.1). */
const stackHeaders = [
  'project-id',
  'branch-id',
  'override-error-status',
  'random-nonce',
  'client-version',
  'access-type',
  'publishable-client-key',
  'secret-server-key',
  'super-secret-admin-key',
  'admin-access-token',
  'refresh-token',
  'access-token',
  'allow-anonymous-user',
] as const;
const spellings = stackHeaders.map((name) => [`x-stack-${name}`, `x-hexclave-${name}`] as const);
const allowedHeaders = [
  'content-type',
  'authorization',
  'idempotency-key',
  'if-match',
  'last-event-id',
  ...stackHeaders.map((name) => `x-stack-${name}`),
  ...stackHeaders.map((name) => `x-hexclave-${name}`),
  'baggage',
  'sentry-trace',
  'traceparent',
  'tracestate',
  'x-vercel-protection-bypass',
  'ngrok-skip-browser-warning',
].join(', ');
const exposedHeaders = [
  'content-type',
  'idempotency-replayed',
  'retry-after',
  'www-authenticate',
  ...Object.values(asOfHeaders),
  'x-read-model',
  'x-stack-actual-status',
  'x-stack-known-error',
  'x-stack-request-id',
].join(', ');

/** What a page of another origin needs to read a response. */
const corsHeaders = { 'access-control-allow-origin': '*', 'access-control-expose-headers': exposedHeaders };
const preflightHeaders = {
  ...corsHeaders,
  'access-control-allow-methods': 'GET, POST, PUT, PATCH, DELETE, OPTIONS',
  'access-control-allow-headers': allowedHeaders,
  'access-control-max-age': '86400',
};

export const isApiPath = (url: string) => /^\/api(\/|\?|$)/.test(url);

/** Applies the conventions of all API requests (protocol, conventions §2 and §7). */
export function keepConventions(app: FastifyInstance, origin: { isHttps: boolean }): void {
  addStep(app, 'onRequest', (request, reply) => {
    mergeSpellings(request.raw.headers);
    setCommonHeaders(request, reply, origin);
    if (request.method === 'OPTIONS' && isApiPath(request.url)) return reply.code(200).send();
  });
  addStep(app, 'onSend', (request, reply, payload) => {
    if (!isApiPath(request.url)) return;
    overrideStatus(request, reply);
    return prettyForPeople(request, reply, payload);
  });
}

/** 365 days (RFC 6797). Does not include subdomains, which may belong to other services. */
const strictTransport = 'max-age=31536000';
const safetyHeaders = { 'x-content-type-options': 'nosniff', 'referrer-policy': 'no-referrer' };
const secureHeaders = { ...safetyHeaders, 'strict-transport-security': strictTransport };
/** API responses are data: opened in a browser, they load nothing and can't be framed. */
const dataHeaders = {
  'cache-control': 'no-store, max-age=0',
  'content-security-policy': "default-src 'none'; frame-ancestors 'none'",
};

export function setCommonHeaders(
  request: FastifyRequest,
  reply: FastifyReply,
  { isHttps }: { isHttps: boolean },
): void {
  reply.header('x-stack-request-id', request.id).headers(isHttps ? secureHeaders : safetyHeaders);
  if (!isApiPath(request.url)) return;
  reply.headers(dataHeaders);
  // No `vary`: nobody stores these responses.
  if (request.method === 'OPTIONS') reply.headers(preflightHeaders);
  else if (request.raw.headers.origin !== undefined) reply.headers(corsHeaders);
}

/** Treats empty headers as absent and merges both spellings. */
function mergeSpellings(headers: Record<string, string | string[] | undefined>): void {
  for (const [name, otherName] of spellings) {
    const value = headers[name] || headers[otherName];
    if (value) headers[name] = value;
    else if (name in headers) delete headers[name];
  }
}

/** @returns the header's value; undefined if it is absent or empty */
export function stackHeader(request: FastifyRequest, name: (typeof stackHeaders)[number]): string | undefined {
  const value = request.raw.headers[`x-stack-${name}`];
  return Array.isArray(value) ? value[0] : value;
}

function overrideStatus(request: FastifyRequest, reply: FastifyReply): void {
  if (reply.statusCode < 400 || stackHeader(request, 'override-error-status') === undefined) return;
  reply.header('x-stack-actual-status', String(reply.statusCode)).code(200);
}

/** The status of the response, also if the client asked for errors with status 200. */
export const actualStatus = (reply: FastifyReply): number =>
  Number(reply.getHeader('x-stack-actual-status') ?? reply.statusCode);

function prettyForPeople(request: FastifyRequest, reply: FastifyReply, payload: unknown): unknown {
  if (!request.headers.accept?.includes('text/html') || typeof payload !== 'string') return payload;
  if (!String(reply.getHeader('content-type')).startsWith('application/json')) return payload;
  return JSON.stringify(JSON.parse(payload), null, 2);
}
