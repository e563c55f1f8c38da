import { pollDeadlineMs } from '@gatebook/runtime/testing/deadlines';
import { afterAll, vi } from 'vitest';

const isSet = Symbol.for('gatebook wait limits');

/** Replaces the defaults of one second, which a busy machine can exceed. */
if (!(isSet in vi)) {
  const { waitFor, waitUntil } = vi;
  const withDeadline = <T extends object>(options: number | T | undefined) =>
    typeof options === 'number' ? options : { timeout: pollDeadlineMs, ...options };
  Object.assign(vi, {
    [isSet]: true,
    waitFor: ((callback, options) => waitFor(callback, withDeadline(options))) satisfies typeof waitFor,
    waitUntil: ((callback, options) => waitUntil(callback, withDeadline(options))) satisfies typeof waitUntil,
  });
}

if (typeof document !== 'undefined') {
  const { configure } = await import('@testing-library/dom');
  configure({ asyncUtilTimeout: pollDeadlineMs });
  // React reads `window` when a call that outlives the last test sets state, so such calls end before it is removed.
  afterAll(() => new Promise((resolve) => setTimeout(resolve, 50)));
}
