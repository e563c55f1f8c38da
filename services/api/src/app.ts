import Fastify, {
  type FastifyBaseLogger,
  type FastifyInstance,
  type FastifyServerOptions,
  LogController,
} from 'fastify';
import type { Deps } from './deps.ts';
import { admitWrites } from './http/admit-writes.ts';
import { readMoments } from './http/as-of.ts';
import { bodySizes, parseUrlEncoded, readBodies } from './http/body.ts';
import { checkCallers } from './http/callers.ts';
import { createCompressedPages } from './http/compressed-pages.ts';
import { keepConventions, setCommonHeaders } from './http/conventions.ts';
import { rejectCrossSiteRequests } from './http/cross-site.ts';
import { trustIn } from './http/end-user.ts';
import { answerErrors } from './http/error-handler.ts';
import { handleIdempotencyKeys } from './http/idempotency.ts';
import { serveInbox } from './http/inbox-pages.ts';
import { measureRequests } from './http/measure-requests.ts';
import { describeApi } from './http/openapi.ts';
import { serveDashboard, serveReference } from './http/pages.ts';
import { handlePreviews } from './http/previews.ts';
import { limitRates } from './http/rate-limits.ts';
import { recordRejections } from './http/record-rejections.ts';
import { registerRoutes } from './http/register-routes.ts';
import { newRequestId } from './http/request-ids.ts';
import { serializerCompiler } from './http/serializers.ts';
import { serveLiveStreams } from './http/server-sent-events.ts';
import { addStep } from './http/steps.ts';
import { traceRequests } from './http/trace-requests.ts';
import { answerUnknownPath, collectPaths, rejectOtherMethods } from './http/unknown-paths.ts';
import { answerUnreadableRequest } from './http/unreadable-requests.ts';
import { validateRequests, validatorCompiler } from './http/validation.ts';
import { countOpenRequests } from './http/yield-to-requests.ts';
import { routes } from './routes/all.ts';

/**
 * Node checks connections against these once per interval and applies the longer one to whole requests, despite the
 * names. With its defaults (60 s for headers, checked every 30 s), a missing body holds a connection for 90 s.
 */
const timeouts = { requestTimeout: 30_000, headersTimeout: 30_000, connectionsCheckingInterval: 1_000 };

/** Given at construction, so that Fastify doesn't load its own compilers, which are for JSON schemas. */
const compilersFactory = {
  buildValidator: () => validatorCompiler,
  buildSerializer: () => serializerCompiler,
} as unknown as NonNullable<NonNullable<FastifyServerOptions['schemaController']>['compilersFactory']>;

/**
 * Builds the HTTP server. Steps run in the order in which they are added: conventions, body, caller, validation, rate
 * limits, idempotency.
 */
export async function buildApp(deps: Deps): Promise<FastifyInstance> {
  const { config, instruments, logger, traffic, version } = deps;
  const isTrusted = trustIn(config.http.trustedProxies);
  const origin = { isHttps: config.http.publicUrl.startsWith('https:') };
  const app = Fastify({
    loggerInstance: logger as FastifyBaseLogger,
    logController: new LogController({ disableRequestLogging: true }),
    // A child logger per request would cost more than the log lines. Log calls pass the request ID explicitly.
    childLoggerFactory: (parent) => parent,
    genReqId: () => newRequestId(Date.parse(deps.now())),
    trustProxy: (address) => isTrusted(address),
    schemaController: { compilersFactory },
    routerOptions: { querystringParser: parseQuery, maxParamLength: 200 },
    bodyLimit: bodySizes.small,
    requestTimeout: timeouts.requestTimeout,
    http: timeouts,
    // Hooks don't run for a path that can't be decoded.
    frameworkErrors: (_error, request, reply) => {
      setCommonHeaders(request, reply, origin);
      answerUnknownPath(request, reply);
    },
    clientErrorHandler: answerUnreadableRequest,
    return503OnClosing: true,
    forceCloseConnections: 'idle',
  });

  if (instruments?.traceRequest) traceRequests(app, instruments.traceRequest);
  if (instruments) measureRequests(app, instruments);
  if (traffic) {
    addStep(app, 'onRequest', () => {
      traffic.note();
    });
  }
  countOpenRequests(app);
  answerErrors(app);
  recordRejections(app, deps);
  keepConventions(app, origin);
  rejectCrossSiteRequests(app);
  handlePreviews(app);
  readBodies(app);
  checkCallers(app, deps, isTrusted);
  readMoments(app);
  validateRequests(app);
  if (config.rateLimits.isEnabled) {
    admitWrites(app, deps);
    limitRates(app, deps);
  }
  handleIdempotencyKeys(app, deps);

  serveLiveStreams(app, deps);

  const describe = await describeApi(app, { url: config.http.publicUrl, version });
  const paths = collectPaths(app);
  registerRoutes(app, deps, routes);
  const sendDescription = createCompressedPages(async () => ({
    status: 200,
    headers: { 'access-control-allow-origin': '*', 'content-type': 'application/json; charset=utf-8' },
    body: Buffer.from(JSON.stringify(await describe())),
  }));
  app.get('/openapi.json', { schema: { hide: true } }, sendDescription);
  await app.register(async (rest) => rejectOtherMethods(rest, new Map(paths)));
  serveReference(app, describe);
  await serveInbox(app, deps);
  await serveDashboard(app, deps);
  return app;
}

/** The last of repeated keys wins. Escapes that are not UTF-8 are kept undecoded: no schema accepts them. */
function parseQuery(text: string): Record<string, string> {
  try {
    return parseUrlEncoded(text);
  } catch {
    return { '%': text };
  }
}
