import { reject } from '../errors.ts';
import type { ProjectSettings } from '../project/config.ts';
import { type ActiveUser, primaryChannel } from './state.ts';

/** Why a user is restricted (protocol, resources §1.9). */
export type RestrictionType = 'restricted_by_administrator' | 'anonymous' | 'email_not_verified';

/** The facts about a user that decide whether the user is restricted. */
export type RestrictionFacts = { restrictedByAdmin: boolean; isAnonymous: boolean; primaryEmailVerified: boolean };

/** Why a user of a project with these settings is restricted; null if the user is not. */
export function findRestriction(
  { restrictedByAdmin, isAnonymous, primaryEmailVerified }: RestrictionFacts,
  { emailVerificationRequired }: Pick<ProjectSettings, 'emailVerificationRequired'>,
): RestrictionType | null {
  if (restrictedByAdmin) return 'restricted_by_administrator';
  if (isAnonymous) return 'anonymous';
  return emailVerificationRequired && !primaryEmailVerified ? 'email_not_verified' : null;
}

export function restrictionFacts(user: ActiveUser): RestrictionFacts {
  const primaryEmailVerified = primaryChannel(user)?.isVerified ?? false;
  return { restrictedByAdmin: user.adminRestriction !== null, isAnonymous: user.isAnonymous, primaryEmailVerified };
}

/** @throws DomainError RESTRICTED_USER_NOT_ALLOWED if an administrator restricts the user */
export function rejectAdminRestriction({ adminRestriction }: ActiveUser): void {
  if (adminRestriction === null) return;
  const type: RestrictionType = 'restricted_by_administrator';
  reject('RESTRICTED_USER_NOT_ALLOWED', { restricted_reason: { type }, reason: adminRestriction.reason });
}
