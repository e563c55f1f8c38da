import type { SearchUsers, UserFilters, UserOrder } from '@gatebook/js/admin';
import { t } from '@lingui/core/macro';
import { describePoint, readPoint } from '../../lib/counted-point.ts';
import { countryName } from '../../lib/country-name.ts';
import { formatSpan } from '../../lib/format.ts';
import { methodName } from '../../lib/sign-in-methods.ts';
import { readDays, readPeriod, readSpan } from './periods.ts';
import { type UserField, type UserListOrder, type UsersSearch, userFields } from './users-search.ts';

const DAY_MS = 86_400_000;
export type Option = { value: string; label: string };
export const activeOptions: readonly Option[] = ['24h', '7d', '30d', '90d', 'over-30d', 'over-90d', 'over-1y'].map(
  (value) => ({
    value,
    label: periodText(
      value,
      (period) => t`In the last ${period}`,
      (period) => t`Not for ${period}`,
    ),
  }),
);
export const signedUpOptions: readonly Option[] = ['24h', '7d', '30d', '1y', 'over-30d', 'over-1y'].map((value) => ({
  value,
  label: periodText(
    value,
    (period) => t`In the last ${period}`,
    (period) => t`More than ${period} ago`,
  ),
}));

function periodText(value: string, within: (period: string) => string, earlier: (period: string) => string): string {
  const period = readPeriod(value);
  if (!period) return value;
  return period.isBefore ? earlier(period.before) : within(period.within);
}

function daysText(value: string): string {
  const [first, last] = readDays(value) ?? [];
  if (first === undefined || last === undefined) return value;
  return t`Active on ${formatSpan({ from: new Date(first), until: new Date(Date.parse(last) + DAY_MS) })}`;
}

function spanText(value: string, text: (span: string) => string): string | null {
  const span = readSpan(value);
  return span && text(formatSpan(span));
}

const flagOf = (value: string | undefined): boolean | undefined =>
  value === 'yes' ? true : value === 'no' ? false : undefined;

export const listOf = (value: string | undefined): string[] => (value === undefined ? [] : value.split(','));

function rangeOf(value: string | undefined, now: number): { from?: Date; until?: Date } {
  const period = readPeriod(value);
  if (!period) return readSpan(value) ?? {};
  const at = new Date(now - period.ms);
  return period.isBefore ? { until: at } : { from: at };
}

/** The filters of the API for the state of the page. */
export function filtersOf(search: UsersSearch, now: number): UserFilters {
  const [active, signedUp] = [rangeOf(search.active, now), rangeOf(search.signed_up, now)];
  return {
    query: search.query || undefined,
    methods: search.method === undefined ? undefined : listOf(search.method),
    isVerified: flagOf(search.verified),
    isRestricted: flagOf(search.restricted),
    isAnonymous: flagOf(search.anonymous),
    teamId: search.team,
    countryCodes: search.country === undefined ? undefined : listOf(search.country),
    activeOn: readDays(search.active_on) ?? undefined,
    activeIn: search.active_in === undefined ? undefined : listOf(search.active_in),
    counted: search.counted,
    signedUpFrom: signedUp.from,
    signedUpUntil: signedUp.until,
    activeFrom: active.from,
    activeUntil: active.until,
  };
}

/** The search of the API for the state of the page, without its place. */
export const searchOf = (search: UsersSearch, now: number): SearchUsers & { desc: boolean } => ({
  ...filtersOf(search, now),
  ...sorts[search.order],
});

const sorts: Readonly<Record<UserListOrder, { orderBy: UserOrder; desc: boolean }>> = {
  newest: { orderBy: 'signedUpAt', desc: true },
  oldest: { orderBy: 'signedUpAt', desc: false },
  active: { orderBy: 'lastActiveAt', desc: true },
  inactive: { orderBy: 'lastActiveAt', desc: false },
  name: { orderBy: 'displayName', desc: false },
  'name-reversed': { orderBy: 'displayName', desc: true },
  email: { orderBy: 'primaryEmail', desc: false },
  'email-reversed': { orderBy: 'primaryEmail', desc: true },
};

const texts: Readonly<Record<UserField, (value: string, team: string | undefined) => string>> = {
  method: (value) => t`Signs in with ${listOf(value).map(methodName).join(t` or `)}`,
  verified: (value) => (value === 'yes' ? t`Email verified` : t`Email not verified`),
  restricted: (value) => (value === 'yes' ? t`Restricted` : t`Not restricted`),
  anonymous: (value) => (value === 'yes' ? t`Anonymous` : t`Not anonymous`),
  team: (value, team) => t`In team ${team ?? value}`,
  country: (value) => t`Country: ${listOf(value).map(countryName).join(', ')}`,
  active: (value) =>
    spanText(value, (span) => t`Last active ${span}`) ??
    periodText(
      value,
      (period) => t`Active in the last ${period}`,
      (period) => t`Not active for ${period}`,
    ),
  active_on: daysText,
  active_in: (value) => t`Last active in ${listOf(value).map(countryName).join(t` or `)}`,
  counted: (value) => {
    const point = readPoint(value);
    return point === null ? value : describePoint(point);
  },
  signed_up: (value) =>
    spanText(value, (span) => t`Signed up ${span}`) ??
    periodText(
      value,
      (period) => t`Signed up in the last ${period}`,
      (period) => t`Signed up more than ${period} ago`,
    ),
};

/** The filters that are set, as people read them. `team`: its name, if known. */
export const describeFilters = (search: UsersSearch, team: string | undefined): { field: UserField; label: string }[] =>
  userFields.flatMap((field) => {
    const value = search[field];
    return value === undefined ? [] : [{ field, label: texts[field](value, team) }];
  });
