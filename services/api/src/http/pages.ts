import { access } from 'node:fs/promises';
import { join } from 'node:path';
import helmet from '@fastify/helmet';
import staticFiles from '@fastify/static';
import { loadOnce } from '@gatebook/runtime/load-once';
import type { FastifyInstance } from 'fastify';
import type { Deps } from '../deps.ts';
import { createCompressedPages } from './compressed-pages.ts';
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

/** Serves the API reference at `/docs`. Its library is 4 MB of code, loaded at the first request. */
export function serveReference(app: FastifyInstance, { config }: Deps): void {
  const reference = loadOnce(async () =>
    (await import('./reference.ts')).createReference(securityHeaders(config.http.publicUrl)),
  );
  const send = createCompressedPages(async (url) => (await reference())(url));
  for (const url of ['/docs', '/docs/', '/docs/js/scalar.js']) app.get(url, { schema: { hide: true } }, send);
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
