import type { ProjectSettings } from '../project/config.ts';
import { type ActiveUser, primaryChannel } from './state.ts';

/** Why a user is restricted (protocol, resources §1.9). */
export type RestrictionType = 'anonymous' | 'email_not_verified';

/** The facts about a user that decide whether the user is restricted. */
export type RestrictionFacts = { isAnonymous: boolean; primaryEmailVerified: boolean };

/** Why a user of a project with these settings is restricted; null if the user is not. */
export function findRestriction(
  { isAnonymous, primaryEmailVerified }: RestrictionFacts,
  { emailVerificationRequired }: Pick<ProjectSettings, 'emailVerificationRequired'>,
): RestrictionType | null {
  if (isAnonymous) return 'anonymous';
  return emailVerificationRequired && !primaryEmailVerified ? 'email_not_verified' : null;
}

export function restrictionFacts(user: ActiveUser): RestrictionFacts {
  return { isAnonymous: user.isAnonymous, primaryEmailVerified: primaryChannel(user)?.isVerified ?? false };
}
