import { FirstRequestView } from '@gatebook/contract/project-keys';
import { DomainError } from '@gatebook/domain/errors';
import { type FirstRequestRow, findFirstRequest } from '@gatebook/readmodel/activity/first-requests';
import { findLatestRejection, type LatestRejectionRow } from '@gatebook/readmodel/activity/queries';
import { findProjectKey } from '@gatebook/readmodel/projects/queries';
import { adminOnly } from '../../access.ts';
import type { Deps } from '../../deps.ts';
import { defineRoute } from '../../http/define-route.ts';
import { everyday } from '../../http/record-rejections.ts';
import type { TextLanguage } from '../../http/text-language.ts';
import { listChecks } from '../explanations/checks.ts';

const hourMs = 60 * 60_000;

export const firstRequestRoute = defineRoute({
  method: 'GET',
  path: '/internal/first-request',
  access: adminOnly,
  tags: ['Project keys'],
  summary: 'Get the first request of an app',
  description:
    'The first request that the project accepted, other than those of the dashboard and of the server’s own pages, and the latest one that it rejected.',
  response: { 200: FirstRequestView },
  isTranslated: true,
  handle: async ({ deps, caller: { projectId }, language }) => {
    const since = Date.parse(deps.now()) - hourMs;
    const [first, rejection] = await Promise.all([
      findFirstRequest(deps.db, projectId),
      findLatestRejection(deps.db, projectId, { since, without: [...everyday] }),
    ]);
    return {
      first_request: first && (await toFirstRequest(deps, projectId, first)),
      latest_rejection: rejection && toRejection(language, projectId, rejection),
    };
  },
});

async function toFirstRequest(
  { db }: Pick<Deps, 'db'>,
  projectId: string,
  { at, accessType, keyId, client }: FirstRequestRow,
): Promise<FirstRequestView['first_request']> {
  const key = keyId === null ? null : await findKey(db, projectId, keyId);
  return { at_millis: at, access_type: accessType as 'client' | 'server' | 'admin', key, client };
}

/** null for the keys of `internal` that are configured. */
async function findKey(db: Deps['db'], projectId: string, keyId: string) {
  try {
    const { id, description } = await findProjectKey(db, projectId, keyId);
    return { id, description };
  } catch (error) {
    if (error instanceof DomainError && error.code === 'API_KEY_NOT_FOUND') return null;
    throw error;
  }
}

function toRejection(
  language: TextLanguage,
  projectId: string,
  { requestId, at, code, route }: LatestRejectionRow,
): FirstRequestView['latest_rejection'] {
  const checks = listChecks(language, { code, hasActor: true, facts: { project_id: projectId } });
  const reason = checks.find(({ passed }) => passed === false)?.detail ?? code;
  return { request_id: requestId, at_millis: at, error_code: code, route, reason };
}
