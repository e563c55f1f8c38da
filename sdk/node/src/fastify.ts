import { type AuthOptions, createAuthenticate, type RequestHeaders } from './authenticate.ts';
import { rememberUser } from './known-users.ts';

export type { AuthOptions } from './authenticate.ts';
export { findUser, getUser } from './known-users.ts';
export type { AuthenticatedUser } from './tokens.ts';

type Request = { headers: RequestHeaders };
type Reply = { code(status: number): Reply; header(name: string, value: string): Reply; send(body: unknown): unknown };
/** A hook for `onRequest` or `preHandler`. */
export type Hook = (request: Request, reply: Reply) => Promise<void>;

/** Continues only with a signed-in user, whom `getUser(request)` returns; else responds with 401 or 403. */
export function requireUser(options: AuthOptions): Hook {
  const authenticate = createAuthenticate(options);
  return async (request, reply) => {
    const { user, rejection } = await authenticate(request.headers);
    rememberUser(request, user);
    if (!rejection) return;
    await reply.code(rejection.status).header('www-authenticate', rejection.challenge).send(rejection.body);
  };
}

/** Continues always. `findUser(request)` returns the signed-in user or null. */
export function readUser(options: AuthOptions): Hook {
  const authenticate = createAuthenticate(options);
  return async (request) => {
    rememberUser(request, (await authenticate(request.headers)).user);
  };
}
