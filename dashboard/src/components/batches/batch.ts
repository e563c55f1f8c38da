import type { PreviewedCall } from '@gatebook/js/admin';
import type { KnownErrorCode } from '@gatebook/js/errors';
import { plural, t } from '@lingui/core/macro';

/** What a batch does to each of its users. */
export type BatchAction =
  | { type: 'restrict'; reason: string | null }
  | { type: 'lift' }
  | { type: 'sign-out' }
  | { type: 'add-to-team'; teamId: string; teamName: string }
  | { type: 'grant'; permissionId: string }
  | { type: 'delete' };

/** `ownerId`: who started it. Nobody else sees or continues it. */
export type Batch = { id: string; ownerId: string; action: BatchAction; userIds: readonly string[] };
/** `done`: users in the order of the batch, with those that failed. */
export type BatchProgress = { done: number; failures: readonly { userId: string; text: string }[] };

/** More users than this would keep a browser busy for too long. */
export const largestBatch = 10_000;

/** The call of the API for one user; null for signing out, which takes one for each session. */
export function callOf(action: BatchAction, userId: string): PreviewedCall | null {
  switch (action.type) {
    case 'restrict': {
      // Without a reason, users who are restricted already keep theirs.
      const reason = action.reason !== null && { restricted_by_admin_reason: action.reason };
      return { method: 'PATCH', path: `/users/${userId}`, body: { restricted_by_admin: true, ...reason } };
    }
    case 'lift':
      return { method: 'PATCH', path: `/users/${userId}`, body: { restricted_by_admin: false } };
    case 'sign-out':
      return null;
    case 'add-to-team':
      return { method: 'POST', path: `/team-memberships/${action.teamId}/${userId}`, body: {} };
    case 'grant': {
      const path = `/project-permissions/${userId}/${encodeURIComponent(action.permissionId)}`;
      return { method: 'POST', path, body: {} };
    }
    case 'delete':
      return { method: 'DELETE', path: `/users/${userId}`, body: {} };
  }
}

/** Errors that say that the user is already as the action wants. A call can be made twice if a batch is interrupted. */
const alreadyDone: Partial<Record<BatchAction['type'], KnownErrorCode>> = {
  'add-to-team': 'TEAM_MEMBERSHIP_ALREADY_EXISTS',
  delete: 'USER_NOT_FOUND',
};

export const isAlreadyDone = ({ type }: BatchAction, code: string | null): boolean =>
  code !== null && alreadyDone[type] === code;

const texts: Readonly<Record<BatchAction['type'], (users: string, action: BatchAction) => string>> = {
  restrict: (users) => t`Restrict ${users}`,
  lift: (users) => t`Lift the restriction of ${users}`,
  'sign-out': (users) => t`Sign out ${users}`,
  'add-to-team': (users, action) =>
    t`Add ${users} to ${action.type === 'add-to-team' && action.teamName ? action.teamName : t`a team`}`,
  grant: (users, action) =>
    t`Grant ${action.type === 'grant' && action.permissionId ? action.permissionId : t`a permission`} to ${users}`,
  delete: (users) => t`Delete ${users}`,
};

/** `Restrict 12 users`. */
export const describeBatch = (action: BatchAction, count: number): string =>
  texts[action.type](plural(count, { one: '# user', other: '# users' }), action);
