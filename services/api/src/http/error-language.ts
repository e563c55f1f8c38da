import type { FastifyRequest } from 'fastify';
import { textLanguageOf } from './accept-language.ts';
import { isPublishedClient } from './client-version.ts';
import { stackHeader } from './conventions.ts';
import type { TextLanguage } from './text-language.ts';

/**
 * The language of the error that answers a request: English, unless an owner reads it (docs/decisions/0133). Apps log
 * errors, also in the browsers of their visitors.
 */
export const errorLanguageOf = (request: FastifyRequest): TextLanguage =>
  isOfOwner(request) ? textLanguageOf(request.headers['accept-language']) : 'en';

/** By what the request sends, because the error may be that nothing of it is true. */
function isOfOwner(request: FastifyRequest): boolean {
  if (isPublishedClient(request)) return false;
  if (stackHeader(request, 'admin-access-token') !== undefined) return true;
  const isClient = stackHeader(request, 'access-type') === 'client';
  return isClient && stackHeader(request, 'project-id') === 'internal' && request.url.startsWith('/api/v1/internal/');
}
