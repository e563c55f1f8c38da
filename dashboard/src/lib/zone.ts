import { createContext, useContext } from 'react';

/** Whether a part of the page shows times in UTC instead of the zone of the browser. */
export const UtcContext = createContext(false);

export const useIsUtc = (): boolean => useContext(UtcContext);

/** A time as a field of type `datetime-local` has it. */
export const fieldTextOf = (at: Date, isUtc = false): string =>
  new Date(at.getTime() - (isUtc ? 0 : at.getTimezoneOffset() * 60_000)).toISOString().slice(0, 19);

/** The time in such a field; null if it is incomplete. */
export function timeInField(text: string, isUtc = false): Date | null {
  const at = new Date(isUtc && text !== '' ? `${text}Z` : text);
  return Number.isNaN(at.getTime()) ? null : at;
}

/** The zone of the browser: `Europe/Berlin`. */
export const ownZone = (): string => Intl.DateTimeFormat().resolvedOptions().timeZone;
