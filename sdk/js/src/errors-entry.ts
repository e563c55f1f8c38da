/** The errors of all calls, and what to tell users about them. */

export { isKnownErrorCode } from './error-codes.ts';
export { errorText } from './error-text.ts';
export * from './errors.ts';
