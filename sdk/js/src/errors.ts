import { type ErrorFamily, errorFamilies, type KnownErrorCode } from './error-codes.ts';

const brand = Symbol.for('gatebook.known-error');

/** An error of the protocol's catalogue. The brand lets copies of this library recognise each other's errors. */
export class KnownError extends Error {
  readonly [brand] = true;
  readonly code: KnownErrorCode;
  readonly status: number;
  readonly details: Readonly<Record<string, unknown>>;

  constructor(code: KnownErrorCode, status: number, message: string, details: Readonly<Record<string, unknown>> = {}) {
    super(message);
    this.name = 'KnownError';
    this.code = code;
    this.status = status;
    this.details = details;
  }
}

/** True for the codes and families named, or for every known error when none is named. */
export function isKnownError(error: unknown, ...wanted: (KnownErrorCode | ErrorFamily)[]): error is KnownError {
  if (typeof error !== 'object' || error === null || !(brand in error)) return false;
  if (wanted.length === 0) return true;
  const { code } = error as KnownError;
  return wanted.some((one) => one === code || (Object.hasOwn(errorFamilies, one) && isInFamily(code, one)));
}

function isInFamily(code: KnownErrorCode, family: string): boolean {
  const members: readonly KnownErrorCode[] = errorFamilies[family as ErrorFamily];
  return members.includes(code);
}

/** The server knows an error that this library does not. */
export class UnknownErrorCode extends Error {
  readonly code: string;

  constructor(code: string, message: string) {
    super(`The server answered with the unknown error ${code}: ${message}. Updating the client library may help.`);
    this.name = 'UnknownErrorCode';
    this.code = code;
  }
}

/** A rejection without a code, a bug of the server, or an answer of something in between. */
export class AnswerError extends Error {
  readonly url: string;
  readonly status: number;
  readonly body: string;
  readonly requestId: string | null;

  constructor(url: string, status: number, body: string, requestId: string | null = null) {
    super(`${url} answered ${status}: ${body.slice(0, 500)}`);
    this.name = 'AnswerError';
    this.url = url;
    this.status = status;
    this.body = body;
    this.requestId = requestId;
  }
}

/** The project asks for a more recent sign-in: the same call works once the user has signed in again. */
export class ReauthenticationRequiredError extends AnswerError {
  constructor(url: string, status: number, body: string, requestId: string | null = null) {
    super(url, status, body, requestId);
    this.name = 'ReauthenticationRequiredError';
  }
}

/** No answer came. `diagnostics` says for each address whether it could be reached. */
export class ConnectionError extends Error {
  readonly isOffline: boolean;
  readonly diagnostics: Readonly<Record<string, unknown>>;

  constructor(isOffline: boolean, diagnostics: Readonly<Record<string, unknown>>, cause: unknown) {
    super(
      isOffline
        ? 'You seem to be offline. Check your connection and try again.'
        : `The server could not be reached. ${JSON.stringify(diagnostics)}`,
      { cause },
    );
    this.name = 'ConnectionError';
    this.isOffline = isOffline;
    this.diagnostics = diagnostics;
  }
}
