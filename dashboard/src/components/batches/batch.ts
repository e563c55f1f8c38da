import type { UserBatch, UserBatchAction } from '@gatebook/js/admin';
import { plural, t } from '@lingui/core/macro';

/** What a batch does to users that are selected. */
export type BatchType = UserBatchAction['type'];
/** What a batch is about, as far as it is known. */
type Described = { type: UserBatch['type']; teamName?: string | null; permissionId?: string | null };

/** Actions that would also end the session of the owner who starts them. The server leaves the owner out. */
export const locksOut: ReadonlySet<BatchType> = new Set(['restrict', 'sign_out', 'delete']);

/** Ended sessions stay ended. */
export const canBeUndone = (type: UserBatch['type']): boolean => type !== 'sign_out';

const texts: Readonly<Record<UserBatch['type'], (users: string, about: Described) => string>> = {
  restrict: (users) => t`Restrict ${users}`,
  lift_restriction: (users) => t`Lift the restriction of ${users}`,
  sign_out: (users) => t`Sign out ${users}`,
  add_to_team: (users, { teamName }) => t`Add ${users} to ${teamName || t`a team`}`,
  grant_permission: (users, { permissionId }) => t`Grant ${permissionId || t`a permission`} to ${users}`,
  delete: (users) => t`Delete ${users}`,
  undo: (users) => t`Undo the changes to ${users}`,
};

/** `Restrict 12 users`. */
export const describeBatch = (about: Described, count: number): string =>
  texts[about.type](plural(count, { one: '# user', other: '# users' }), about);
