import { BackendUrls } from '@gatebook/contract/health';
import type { FastifyRequest } from 'fastify';
import { defineRoute } from '../../http/define-route.ts';

/** Client libraries send their next calls to these URLs (protocol, conventions §1). */
export const backendUrlsRoute = defineRoute({
  method: 'GET',
  path: '/internal/backend-urls',
  access: 'anyone',
  tags: ['Health'],
  summary: 'List the base URLs of the API',
  description: 'Returns the URL that the caller used: the server of an app can reach Gatebook by another name.',
  response: { 200: BackendUrls },
  handle: async ({ deps, request }) => ({ urls: [calledUrl(request, deps.config.http.publicUrl)] }),
});

/**
 * At the public name the scheme is that of the public URL: behind a TLS proxy that is not trusted, the request looks
 * like plain HTTP.
 */
function calledUrl({ protocol, host }: FastifyRequest, publicUrl: string): string {
  const isName = /^[\w.-]+(:\d{1,5})?$|^\[[\da-f:.]+\](:\d{1,5})?$/i.test(host);
  if (!isName || host.toLowerCase() === new URL(publicUrl).host) return publicUrl;
  return `${protocol}://${host}`;
}
