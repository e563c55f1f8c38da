type UserApp<User> = { getUser(options: { tokenStore?: Request }): Promise<User | null> };

export type UserRouteHandler<User, Context> = (
  request: Request,
  context: Context & { user: User },
) => Response | Promise<Response>;

/**
 * A route handler for signed-in users; others get 401. The session is that of the cookies, or of the headers that
 * `getAuthorizationHeader()` and `getAuthHeaders()` return.
 */
export function withUser<User, Context = unknown>(
  app: UserApp<User>,
  handle: UserRouteHandler<User, Context>,
): (request: Request, context: Context) => Promise<Response> {
  return async (request, context) => {
    const user = await app.getUser(hasSessionInHeaders(request) ? { tokenStore: request } : {});
    if (user) return handle(request, { ...context, user });
    return Response.json({ error: 'This request requires a signed-in user.' }, { status: 401 });
  };
}

/** Other values of `authorization` are for proxies, such as those with a password (RFC 7617). */
function hasSessionInHeaders({ headers }: Request): boolean {
  if (/^Bearer (?:stackauth|hexclave)_/i.test(headers.get('authorization') ?? '')) return true;
  return headers.has('x-stack-auth') || headers.has('x-hexclave-auth');
}
