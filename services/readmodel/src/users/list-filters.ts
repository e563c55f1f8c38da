import type { RestrictionType } from '@gatebook/domain/user/restriction';
import type { ListSort } from './list-sorts.ts';

/** Which users a list shows, by index. `verified`: without those whose address is not verified. */
export const userKinds = ['', 'regular', 'verified', 'anonymous'] as const;
export type UserKind = (typeof userKinds)[number];

export type UserListOptions = {
  /** `signedUp` by default. The other sorts have no index for each kind of users. */
  sort?: ListSort;
  /** Only members of this team. */
  teamId: string | null;
  /** ID of the first user of the page, inclusive. */
  cursor: string | null;
  /** At most `largestPage`. */
  limit: number;
  /** Newest first. */
  isDescending: boolean;
  /** Part of the name or of any contact channel, or a whole ID; null or empty for no filter. */
  query: string | null;
  onlyAnonymous?: boolean;
  /** Users who are restricted for one of these reasons are left out. */
  excluded?: readonly RestrictionType[];
};

export function kindOf({
  onlyAnonymous,
  excluded = [],
}: Pick<UserListOptions, 'onlyAnonymous' | 'excluded'>): UserKind {
  if (onlyAnonymous) return 'anonymous';
  if (!excluded.includes('anonymous')) return '';
  return excluded.includes('email_not_verified') ? 'verified' : 'regular';
}

/** `(… or …)` matches no index, so only lists of users of all kinds contain it. */
const kindFilters = {
  '': (excluded: string) =>
    `and (u.is_anonymous or u.is_email_verified or 'email_not_verified' <> all(${excluded}::text[]))`,
  regular: () => 'and u.is_anonymous = false',
  verified: () => 'and not u.is_anonymous and u.is_email_verified',
  anonymous: () => 'and u.is_anonymous',
} as const satisfies Record<UserKind, (excluded: string) => string>;

/** Conditions on users `u`. `excluded` is the parameter with the types of restrictions to leave out. */
export const filtersOf = (kind: UserKind, excluded: `$${number}`) => `
  ${kindFilters[kind](excluded)}
  and not (u.restricted_by_admin and 'restricted_by_administrator' = any(${excluded}::text[]))`;

/** Whether the text is long enough to be found by trigrams. */
export const isIndexed = (text: string) => text.length >= 3;

/** All addresses may have the same domain, so search the index for the part before it, with one letter of it. */
export function tellingPart(query: string): string {
  const at = query.indexOf('@');
  return at > 0 ? query.slice(0, at + 2) : query;
}

/** A pattern for `like` that finds the text anywhere. */
export const partOf = (text: string) => `%${text.replace(/[\\%_]/g, '\\$&')}%`;

/** An ID is found in any spelling, with surrounding text (protocol, resources §1.7). */
export function idIn(query: string): string | null {
  const text = query.replace(/[^a-zA-Z0-9\-_.]/g, '').toLowerCase();
  return /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/.test(text) ? text : null;
}
