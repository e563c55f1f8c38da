import type { UserFilters } from '../users/find.ts';

const anyRange = { from: null, until: null };
/** Filters that all users match. */
export const everybody: UserFilters = {
  ...{ methods: null, isVerified: null, isRestricted: null, isAnonymous: null, countries: null },
  ...{ activeOn: null, activeIn: null, among: null, signedUp: anyRange, active: anyRange },
};
