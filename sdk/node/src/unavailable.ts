/**
 * Gatebook did not answer, or asked to retry later, so nothing is known about the user. Express, Fastify and Hono
 * respond with its status and headers, unless the app has an error handler of its own.
 */
export class UnavailableError extends Error {
  readonly status = 503;
  readonly statusCode = 503;
  readonly headers: Readonly<Record<string, string>>;

  constructor(message: string, { cause, retryAfter = null }: { cause?: unknown; retryAfter?: string | null } = {}) {
    super(message, { cause });
    this.name = 'UnavailableError';
    this.headers = retryAfter === null ? {} : { 'retry-after': retryAfter };
  }

  /** For Hono. */
  getResponse(): Response {
    const { status, headers } = this;
    const body = { error: 'temporarily_unavailable', error_description: 'The user could not be verified.' };
    return Response.json(body, { status, headers });
  }
}
