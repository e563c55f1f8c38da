import { pause } from '@gatebook/runtime/pause';

/** Longer than recording a mail takes, so that the time of a response does not tell whether the address is known. */
const minResponseMs = 100;

/** The result of `work`, no earlier than 100 ms from now. An error passes at once: its status tells more than its time. */
export async function inEvenTime<T>(work: Promise<T>): Promise<T> {
  const [result] = await Promise.all([work, pause(minResponseMs)]);
  return result;
}
