/** The current time as ISO 8601 text in UTC with milliseconds. Injected, so that tests can control it. */
export type Clock = () => string;

export const systemClock: Clock = () => new Date().toISOString();
