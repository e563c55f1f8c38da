import { createHash } from 'node:crypto';
import { access } from 'node:fs/promises';
import { join } from 'node:path';
import helmet from '@fastify/helmet';
import staticFiles from '@fastify/static';
import reference from '@scalar/fastify-api-reference';
import type { FastifyInstance, FastifyReply } from 'fastify';
import type { Deps } from '../deps.ts';
import { pageAt } from './page-paths.ts';
import { answerUnknownPath } from './unknown-paths.ts';

const self = ["'self'"];
/**
 * Allows inline styles, because component libraries set them as attributes. Inline scripts are only allowed by hash,
 * for the reference page.
 */
const policy = {
  defaultSrc: self,
  scriptSrc: self,
  styleSrc: ["'self'", "'unsafe-inline'"],
  imgSrc: ["'self'", 'data:', 'https:'],
  connectSrc: self,
  fontSrc: ["'self'", 'data:'],
  objectSrc: ["'none'"],
  baseUri: self,
  formAction: self,
  frameAncestors: ["'none'"],
  upgradeInsecureRequests: null,
};
const oneYear = 365 * 24 * 60 * 60;

function securityHeaders(publicUrl: string) {
  const isHttps = publicUrl.startsWith('https:');
  return {
    contentSecurityPolicy: { useDefaults: false, directives: policy },
    frameguard: { action: 'deny' as const },
    referrerPolicy: { policy: 'no-referrer' as const },
    // Set on every response, see conventions.ts.
    hsts: false,
    crossOriginOpenerPolicy: isHttps,
  };
}

/** Serves the API reference at `/docs` without third-party fonts, scripts or proxies. */
export async function serveReference(app: FastifyInstance, { config }: Deps): Promise<void> {
  await app.register(async (docs) => {
    await docs.register(helmet, securityHeaders(config.http.publicUrl));
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
  });
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

/**
 * Serves the built dashboard at `/`, and the sign-in pages of owners below `/handler`. Files with a hash in their name
 * are immutable; all others are revalidated each time.
 */
export async function serveDashboard(app: FastifyInstance, { config, dashboardFolder }: Deps): Promise<void> {
  const isBuilt = dashboardFolder !== null && (await exists(join(dashboardFolder, 'index.html')));
  if (!isBuilt) {
    app.setNotFoundHandler(answerUnknownPath);
    return;
  }
  await app.register(async (pages) => {
    await pages.register(helmet, securityHeaders(config.http.publicUrl));
    await pages.register(staticFiles, {
      root: dashboardFolder,
      wildcard: false,
      cacheControl: false,
      preCompressed: true,
      index: ['index.html'],
      setHeaders: (response, path) => {
        const isHashed = /[\\/]assets[\\/]/.test(path);
        response.header('cache-control', isHashed ? `public, max-age=${oneYear}, immutable` : 'no-cache');
      },
    });
    pages.get('/*', { schema: { hide: true } }, async (request, reply) => {
      const [path = ''] = request.url.split('?', 1);
      const page = pageAt(path);
      return page ? reply.code(page.status).sendFile(page.file) : answerUnknownPath(request, reply);
    });
  });
  app.setNotFoundHandler(answerUnknownPath);
}

async function exists(file: string): Promise<boolean> {
  return access(file).then(
    () => true,
    () => false,
  );
}
