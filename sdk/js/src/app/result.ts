import type { KnownErrorCode } from '../error-codes.ts';
import type { ErrorFamily } from '../error-families.ts';
import { isKnownError, type KnownError } from '../errors.ts';

/** The outcome of a call with expected errors; all other errors are thrown. */
export type Result<Data = undefined, Failure = KnownError> =
  | { status: 'ok'; data: Data }
  | { status: 'error'; error: Failure };

/** Turns known errors with the given codes into an error result. */
export async function toResult<Data>(
  call: Promise<Data>,
  ...codes: [KnownErrorCode | ErrorFamily, ...(KnownErrorCode | ErrorFamily)[]]
): Promise<Result<Data>> {
  try {
    return { status: 'ok', data: await call };
  } catch (error) {
    if (isKnownError(error, ...codes)) return { status: 'error', error };
    throw error;
  }
}

/** The known error with one of the given codes; undefined if the call succeeded. */
export async function errorOf(
  call: Promise<unknown>,
  ...codes: [KnownErrorCode | ErrorFamily, ...(KnownErrorCode | ErrorFamily)[]]
): Promise<KnownError | undefined> {
  const result = await toResult(call, ...codes);
  return result.status === 'error' ? result.error : undefined;
}
