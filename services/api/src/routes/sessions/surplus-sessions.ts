import { endSession } from '@gatebook/commands/session/session';
import { DomainError } from '@gatebook/domain/errors';
import { quotaOf } from '@gatebook/domain/project/quotas';
import { listSurplusSessions } from '@gatebook/readmodel/sessions/queries';
import type { Deps } from '../../deps.ts';

/**
 * Ends the sessions of a user beyond the project's quota, the least recently used first. Call it after a sign-in, once
 * the read models have the new session. Simultaneous sign-ins may leave more for a while; the next one ends them.
 * @returns the position of the last event, null if there was nothing to end
 */
export async function endSurplusSessions(
  deps: Deps,
  requestId: string,
  { projectId, userId }: { projectId: string; userId: string },
): Promise<bigint | null> {
  const access = await deps.projects.find(projectId);
  if (!access) return null;
  const keep = quotaOf(access.project.settings, 'sessionsPerUser');
  const surplus = await listSurplusSessions(deps.db, projectId, userId, { keep });
  const actor = { kind: 'system', id: null } as const;
  const context = { projectId, actor, requestId };
  let last: bigint | null = null;
  for (const sessionId of surplus) {
    try {
      const { position } = await endSession(deps, context, { sessionId, userId, reason: 'quota' });
      last = position ?? last;
    } catch (error) {
      // A concurrent sign-in ended it.
      if (!(error instanceof DomainError && error.code === 'SESSION_NOT_FOUND')) throw error;
    }
  }
  return last;
}
