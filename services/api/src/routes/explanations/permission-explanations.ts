import { explainPermission, type PermissionQuestion } from '@gatebook/commands/permission/explain';
import {
  type CauseView,
  PermissionExplanationQuery,
  PermissionExplanationView,
  type PermissionStepView,
} from '@gatebook/contract/explanations';
import type { Step } from '@gatebook/domain/permission/explain';
import type { Cause } from '@gatebook/domain/permission/facts';
import type { Names } from '@gatebook/readmodel/audit/names';
import { adminOnly } from '../../access.ts';
import type { Deps } from '../../deps.ts';
import { defineRoute } from '../../http/define-route.ts';
import { findActorNames, toActorView } from './actors.ts';

export const permissionExplanationRoute = defineRoute({
  method: 'GET',
  path: '/internal/permission-explanations',
  access: adminOnly,
  errors: ['USER_NOT_FOUND', 'TEAM_NOT_FOUND', 'PERMISSION_NOT_FOUND', 'WRONG_PERMISSION_SCOPE'],
  tags: ['Audit log'],
  summary: 'Explain a permission',
  description:
    'Says whether a user has a permission, by which paths, and which event made each step of them begin or end. If the user does not have it: what is missing, and which grant would be enough.',
  query: PermissionExplanationQuery,
  asOf: [],
  response: { 200: PermissionExplanationView },
  handle: async ({ deps, request, caller: { projectId }, query }) => {
    const { user_id: userId, permission_id: permissionId, team_id: teamId = null } = query;
    const then = request.shownMoment;
    const question = { projectId, userId, permissionId, teamId, moment: then?.position ?? ('now' as const) };
    return { ...(await explain(deps, question)), as_of_event_id: then?.eventId ?? null };
  },
});

/** @throws DomainError as `explainPermission` */
export async function explain(
  { store, db }: Pick<Deps, 'store' | 'db'>,
  question: PermissionQuestion,
): Promise<PermissionExplanationView> {
  const { projectId, userId, permissionId, teamId } = question;
  const explained = await explainPermission(store, question);
  const { isGranted, paths, nearestMiss, wouldGrant, hasMorePaths, isComplete } = explained;
  const causes = [...paths, nearestMiss ?? []].flat().flatMap(({ fact }) => [fact.since, fact.until]);
  const actors = causes.flatMap((cause) => cause?.actor ?? []);
  const names = await findActorNames(db, projectId, actors);
  const toPath = (steps: readonly Step[]) => ({ steps: steps.map((step) => toStepView(step, names)) });
  return {
    is_granted: isGranted,
    scope: teamId === null ? 'project' : 'team',
    permission_id: permissionId,
    user_id: userId,
    team_id: teamId,
    as_of_event_id: null,
    paths: paths.map(toPath),
    nearest_miss: nearestMiss && toPath(nearestMiss),
    would_grant: [...wouldGrant],
    is_truncated: hasMorePaths || !isComplete,
  };
}

function toStepView(step: Step, names: Names): PermissionStepView {
  const { kind, permissionId, containedPermissionId, fact, isDecisive } = step;
  return {
    kind,
    permission_id: permissionId,
    contained_permission_id: containedPermissionId,
    holds: fact.holds,
    relevance: isDecisive ? 'high' : 'normal',
    since_event: fact.since && toCauseView(fact.since, names),
    until_event: fact.until && toCauseView(fact.until, names),
  };
}

const toCauseView = ({ id, type, at, actor }: Cause, names: Names): CauseView => {
  return { id, type, at_millis: Date.parse(at), actor: toActorView(actor, names) };
};
