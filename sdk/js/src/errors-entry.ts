/** The errors of all calls, and what to tell users about them. */
export { errorText } from './error-text.ts';
export * from './errors.ts';
