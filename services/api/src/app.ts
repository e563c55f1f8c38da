import Fastify, { type FastifyBaseLogger, type FastifyInstance, LogController } from 'fastify';
import { serializerCompiler } from 'fastify-type-provider-zod';
import type { Deps } from './deps.ts';
import { parseUrlEncoded, readBodies } from './http/body.ts';
import { checkCallers } from './http/callers.ts';
import { keepConventions, newRequestId, setCommonHeaders } from './http/conventions.ts';
import { rejectCrossSiteRequests } from './http/cross-site.ts';
import { registerRoutes } from './http/define-route.ts';
import { trustIn } from './http/end-user.ts';
import { answerErrors } from './http/error-handler.ts';
import { decideOnce } from './http/idempotency.ts';
import { serveInbox } from './http/inbox.ts';
import { describeApi } from './http/openapi.ts';
import { serveDashboard, serveReference } from './http/pages.ts';
import { limitRates } from './http/rate-limits.ts';
import { answerUnknownPath, collectPaths, rejectOtherMethods } from './http/unknown-paths.ts';
import { answerUnreadableRequest } from './http/unreadable-requests.ts';
import { validateRequests } from './http/validation.ts';
import { routes } from './routes/all.ts';

/**
 * Node compares connections with these once per interval, and takes the longer one for whole requests whatever their names say.
 * Its defaults (60 s for headers, every 30 s) let a body that never comes hold a connection for 90 s.
 */
const timeouts = { requestTimeout: 30_000, headersTimeout: 30_000, connectionsCheckingInterval: 1_000 };

/** The whole HTTP side. Hooks run in the order in which they are added here: conventions, body, caller, validation, limits, repetition. */
export async function buildApp(deps: Deps): Promise<FastifyInstance> {
  const { config, logger, traffic, version } = deps;
  const isTrusted = trustIn(config.http.trustedProxies);
  const origin = { isHttps: config.http.publicUrl.startsWith('https:') };
  const app = Fastify({
    loggerInstance: logger as FastifyBaseLogger,
    logController: new LogController({ disableRequestLogging: true }),
    // A logger of its own for each request would cost more than what is ever logged: the request's id is given by hand.
    childLoggerFactory: (parent) => parent,
    genReqId: newRequestId,
    trustProxy: (address) => isTrusted(address),
    routerOptions: { querystringParser: parseQuery, maxParamLength: 200 },
    requestTimeout: timeouts.requestTimeout,
    http: timeouts,
    // A path that can't be decoded reaches no hook.
    frameworkErrors: (_error, request, reply) => {
      setCommonHeaders(request, reply, origin);
      answerUnknownPath(request, reply);
    },
    clientErrorHandler: answerUnreadableRequest,
    return503OnClosing: true,
    forceCloseConnections: 'idle',
  });

  if (traffic) app.addHook('onRequest', async () => traffic.note());
  answerErrors(app);
  keepConventions(app, origin);
  rejectCrossSiteRequests(app);
  readBodies(app);
  checkCallers(app, deps, isTrusted);
  validateRequests(app);
  app.setSerializerCompiler(serializerCompiler);
  if (config.rateLimits.isEnabled) limitRates(app, deps);
  decideOnce(app, deps);

  await describeApi(app, { url: config.http.publicUrl, version });
  const paths = collectPaths(app);
  registerRoutes(app, deps, routes);
  app.get('/openapi.json', { schema: { hide: true } }, async (_request, reply) =>
    reply.header('access-control-allow-origin', '*').serializer(JSON.stringify).send(app.swagger()),
  );
  app.register(async (rest) => rejectOtherMethods(rest, new Map(paths)));
  await serveReference(app, deps);
  await serveInbox(app, deps);
  await serveDashboard(app, deps);
  return app;
}

/** Of repeated keys the last one wins. Escapes that are no UTF-8 are kept as they are: no schema accepts them. */
function parseQuery(text: string): Record<string, string> {
  try {
    return parseUrlEncoded(text);
  } catch {
    return { '%': text };
  }
}
