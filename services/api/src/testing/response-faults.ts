import type { FastifyInstance, FastifyRequest } from 'fastify';
import { z } from 'zod';

/** Parses every response with its schema, whose result is what must be sent. @returns the faults, as they are found */
export function findResponseFaults(app: FastifyInstance): string[] {
  const faults: string[] = [];
  const expected = new WeakMap<FastifyRequest, string>();
  app.addHook('preSerialization', async (request, reply, body) => {
    const { method, url, schema } = request.routeOptions;
    const declared = (schema?.response as Record<number, unknown> | undefined)?.[reply.statusCode];
    if (!(declared instanceof z.ZodType)) return body;
    const parsed = declared.safeParse(body);
    if (parsed.success) expected.set(request, JSON.stringify(parsed.data));
    else faults.push(`${method} ${url}: ${parsed.error.message}`);
    return body;
  });
  app.addHook('onSend', async (request, _reply, sent) => {
    const text = expected.get(request);
    const isSame = text === undefined || sent === text || sent === JSON.stringify(JSON.parse(text), null, 2);
    if (!isSame) faults.push(`${request.method} ${request.url} sent ${sent}, but its schema says ${text}`);
    return sent;
  });
  return faults;
}
