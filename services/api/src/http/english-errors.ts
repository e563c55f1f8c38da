export type ErrorFacts = Readonly<Record<string, unknown>>;
export type ErrorText = string | ((facts: ErrorFacts) => string);

/** Errors that no rule rejects with: by their name, `internal` for all others. */
export const englishOtherErrors = {
  ConcurrencyError: 'A concurrent request changed the same thing. It is safe to retry.',
  OverloadedError: 'The server is overloaded. Retry in a moment.',
  ReadModelNotReadyError: 'Gatebook is starting. Retry in a moment.',
  LogUnavailableError: 'Writes are unavailable because the event log can’t be reached. Retry in a moment.',
  AppendTooLargeError: 'The request contains more data than the event log accepts at once.',
  AppendOutcomeUnknownError:
    'The event log became unavailable during this write. Check whether it was executed before you retry.',
  TooManyRequestsError: 'Too many requests. Retry after the time in the Retry-After header.',
  internal: ({ requestId }) =>
    `Internal server error. If it keeps happening, send the request ID ${requestId} to the operator of this server.`,
} satisfies Record<string, ErrorText>;
export type OtherError = keyof typeof englishOtherErrors;
