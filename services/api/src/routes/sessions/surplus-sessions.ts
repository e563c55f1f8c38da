import { endSession } from '@gatebook/commands/session/session';
import { DomainError } from '@gatebook/domain/errors';
import { quotaOf } from '@gatebook/domain/project/quotas';
import { listSurplusSessions } from '@gatebook/readmodel/sessions/queries';
import type { FastifyReply } from 'fastify';
import type { Deps } from '../../deps.ts';
import { waitFor } from '../../http/read-your-writes.ts';

/**
 * Ends the sessions of a user beyond the project's quota, those unused for longest first. Called after each sign-in, once the
 * read models have the new session. Sign-ins at the same moment may leave more for a while: the next one ends them.
 */
export async function endSurplusSessions(
  deps: Deps,
  reply: FastifyReply,
  { projectId, userId }: { projectId: string; userId: string },
): Promise<void> {
  const access = await deps.projects.find(projectId);
  if (!access) return;
  const keep = quotaOf(access.project.settings, 'sessionsPerUser');
  const surplus = await listSurplusSessions(deps.db, projectId, userId, { keep });
  const actor = { kind: 'system', id: null } as const;
  const context = { projectId, actor, requestId: reply.request.id, ip: null, userAgent: null };
  for (const sessionId of surplus) {
    try {
      const { position } = await endSession(deps, context, { sessionId, userId, reason: 'quota' });
      await waitFor(deps, reply, position);
    } catch (error) {
      // Another sign-in was faster.
      if (!(error instanceof DomainError && error.code === 'SESSION_NOT_FOUND')) throw error;
    }
  }
}
