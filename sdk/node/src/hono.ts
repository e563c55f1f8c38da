import type { MiddlewareHandler } from 'hono';
import { type AuthOptions, createAuthenticate } from './authenticate.ts';
import type { AuthenticatedUser } from './tokens.ts';

export type { AuthOptions } from './authenticate.ts';
export type { AuthenticatedUser } from './tokens.ts';

/** Sets `c.var.user`. Without a signed-in user, responds with 401 or 403. */
export function requireUser(options: AuthOptions): MiddlewareHandler<{ Variables: { user: AuthenticatedUser } }> {
  const authenticate = createAuthenticate(options);
  return async (c, next) => {
    const { user, rejection } = await authenticate(c.req.raw.headers);
    if (rejection) return c.json(rejection.body, rejection.status, { 'www-authenticate': rejection.challenge });
    c.set('user', user);
    await next();
  };
}

/** Sets `c.var.user`: null without a signed-in user. */
export function readUser(options: AuthOptions): MiddlewareHandler<{ Variables: { user: AuthenticatedUser | null } }> {
  const authenticate = createAuthenticate(options);
  return async (c, next) => {
    c.set('user', (await authenticate(c.req.raw.headers)).user);
    await next();
  };
}
