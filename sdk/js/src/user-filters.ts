/** What users have in common; absent: anything. Times include `from` and exclude `until`. */
export type UserFilters = {
  /** An ID, or part of a name or email address. */
  query?: string | undefined;
  /** `password`, `otp`, `passkey` or IDs of providers, of which a user has at least one. */
  methods?: readonly string[] | undefined;
  /** The primary email address. */
  isVerified?: boolean | undefined;
  /** By an administrator. */
  isRestricted?: boolean | undefined;
  isAnonymous?: boolean | undefined;
  teamId?: string | undefined;
  /** ISO 3166-1 alpha-2. */
  countryCodes?: readonly string[] | undefined;
  /** Active on one of these UTC days (`YYYY-MM-DD`), the first and the last one. Known for 32 days. */
  activeOn?: readonly [first: string, last: string] | undefined;
  /** ISO 3166-1 alpha-2: the latest activity with a known country was in one of them; `ZZ`: no country is known. */
  activeIn?: readonly string[] | undefined;
  /** A number of the analytics: the people it counts, such as `sign_ups:1793491200000-1793577600000:method:otp`. */
  counted?: string | undefined;
  signedUpFrom?: Date | undefined;
  signedUpUntil?: Date | undefined;
  activeFrom?: Date | undefined;
  activeUntil?: Date | undefined;
};

export function toFilters(filters: UserFilters): URLSearchParams {
  const search = new URLSearchParams();
  const given = {
    query: filters.query,
    team_id: filters.teamId,
    method: filters.methods?.join(','),
    verified: filters.isVerified,
    restricted: filters.isRestricted,
    anonymous: filters.isAnonymous,
    country_code: filters.countryCodes?.join(','),
    active_on: filters.activeOn?.join('_'),
    active_in: filters.activeIn?.join(','),
    counted: filters.counted,
    signed_up_from_millis: filters.signedUpFrom?.getTime(),
    signed_up_until_millis: filters.signedUpUntil?.getTime(),
    active_from_millis: filters.activeFrom?.getTime(),
    active_until_millis: filters.activeUntil?.getTime(),
  };
  for (const [name, value] of Object.entries(given)) {
    if (value !== undefined && value !== '') search.set(name, String(value));
  }
  return search;
}
