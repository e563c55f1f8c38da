const DAY_MS = 86_400_000;

/** Options for the lifetime of a new key; `value` is in days. */
export const keyLifetimes = [
  { value: '30', label: '30 days' },
  { value: '90', label: '90 days' },
  { value: '365', label: '1 year' },
] as const;

export function daysFromNow(days: number): Date {
  return new Date(Date.now() + days * DAY_MS);
}
