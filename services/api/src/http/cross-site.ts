import { reject } from '@gatebook/domain/errors';
import type { FastifyInstance } from 'fastify';
import { isApiPath } from './conventions.ts';

declare module 'fastify' {
  interface FastifyContextConfig {
    /** Browsers come here by leaving a page, also from another site: it reads a cookie, and nothing fetches or frames it. */
    isNavigation?: boolean;
  }
}

const reads: readonly string[] = ['GET', 'HEAD', 'OPTIONS'];

/**
 * Keeps other sites from acting through somebody's browser, by what browsers say about a request (Fetch Metadata). Any site may call
 * the API by script, which CORS makes it ask for and which carries no cookies. What needs no asking, a form or an image, writes nothing,
 * and a route with a cookie is opened by nothing but a navigation of the whole page.
 */
export function rejectCrossSiteRequests(app: FastifyInstance): void {
  app.addHook('onRequest', async ({ method, url, headers, routeOptions: { config } }) => {
    const { 'sec-fetch-site': site, 'sec-fetch-mode': mode, 'sec-fetch-dest': dest } = headers;
    if (site === undefined || !isApiPath(url)) return;
    if (config.isNavigation) {
      if (mode !== 'navigate' || dest !== 'document') reject('CROSS_SITE_REQUEST_NOT_ALLOWED');
      return;
    }
    const isForeign = site !== 'same-origin' && site !== 'none';
    if (isForeign && mode !== 'cors' && !reads.includes(method)) reject('CROSS_SITE_REQUEST_NOT_ALLOWED');
  });
}
