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
    const isInHeader = ['authorization', 'x-stack-auth', 'x-hexclave-auth'].some((name) => request.headers.has(name));
    const user = await app.getUser(isInHeader ? { tokenStore: request } : {});
    if (user) return handle(request, { ...context, user });
    return Response.json({ error: 'This request requires a signed-in user.' }, { status: 401 });
  };
}
