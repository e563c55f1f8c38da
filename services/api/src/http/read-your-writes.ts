import type { FastifyReply, FastifyRequest } from 'fastify';
import type { Deps } from '../deps.ts';
import { stackHeader } from './conventions.ts';

/**
 * Waits for the read models after a write, and for every process to drop rows from before it. `behind` is not a
 * failure: the command is recorded, and a header marks the response as possibly stale. Only called by the route frame.
 */
export async function waitFor(
  { readModels, hotRows, logger }: Pick<Deps, 'readModels' | 'hotRows' | 'logger'>,
  reply: FastifyReply,
  position: bigint | null,
): Promise<'reached' | 'behind'> {
  if (position === null) return 'reached';
  const passed = hotRows.passed(position);
  const state = await readModels.reached(position, undefined, namedProjects(reply.request), { isOwnWrite: true });
  await passed;
  if (state === 'behind') {
    reply.header('x-read-model', 'behind');
    logger.warn({ position: String(position), requestId: reply.request.id }, 'read models lag behind a write');
  }
  return state;
}

/** Projects whose rows are read to identify the caller. Owners are users of `internal`. */
export function namedProjects(request: FastifyRequest): readonly string[] {
  const projectId = stackHeader(request, 'project-id');
  const isOwner = stackHeader(request, 'admin-access-token') !== undefined;
  return [...(projectId === undefined ? [] : [projectId]), ...(isOwner ? ['internal'] : [])];
}

/**
 * Call before reading rows of these projects. Waits for writes that any process acknowledged before they were readable
 * (docs/decisions/0015). Costs nothing while the read models keep up.
 */
export function seeAcknowledgedWrites(
  { acknowledgedWrites }: Pick<Deps, 'acknowledgedWrites'>,
  reply: FastifyReply,
  projectIds: readonly string[],
): Promise<void> | null {
  const waiting = projectIds.length === 0 ? null : acknowledgedWrites.readable(projectIds);
  if (waiting === null) return null;
  return waiting.then((state) => {
    if (state === 'behind') reply.header('x-read-model', 'behind');
  });
}
