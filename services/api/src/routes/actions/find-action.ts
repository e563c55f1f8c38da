import type { Action } from '@gatebook/commands/undo/undo-action';
import { reject } from '@gatebook/domain/errors';
import { findActionEvents } from '@gatebook/readmodel/audit/action-events';
import type { FastifyReply } from 'fastify';
import type { Deps } from '../../deps.ts';
import { seeAuditEvents } from '../audit/wait.ts';

type Parts = Parameters<typeof seeAuditEvents>[0] & Pick<Deps, 'db'>;

/** The first events that a request recorded in a project, oldest first. @throws DomainError ACTION_NOT_FOUND */
export async function findAction(
  deps: Parts,
  reply: FastifyReply,
  { projectId, actionId }: { projectId: string; actionId: string },
): Promise<Action> {
  await seeAuditEvents(deps, reply, projectId);
  return (await findActionEvents(deps, { projectId, actionId })) ?? reject('ACTION_NOT_FOUND');
}
