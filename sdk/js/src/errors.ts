import type { KnownErrorCode } from './error-codes.ts';
import { type ErrorFamily, errorFamilies } from './error-families.ts';

export type { KnownErrorCode } from './error-codes.ts';
export type { ErrorFamily } from './error-families.ts';

const brand = Symbol.for('gatebook.known-error');

/** An error from the protocol's error catalog. The brand lets copies of this library recognize each other's errors. */
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

  /** The name of `code` in other clients of the protocol; the next two likewise. */
  get errorCode(): KnownErrorCode {
    return this.code;
  }
  get statusCode(): number {
    return this.status;
  }
  get humanReadableMessage(): string {
    return this.message;
  }
}

/** True for the given codes and families, or for every known error if none is given. */
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

/** The server returned an error code that this library does not know. */
export class UnknownErrorCode extends Error {
  readonly code: string;

  constructor(code: string, message: string) {
    super(`The server returned the unknown error ${code}: ${message}. Try to update the client library.`);
    this.name = 'UnknownErrorCode';
    this.code = code;
  }
}

/** An error response without a code: a plain rejection, a server bug, or the response of a proxy. */
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

/** The project requires a more recent sign-in. The same call works after the user has signed in again. */
export class ReauthenticationRequiredError extends AnswerError {
  constructor(url: string, status: number, body: string, requestId: string | null = null) {
    super(url, status, body, requestId);
    this.name = 'ReauthenticationRequiredError';
  }
}

/** There was no response. `diagnostics` tells for each URL whether it was reachable. */
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
