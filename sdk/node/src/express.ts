import { type AuthOptions, createAuthenticate, type RequestHeaders } from './authenticate.ts';
import { rememberUser } from './known-users.ts';

export type { AuthOptions } from './authenticate.ts';
export { findUser, getUser } from './known-users.ts';
export type { AuthenticatedUser } from './tokens.ts';

type Request = { headers: RequestHeaders };
type Response = {
  status(code: number): Response;
  set(name: string, value: string): Response;
  json(body: unknown): Response;
};
/** A middleware of Express 4 and 5. */
export type Middleware = (request: Request, response: Response, next: (error?: unknown) => void) => Promise<void>;

/** Continues only with a signed-in user, whom `getUser(request)` returns; else responds with 401 or 403. */
export function requireUser(options: AuthOptions): Middleware {
  const authenticate = createAuthenticate(options);
  return async (request, response, next) => {
    try {
      const { user, rejection } = await authenticate(request.headers);
      rememberUser(request, user);
      if (!rejection) return next();
      response.status(rejection.status).set('www-authenticate', rejection.challenge).json(rejection.body);
    } catch (error) {
      next(error);
    }
  };
}

/** Continues always. `findUser(request)` returns the signed-in user or null. */
export function readUser(options: AuthOptions): Middleware {
  const authenticate = createAuthenticate(options);
  return async (request, _response, next) => {
    try {
      rememberUser(request, (await authenticate(request.headers)).user);
      next();
    } catch (error) {
      next(error);
    }
  };
}
