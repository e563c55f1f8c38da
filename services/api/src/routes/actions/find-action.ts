import type { Action } from '@gatebook/commands/undo/undo-action';
import { reject } from '@gatebook/domain/errors';
import type { Recorded } from '@gatebook/domain/event';
import { anyAuditEvent } from '@gatebook/readmodel/audit/filters';
import { listAuditRows, maxActionEvents } from '@gatebook/readmodel/audit/queries';
import type { FastifyReply } from 'fastify';
import type { Deps } from '../../deps.ts';
import { seeAuditEvents } from '../audit/wait.ts';

const restSize = 500;
type Parts = Parameters<typeof seeAuditEvents>[0] & Pick<Deps, 'db'>;

/** The first events that a request recorded in a project, oldest first. @throws DomainError ACTION_NOT_FOUND */
export async function findAction(
  deps: Parts,
  reply: FastifyReply,
  { projectId, actionId }: { projectId: string; actionId: string },
): Promise<Action> {
  await seeAuditEvents(deps, reply, projectId);
  const filters = { ...anyAuditEvent, requestId: actionId };
  const page = { order: 'asc', after: null, limit: maxActionEvents } as const;
  const { rows, next } = await listAuditRows(deps.db, projectId, filters, page);
  const positions = rows.map(({ position }) => position);
  const last = positions.at(-1);
  if (last === undefined) return reject('ACTION_NOT_FOUND');
  const [found, rest] = await Promise.all([
    deps.store.readAt(positions, { large: true }),
    next === null ? readRest(deps, { projectId, actionId, after: last }) : [],
  ]);
  return { id: actionId, events: [...found, ...rest], hasMoreEvents: next !== null };
}

/** What the audit log does not have yet: a batch of its projection can end between the events of one append. */
async function readRest(
  { store }: Parts,
  { projectId, actionId, after }: { projectId: string; actionId: string; after: bigint },
): Promise<readonly Recorded[]> {
  const { events } = await store.readProjects([projectId], after, restSize, { large: true });
  const end = events.findIndex(({ metadata }) => metadata.requestId !== actionId);
  return end === -1 ? events : events.slice(0, end);
}
