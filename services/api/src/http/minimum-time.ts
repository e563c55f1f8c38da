import { pause } from '@gatebook/runtime/pause';

/** Longer than it takes to queue an email, so that the response time does not reveal whether the address is known. */
const minResponseMs = 100;

/**
 * Returns the result of `work` after at least 100 ms. Errors are thrown at once: their status reveals more than their
 * time.
 */
export async function withMinimumTime<T>(work: Promise<T>): Promise<T> {
  const [result] = await Promise.all([work, pause(minResponseMs)]);
  return result;
}
