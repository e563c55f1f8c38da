import type { Action } from '@gatebook/commands/undo/undo-action';
import { reject } from '@gatebook/domain/errors';
import type { Recorded } from '@gatebook/domain/event';
import { anyAuditEvent } from '@gatebook/readmodel/audit/filters';
import { type AuditPlace, listAuditRows } from '@gatebook/readmodel/audit/queries';
import type { FastifyReply } from 'fastify';
import type { Deps } from '../../deps.ts';
import { seeAuditEvents } from '../audit/wait.ts';

const pageSize = 500;
type Parts = Parameters<typeof seeAuditEvents>[0] & Pick<Deps, 'db'>;

/** The events that a request recorded in a project, oldest first. @throws DomainError ACTION_NOT_FOUND */
export async function findAction(
  deps: Parts,
  reply: FastifyReply,
  { projectId, actionId }: { projectId: string; actionId: string },
): Promise<Action> {
  await seeAuditEvents(deps, reply, projectId);
  const positions = await listPositions(deps, projectId, actionId);
  const last = positions.at(-1);
  if (last === undefined) return reject('ACTION_NOT_FOUND');
  const [found, rest] = await Promise.all([
    deps.store.readAt(positions, { large: true }),
    readRest(deps, { projectId, actionId, after: last }),
  ]);
  return { id: actionId, events: [...found, ...rest] };
}

async function listPositions({ db }: Parts, projectId: string, requestId: string): Promise<bigint[]> {
  const positions: bigint[] = [];
  let after: AuditPlace | null = null;
  do {
    const page = { order: 'asc', after, limit: pageSize } as const;
    const { rows, next }: Awaited<ReturnType<typeof listAuditRows>> = await listAuditRows(
      db,
      projectId,
      { ...anyAuditEvent, requestId },
      page,
    );
    positions.push(...rows.map(({ position }) => position));
    after = next;
  } while (after !== null);
  return positions;
}

/** What the audit log does not have yet: a batch of its projection can end between the events of one append. */
async function readRest(
  { store }: Parts,
  { projectId, actionId, after }: { projectId: string; actionId: string; after: bigint },
): Promise<readonly Recorded[]> {
  const { events } = await store.readProjects([projectId], after, pageSize, { large: true });
  const end = events.findIndex(({ metadata }) => metadata.requestId !== actionId);
  return end === -1 ? events : events.slice(0, end);
}
