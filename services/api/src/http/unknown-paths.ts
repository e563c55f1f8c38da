import type { FastifyInstance, FastifyReply, FastifyRequest, HTTPMethods } from 'fastify';

const methods: readonly HTTPMethods[] = ['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE'];

export function answerOtherMethod(request: FastifyRequest, reply: FastifyReply): FastifyReply {
  return reply.code(405).type('text/plain; charset=utf-8').send(`${request.method} is not supported here.`);
}

/**
 * Responds to other methods of known paths with 405, before any other check. Call it after all routes are registered.
 */
export function rejectOtherMethods(app: FastifyInstance, paths: ReadonlyMap<string, ReadonlySet<string>>): void {
  for (const [url, offered] of paths) {
    const others = methods.filter((method) => !offered.has(method));
    if (others.length === 0) continue;
    const allow = [...offered, 'OPTIONS'].join(', ');
    app.route({
      method: [...others],
      url,
      exposeHeadRoute: false,
      config: { access: 'anyone' },
      schema: { hide: true },
      onRequest: async (request, reply) => {
        reply.header('allow', allow);
        return answerOtherMethod(request, reply);
      },
      handler: async (request, reply) => answerOtherMethod(request, reply),
    });
  }
}

/** Collects the methods of each path that is registered later. */
export function collectPaths(app: FastifyInstance): ReadonlyMap<string, ReadonlySet<string>> {
  const paths = new Map<string, Set<string>>();
  app.addHook('onRoute', ({ url, method }) => {
    const offered = paths.get(url) ?? new Set();
    for (const one of [method].flat()) offered.add(one.toUpperCase());
    paths.set(url, offered);
  });
  return paths;
}

/** For unknown paths under `/api/`. The caller has been checked before, so bad credentials get their own error. */
export function answerUnknownPath(request: FastifyRequest, reply: FastifyReply): FastifyReply {
  return reply.code(404).type('text/plain; charset=utf-8').send(`Nothing found at ${request.url}.`);
}
