import type { FastifyReply, FastifyRequest } from 'fastify';

/** @returns the value of the first cookie of this name (RFC 6265 §4.2.1); null if there is none */
export function cookieOf({ headers: { cookie = '' } }: FastifyRequest, name: string): string | null {
  for (const pair of cookie.split(';')) {
    const equals = pair.indexOf('=');
    if (equals !== -1 && pair.slice(0, equals).trim() === name) return pair.slice(equals + 1).trim();
  }
  return null;
}

/**
 * For a redirect to another site and back; over HTTPS, also for a form post back. `seconds` 0 deletes the cookie. Name
 * and value must be tokens (RFC 6265 §4.1.1).
 */
export function setAuthorizationCookie(
  reply: FastifyReply,
  { name, value, seconds, isSecure }: { name: string; value: string; seconds: number; isSecure: boolean },
): void {
  const site = isSecure ? 'SameSite=None; Secure' : 'SameSite=Lax';
  reply.header('set-cookie', `${name}=${value}; Path=/; HttpOnly; Max-Age=${seconds}; ${site}`);
}
