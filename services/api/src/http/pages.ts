import { access } from 'node:fs/promises';
import { join } from 'node:path';
import helmet from '@fastify/helmet';
import staticFiles from '@fastify/static';
import type { FastifyInstance } from 'fastify';
import type { Deps } from '../deps.ts';
import { createCompressedPages } from './compressed-pages.ts';
import { pageAt } from './page-paths.ts';
import type { OpenApi } from './reference/openapi.ts';
import { answerUnknownPath } from './unknown-paths.ts';

const self = ["'self'"];
/** Allows inline styles, because component libraries set them as attributes. */
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

/** Serves the API reference at `/docs`, written from the OpenAPI document at the first request. */
export function serveReference(app: FastifyInstance, describe: () => Promise<object>): void {
  const send = createCompressedPages(async () => {
    const { writeReference } = await import('./reference/reference-page.ts');
    const { text, policy } = writeReference((await describe()) as OpenApi);
    const headers = {
      'content-type': 'text/html; charset=utf-8',
      'content-security-policy': policy,
      'referrer-policy': 'no-referrer',
      'x-content-type-options': 'nosniff',
      'x-frame-options': 'DENY',
    };
    return { status: 200, headers, body: Buffer.from(text) };
  });
  for (const url of ['/docs', '/docs/']) app.get(url, { schema: { hide: true } }, send);
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
      index: false,
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
