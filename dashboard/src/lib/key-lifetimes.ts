import { t } from '@lingui/core/macro';

const DAY_MS = 86_400_000;

/** Options for the lifetime of a new key; `value` is in days. */
const keyLifetimes = [
  { value: '30', label: t`30 days` },
  { value: '90', label: t`90 days` },
  { value: '365', label: t`1 year` },
] as const;

/** Project keys always have an expiration, so "never" is a hundred years. */
export const projectKeyLifetimes = [...keyLifetimes, { value: '36500', label: t`Never` }];

const never = 'never';
/** Of keys of users and teams. */
export const apiKeyLifetimes = [...keyLifetimes, { value: never, label: t`Never` }];

export function daysFromNow(days: number, now = new Date()): Date {
  return new Date(now.getTime() + days * DAY_MS);
}

/** `lifetime`: one of `apiKeyLifetimes`. */
export const expiryOfApiKey = (lifetime: string, now?: Date): Date | null =>
  lifetime === never ? null : daysFromNow(Number(lifetime), now);
