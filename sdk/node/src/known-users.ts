import type { AuthenticatedUser } from './tokens.ts';

/** The users of requests, without a field in the framework's request object. */
const users = new WeakMap<object, AuthenticatedUser | null>();

export function rememberUser(request: object, user: AuthenticatedUser | null): void {
  users.set(request, user);
}

/** The user of a request. @throws Error on a route without `requireUser` */
export function getUser(request: object): AuthenticatedUser {
  const user = users.get(request);
  if (!user) throw new Error('getUser needs the middleware requireUser on this route');
  return user;
}

/** The user of a request, or null. @throws Error on a route without `readUser` and `requireUser` */
export function findUser(request: object): AuthenticatedUser | null {
  const user = users.get(request);
  if (user === undefined) throw new Error('findUser needs the middleware readUser on this route');
  return user;
}
