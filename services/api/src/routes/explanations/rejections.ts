import { RejectionParams, RejectionView } from '@gatebook/contract/explanations';
import { DomainError, type DomainErrorCode, reject } from '@gatebook/domain/errors';
import type { Actor } from '@gatebook/domain/event';
import {
  countRejections,
  findRejectedRequest,
  type RejectedRequestRow,
  type RejectionCountRow,
} from '@gatebook/readmodel/activity/queries';
import { windowMs } from '@gatebook/readmodel/activity/rejection-counts';
import { adminOnly } from '../../access.ts';
import type { Deps } from '../../deps.ts';
import { defineRoute } from '../../http/define-route.ts';
import { statusOf } from '../../http/error-codes.ts';
import { windowOfRequest } from '../../http/request-ids.ts';
import type { TextLanguage } from '../../http/text-language.ts';
import { findActorNames, toActorView } from './actors.ts';
import { listChecks } from './checks.ts';
import { explain } from './permission-explanations.ts';

export const rejectionRoute = defineRoute({
  method: 'GET',
  path: '/internal/rejections/:request_id',
  access: adminOnly,
  errors: ['REJECTION_NOT_FOUND'],
  tags: ['Audit log'],
  summary: 'Explain a failed request',
  description:
    'Finds a failed request by the `x-stack-request-id` of its response, and lists its checks in order, up to the one that failed. During an attack not every request is kept. Then only the rejections of that time are known (`precision: window`).',
  params: RejectionParams,
  response: { 200: RejectionView },
  isTranslated: true,
  handle: async ({ deps, caller: { projectId }, language, params: { request_id: requestId } }) => {
    const question = { projectId, requestId, language };
    // Those of this process are written once a second.
    await deps.rejections
      .flush()
      .catch((error: unknown) => deps.logger.warn({ err: error }, 'could not write rejections'));
    const request = await findRejectedRequest(deps.db, projectId, requestId);
    return request ? toRequestView(deps, question, request) : toWindowView(deps, question);
  },
});

type Question = { projectId: string; requestId: string; language: TextLanguage };

async function toRequestView(
  deps: Deps,
  { projectId, requestId, language }: Question,
  row: RejectedRequestRow,
): Promise<RejectionView> {
  const { code, status, route, at, accessType, userId, network, teamId, permissionId } = row;
  const actor = actorOf(row);
  const names = await findActorNames(deps.db, projectId, actor ? [actor] : []);
  const counts = await countRejections(deps.db, projectId, { from: row.windowAt, until: row.windowAt });
  const alike = counts.filter((count) => count.code === code && count.route === route);
  const facts = {
    project_id: projectId,
    ...(teamId && permissionId && userId && { team_id: teamId, permission_id: permissionId, user_id: userId }),
  };
  return {
    request_id: requestId,
    precision: 'request',
    error_code: code,
    status,
    route,
    at_millis: at,
    caller: { access_type: accessType, actor: actor && toActorView(actor, names), user_id: userId, network },
    window: alike.length > 0 ? toWindow(row.windowAt, row.windowAt, alike) : null,
    checks: listChecks(language, { code, hasActor: actor !== null, facts }),
    permission_explanation: await explainThen(deps, projectId, row),
  };
}

function actorOf({ actorKind, actorId, impersonatorKind, impersonatorId }: RejectedRequestRow): Actor | null {
  if (actorKind === null) return null;
  const impersonator = impersonatorKind && { impersonator: { kind: impersonatorKind, id: impersonatorId } };
  return { kind: actorKind, id: actorId, ...impersonator } as Actor;
}

const gone: readonly DomainErrorCode[] = ['USER_NOT_FOUND', 'TEAM_NOT_FOUND', 'PERMISSION_NOT_FOUND'];

/** The missing permission, explained by the events up to the rejection. null if there is none, or it was erased. */
async function explainThen(
  deps: Deps,
  projectId: string,
  { userId, teamId, permissionId, at }: RejectedRequestRow,
): Promise<RejectionView['permission_explanation']> {
  if (userId === null || teamId === null || permissionId === null) return null;
  const question = { projectId, userId, teamId, permissionId, moment: new Date(at).toISOString() };
  try {
    return await explain(deps, question);
  } catch (error) {
    if (error instanceof DomainError && gone.includes(error.code)) return null;
    throw error;
  }
}

/** What the windows of the request count beyond the requests that are kept. */
async function toWindowView(deps: Deps, { projectId, requestId, language }: Question): Promise<RejectionView> {
  const from = windowOfRequest(requestId, Date.parse(deps.now()));
  // A request may fail in the next window.
  const until = from + windowMs;
  const counts = await countRejections(deps.db, projectId, { from, until });
  const unkept = counts.filter(({ count, kept }) => count > kept);
  if (unkept.length === 0) return reject('REJECTION_NOT_FOUND');
  const [first] = unkept;
  const isSure = unkept.every(({ code, route }) => code === first?.code && route === first.route);
  const { code, route } = (isSure && first) || { code: null, route: null };
  return {
    request_id: requestId,
    precision: 'window',
    error_code: code,
    status: code === null ? null : statusOf(code),
    route,
    at_millis: null,
    caller: { access_type: null, actor: null, user_id: null, network: null },
    window: toWindow(from, until, unkept),
    checks: code === null ? [] : listChecks(language, { code, hasActor: true, facts: { project_id: projectId } }),
    permission_explanation: null,
  };
}

const toWindow = (from: number, until: number, counts: readonly RejectionCountRow[]): RejectionView['window'] => ({
  from_millis: from,
  until_millis: until + windowMs,
  rejections: counts.map(({ code, route, count }) => ({ error_code: code, route, count })),
});
