import { createHash } from 'node:crypto';
import helmet, { type FastifyHelmetOptions } from '@fastify/helmet';
import reference from '@scalar/fastify-api-reference';
import Fastify, { type FastifyReply } from 'fastify';
import type { Page } from './compressed-pages.ts';

/** The pages of the API reference, without third-party fonts, scripts or proxies. */
export async function createReference(securityHeaders: FastifyHelmetOptions): Promise<(path: string) => Promise<Page>> {
  const docs = Fastify();
  await docs.register(helmet, securityHeaders);
  docs.addHook('onSend', async (_request, reply, payload) => {
    allowOwnScripts(reply, payload);
    return payload;
  });
  await docs.register(reference, {
    routePrefix: '/docs',
    configuration: {
      url: '/openapi.json',
      pageTitle: 'Gatebook API',
      withDefaultFonts: false,
      telemetry: false,
      showDeveloperTools: 'never',
      hideClientButton: true,
      agent: { disabled: true },
      mcp: { disabled: true },
    },
  });
  return async (path) => {
    const { statusCode: status, headers, rawPayload: body } = await docs.inject(path);
    return { status, headers, body };
  };
}

const inlineScript = /<script(?![^>]*\ssrc=)[^>]*>([\s\S]*?)<\/script>/gi;

/** The page configures itself with inline scripts. Only allows those, by hash. */
function allowOwnScripts(reply: FastifyReply, payload: unknown): void {
  if (typeof payload !== 'string' || !String(reply.getHeader('content-type')).startsWith('text/html')) return;
  const hashes = [...payload.matchAll(inlineScript)].map(
    ([, script = '']) => `'sha256-${createHash('sha256').update(script).digest('base64')}'`,
  );
  const named = ["script-src 'self'", ...hashes].join(' ');
  const header = 'content-security-policy';
  reply.header(header, String(reply.getHeader(header)).replace("script-src 'self'", named));
}
