import type { RestrictionType } from '@gatebook/domain/user/restriction';

/** Which users a list shows. All kinds but `''` have an index. */
export const userKinds = ['', 'regular', 'anonymous'] as const;
export type UserKind = (typeof userKinds)[number];

type ListedUsers = { onlyAnonymous?: boolean; excluded?: readonly RestrictionType[] };

export function kindOf({ onlyAnonymous, excluded }: ListedUsers): UserKind {
  if (onlyAnonymous) return 'anonymous';
  return excluded?.includes('anonymous') ? 'regular' : '';
}

const kindFilters = { '': '', regular: 'and u.is_anonymous = false', anonymous: 'and u.is_anonymous' } as const;

type Filters = { kind: UserKind; teamId: boolean; excluded: `$${number}` };

/** Conditions on users `u`. $4 is the team; `excluded` is the parameter with the types of restrictions to leave out. */
export const filtersOf = (schema: string, { kind, teamId, excluded }: Filters) => `
  ${kindFilters[kind]}
  and not (u.restricted_by_admin and 'restricted_by_administrator' = any(${excluded}::text[]))
  and (u.is_anonymous or 'email_not_verified' <> all(${excluded}::text[]) or exists (
    select from ${schema}.contact_channels v where v.user_id = u.id and v.is_primary and v.is_verified))
  ${
    teamId
      ? `and exists (select from ${schema}.team_members tm join ${schema}.teams tt on tt.id = tm.team_id
          where tm.team_id = $4 and tm.user_id = u.id)`
      : 'and $4::uuid is null'
  }`;

/** A pattern for `ilike` that finds the text anywhere. */
export const partOf = (text: string) => `%${text.replace(/[\\%_]/g, '\\$&')}%`;

/** An ID is found in any spelling, with surrounding text (protocol, resources §1.7). */
export function idIn(query: string): string | null {
  const text = query.replace(/[^a-zA-Z0-9\-_.]/g, '').toLowerCase();
  return /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/.test(text) ? text : null;
}
