import { readPoint } from '../../lib/counted-point.ts';
import { readDays, readPeriod, readSpan } from './periods.ts';

export const userOrders = [
  'newest',
  'oldest',
  'active',
  'inactive',
  'name',
  'name-reversed',
  'email',
  'email-reversed',
] as const;
/** By sign-up, the latest activity, the name or the email address. */
export type UserListOrder = (typeof userOrders)[number];

/** What filters select, each by its name in the URL. */
export const userFields = [
  'method',
  'verified',
  'restricted',
  'anonymous',
  'team',
  'country',
  'active',
  'active_on',
  'active_in',
  'signed_up',
  'counted',
] as const;
export type UserField = (typeof userFields)[number];

/**
 * The state of the users page, kept entirely in the URL. `method`, `country` and `active_in` are lists separated by
 * commas, the flags are `yes` or `no`, times are periods or spans, days have `_` between them, and
 * `counted` is a number of the overview.
 */
export type UsersSearch = { query: string; order: UserListOrder; cursor: string | null } & Partial<
  Record<UserField, string>
>;
export type UsersSearchChange = { [Name in keyof UsersSearch]?: UsersSearch[Name] | undefined };

const isFlag = (value: string): boolean => value === 'yes' || value === 'no';
const isPeriod = (value: string): boolean => readPeriod(value) !== null || readSpan(value) !== null;
const areCountries = (value: string): boolean => /^[A-Z]{2}(,[A-Z]{2})*$/.test(value);
const checks: Partial<Record<UserField, (value: string) => boolean>> = {
  verified: isFlag,
  restricted: isFlag,
  anonymous: isFlag,
  country: areCountries,
  active: isPeriod,
  active_on: (value) => readDays(value) !== null,
  active_in: areCountries,
  signed_up: isPeriod,
  counted: (value) => readPoint(value) !== null,
};

/** Drops unknown values: they would filter nothing and still be shown as filters, also to somebody who deletes all. */
export function readUsersSearch(search: Readonly<Record<string, unknown>>): UsersSearch {
  const given = userFields.flatMap((field) => {
    const value = textOf(search[field]);
    return value === null || checks[field]?.(value) === false ? [] : [[field, value]];
  });
  return {
    ...Object.fromEntries(given),
    query: textOf(search.query) ?? '',
    order: userOrders.find((order) => order === search.order) ?? 'newest',
    cursor: textOf(search.cursor),
  };
}

/** The URL of that state, without default values. */
export function usersHref(projectId: string, { query, order, cursor, ...fields }: UsersSearchChange): string {
  const search = new URLSearchParams({
    ...(query && { query }),
    ...(order && order !== 'newest' && { order }),
  });
  for (const field of userFields) {
    const value = fields[field];
    if (value) search.set(field, value);
  }
  if (cursor) search.set('cursor', cursor);
  const text = search.toString();
  return `/projects/${projectId}/users${text === '' ? '' : `?${text}`}`;
}

export const isFiltered = (search: UsersSearch): boolean =>
  search.query !== '' || userFields.some((field) => search[field] !== undefined);

function textOf(value: unknown): string | null {
  return typeof value === 'string' && value !== '' ? value : null;
}
