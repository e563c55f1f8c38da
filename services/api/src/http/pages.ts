import { createHash } from 'node:crypto';
import { access } from 'node:fs/promises';
import { join } from 'node:path';
import helmet from '@fastify/helmet';
import staticFiles from '@fastify/static';
import reference from '@scalar/fastify-api-reference';
import type { FastifyInstance, FastifyReply } from 'fastify';
import type { Deps } from '../deps.ts';
import { isApiPath } from './conventions.ts';
import { answerUnknownPath } from './unknown-paths.ts';

const self = ["'self'"];
/** Styles may be inline: component libraries set them as attributes. Scripts never are, except those of the reference page by hash. */
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
    // Set on every answer, see conventions.ts.
    hsts: false,
    crossOriginOpenerPolicy: isHttps,
  };
}

/** The reference page at `/docs`, all of it from here: no fonts, scripts or proxies of others. */
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

/** The page configures itself by inline scripts: they run because the policy names their hashes, and no others do. */
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
 * The built dashboard at `/`, and below `/handler` the pages with which its owners sign in. Files with a hash in their name
 * never change; everything else is asked for anew each time. Unknown paths outside the API are the dashboard's own routes.
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
      // A missing file is missing: only paths of pages, which have no extension, are answered with the application.
      if (isApiPath(request.url) || /\.[a-z0-9]+($|\?)/i.test(request.url)) return answerUnknownPath(request, reply);
      return reply.sendFile('index.html');
    });
    pages.get('/handler/*', { schema: { hide: true } }, async (_request, reply) => reply.sendFile('handler.html'));
  });
  app.setNotFoundHandler(answerUnknownPath);
}

async function exists(file: string): Promise<boolean> {
  return access(file).then(
    () => true,
    () => false,
  );
}
