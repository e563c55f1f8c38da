const DAY_MS = 86_400_000;

/** How long new keys may live, for a select; `value` is in days. */
export const keyLives = [
  { value: '30', label: '30 days' },
  { value: '90', label: '90 days' },
  { value: '365', label: 'One year' },
] as const;

export function daysFromNow(days: number): Date {
  return new Date(Date.now() + days * DAY_MS);
}
