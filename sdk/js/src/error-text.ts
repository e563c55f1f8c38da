import { AnswerError, ConnectionError, isKnownError } from './errors.ts';
import { fillText, type Translate } from './fill-text.ts';

/** A message for users. Forms have more specific messages for the errors they expect. */
export function errorText(error: unknown, translate: Translate = fillText): string {
  if (error instanceof ConnectionError) {
    return error.isOffline
      ? translate('You seem to be offline. Check your connection and try again.')
      : translate('The server cannot be reached. It may be restarting. Try again in a moment.');
  }
  if (isKnownError(error, 'PROJECT_AUTHENTICATION_REQUIRED', 'USER_AUTHENTICATION_REQUIRED')) {
    return translate('Your session has expired. Sign in again.');
  }
  if (error instanceof AnswerError) return answerText(error, translate);
  return translate(error instanceof Error ? error.message : 'Something went wrong.');
}

function answerText({ status, body, requestId }: AnswerError, translate: Translate): string {
  if (status === 429 || status === 503) return translate('The server is busy. Wait a moment and try again.');
  if (status < 500 && body !== '' && body.length < 300) return body;
  if (!requestId) return translate('The server reported an error ({status}).', { status });
  return translate('The server reported an error ({status}). Request ID: {requestId}.', { status, requestId });
}
