import type { PreviewBody, PreviewView } from '@gatebook/contract/previews';
import { UserBatchPreviewView, UserBatchSelection } from '@gatebook/contract/user-batches';
import { roleForBatch } from '@gatebook/domain/user-batch/decide';
import { listSessions } from '@gatebook/readmodel/sessions/queries';
import { adminOnly } from '../../access.ts';
import { defineRoute } from '../../http/define-route.ts';
import { requireRole } from '../../roles.ts';
import { previewWrite } from '../actions/preview.ts';
import { selectUsers } from './selection.ts';
import { tags } from './wire.ts';

/** Users whose changes are previewed. */
const previewed = 10;

/** What the preview of one user says. */
export type PreviewedUser = Pick<PreviewView, 'error' | 'is_reversible'> & {
  hasEvents: boolean;
  effects: readonly Pick<PreviewView['effects'][number], 'kind' | 'count'>[];
};

/** The call of the API that changes one user as the batch does; null for signing out, which takes several. */
function callOf(
  { action, reason, team_id, permission_id = '' }: UserBatchSelection,
  userId: string,
): PreviewBody | null {
  switch (action) {
    case 'restrict': {
      const body = { restricted_by_admin: true, ...(reason !== undefined && { restricted_by_admin_reason: reason }) };
      return { method: 'PATCH', path: `/users/${userId}`, body };
    }
    case 'lift_restriction':
      return { method: 'PATCH', path: `/users/${userId}`, body: { restricted_by_admin: false } };
    case 'add_to_team':
      return { method: 'POST', path: `/team-memberships/${team_id}/${userId}`, body: {} };
    case 'grant_permission':
      return { method: 'POST', path: `/project-permissions/${userId}/${encodeURIComponent(permission_id)}`, body: {} };
    case 'delete':
      return { method: 'DELETE', path: `/users/${userId}`, body: {} };
    case 'sign_out':
      return null;
    default:
      return action satisfies never;
  }
}

/** Rejections that the batch counts as done. */
const isAlreadyDone = ({ action }: UserBatchSelection, code: string | null): boolean =>
  (action === 'add_to_team' && code === 'TEAM_MEMBERSHIP_ALREADY_EXISTS') ||
  (action === 'delete' && code === 'USER_NOT_FOUND');

export const previewBatchRoute = defineRoute({
  method: 'POST',
  path: '/internal/user-batches/preview',
  bodySize: 'medium',
  access: adminOnly,
  role: 'support',
  storesNothing: true,
  errors: ['PROJECT_ROLE_REQUIRED', 'USER_BATCH_TOO_LARGE'],
  tags,
  summary: 'Preview a batch of users',
  description: 'How many users a batch would change, and what it would do to the first ten of them.',
  body: UserBatchSelection,
  response: { 200: UserBatchPreviewView },
  isTranslated: true,
  handle: async ({ deps, request, caller, language, body }) => {
    requireRole(caller, roleForBatch(body.action));
    const userIds = await selectUsers(deps, caller, body);
    const found: PreviewedUser[] = [];
    for (const userId of userIds.slice(0, previewed)) {
      const call = callOf(body, userId);
      if (call === null) {
        const { rows } = await listSessions(deps.db, caller.projectId, userId, { withImpersonation: true });
        const effects = [{ kind: 'sessions_ended' as const, count: rows.length }];
        found.push({ error: null, is_reversible: false, hasEvents: rows.length > 0, effects });
      } else {
        const view = await previewWrite(deps, request, { caller, language }, call);
        found.push({ ...view, hasEvents: view.events.length > 0 });
      }
    }
    return { position: null, body: { count: userIds.length, ...sumUp(found, (code) => isAlreadyDone(body, code)) } };
  },
});

/** `isDone`: whether a rejection says that the user already is as wanted. */
export function sumUp(
  found: readonly PreviewedUser[],
  isDone: (code: string | null) => boolean,
): Omit<UserBatchPreviewView, 'count'> {
  const rejected = found.flatMap(({ error }) => (error && !isDone(error.code) ? [error] : []));
  const changed = found.filter(({ error, hasEvents }) => error === null && hasEvents);
  const rejections = Map.groupBy(rejected, ({ error }) => error);
  const effects = Map.groupBy(
    changed.flatMap((preview) => preview.effects),
    ({ kind }) => kind,
  );
  return {
    previewed: found.length,
    changed: changed.length,
    unchanged: found.length - changed.length - rejected.length,
    rejections: [...rejections].map(([error, all]) => ({ code: all[0]?.code ?? null, error, count: all.length })),
    effects: [...effects].map(([kind, all]) => ({ kind, count: all.reduce((sum, { count }) => sum + count, 0) })),
    is_reversible: changed.every((preview) => preview.is_reversible),
  };
}
