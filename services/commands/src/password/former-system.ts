import type { PasswordMigration } from '@gatebook/domain/project/state';
import type { UserInput } from '../user/user-input.ts';

/** What a former system says about the user whose password is right. */
export type FormerUser = Pick<
  UserInput,
  'displayName' | 'profileImageUrl' | 'clientMetadata' | 'clientReadOnlyMetadata' | 'serverMetadata'
> & { id?: string | undefined; isEmailVerified: boolean; signedUpAtMillis?: number | undefined };

/** The system from which a project moves to Gatebook. */
export type FormerSystem = {
  /** @returns null if the password is wrong, or if there is no answer in time */
  check(
    target: PasswordMigration,
    credentials: { projectId: string; email: string; password: string },
  ): Promise<FormerUser | null>;
  /** Takes as long as a recent check, so that the time does not show whether one was made. */
  imitate(target: PasswordMigration): Promise<void>;
};
