/** The present as ISO 8601 text in UTC with milliseconds. Passed down, so that tests can stop time. */
export type Clock = () => string;

export const systemClock: Clock = () => new Date().toISOString();
