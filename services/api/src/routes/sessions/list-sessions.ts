import { SessionListView, SessionsQuery } from '@gatebook/contract/sessions';
import { listSessions, sessionKeys } from '@gatebook/readmodel/sessions/queries';
import { actOnUserErrors, clientAndUp, mayActOn } from '../../access.ts';
import { defineRoute } from '../../http/define-route.ts';
import { pageOf, toPagedList } from '../../http/list-pages.ts';
import { toSessionView } from './wire.ts';

/** Active sessions, newest first. Only admin access sees impersonation sessions (protocol, auth §9). */
export const listSessionsRoute = defineRoute({
  method: 'GET',
  path: '/auth/sessions',
  asOf: ['last_used_at', 'last_used_at_end_user_ip_info'],
  access: clientAndUp,
  replacesMe: true,
  errors: actOnUserErrors,
  tags: ['Sessions'],
  summary: 'List a user’s sessions',
  description:
    'Active sessions, newest first. Client access is limited to the signed-in user. Only admin access sees impersonation sessions.',
  query: SessionsQuery,
  response: { 200: SessionListView },
  handle: async ({ deps, request, caller, query }) => {
    const userId = query.user_id;
    mayActOn(caller, userId);
    const withImpersonation = caller.accessType === 'admin';
    const page = pageOf(request, query, sessionKeys);
    const sessions = await listSessions(deps.db, caller.projectId, userId, { withImpersonation }, page);
    const current = caller.token?.sessionId ?? null;
    return toPagedList(query, sessions, (session) => toSessionView(session, current));
  },
});
