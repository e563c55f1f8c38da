import { AnswerError, ConnectionError, isKnownError } from './errors.ts';

/** A message for users. Forms have more specific messages for the errors they expect. */
export function errorText(error: unknown): string {
  if (error instanceof ConnectionError) {
    return error.isOffline
      ? 'You seem to be offline. Check your connection and try again.'
      : 'The server cannot be reached. It may be restarting. Try again in a moment.';
  }
  if (isKnownError(error, 'PROJECT_AUTHENTICATION_REQUIRED', 'USER_AUTHENTICATION_REQUIRED')) {
    return 'Your session has expired. Sign in again.';
  }
  if (isKnownError(error)) return error.message;
  if (error instanceof AnswerError) return answerText(error);
  return error instanceof Error ? error.message : 'Something went wrong.';
}

function answerText({ status, body, requestId }: AnswerError): string {
  if (status === 429 || status === 503) return 'The server is busy. Wait a moment and try again.';
  if (status < 500 && body !== '' && body.length < 300) return body;
  return `The server reported an error (${status}).${requestId ? ` Request ID: ${requestId}.` : ''}`;
}
