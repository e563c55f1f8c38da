const dayMs = 24 * 60 * 60 * 1000;

/** ISO time at which a grace period ends that begins `at` (ISO). `days`: above 0, with fractions. */
export const endOfGracePeriod = (at: string, days: number): string =>
  new Date(Math.round(Date.parse(at) + days * dayMs)).toISOString();

/** How many days are left at `at` of a grace period that ends at `end`; 0 or less once it is over. */
export const daysOfGraceLeft = (end: string, at: string): number => (Date.parse(end) - Date.parse(at)) / dayMs;
