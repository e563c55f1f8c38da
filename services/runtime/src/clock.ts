/** The current time as ISO 8601 text in UTC with milliseconds. Injected, so that tests can control it. */
export type Clock = () => string;

let [lastMs, lastText] = [0, ''];

/** Formats each millisecond once, because a request asks several times. */
export const systemClock: Clock = () => {
  const ms = Date.now();
  if (ms !== lastMs) [lastMs, lastText] = [ms, new Date(ms).toISOString()];
  return lastText;
};
