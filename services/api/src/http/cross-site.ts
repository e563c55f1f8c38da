import { reject } from '@gatebook/domain/errors';
import type { FastifyInstance } from 'fastify';
import { isApiPath } from './conventions.ts';
import { addStep } from './steps.ts';

declare module 'fastify' {
  interface FastifyContextConfig {
    /**
     * Browsers navigate to this route, also from other sites. It reads a cookie, so it must not be fetched or framed.
     */
    isNavigation?: boolean;
  }
}

const reads: readonly string[] = ['GET', 'HEAD', 'OPTIONS'];

/**
 * Prevents cross-site request forgery with Fetch Metadata. Any site can call the API with scripts: CORS requires a
 * preflight, and no cookies are sent. Requests without a preflight, such as forms and images, can't write. Routes with
 * a cookie only accept navigations of the whole page.
 */
export function rejectCrossSiteRequests(app: FastifyInstance): void {
  addStep(app, 'onRequest', ({ method, url, headers }, _reply, { config }) => {
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
