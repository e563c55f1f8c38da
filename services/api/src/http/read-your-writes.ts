import type { FastifyReply } from 'fastify';
import type { Deps } from '../deps.ts';

/**
 * What a write answers: the rows once they have it, else what was decided, with a header that says so. The command is
 * recorded either way and never run again.
 */
export async function afterWrite<T>(
  { readModels, logger }: Pick<Deps, 'readModels' | 'logger'>,
  reply: FastifyReply,
  position: bigint | null,
  read: () => Promise<T>,
  decided: () => T | Promise<T>,
): Promise<T> {
  if ((await waitFor({ readModels, logger }, reply, position)) === 'behind') return decided();
  return read();
}

/** For writes whose answer needs no rows. */
export async function waitFor(
  { readModels, logger }: Pick<Deps, 'readModels' | 'logger'>,
  reply: FastifyReply,
  position: bigint | null,
): Promise<'reached' | 'behind'> {
  const state = await readModels.reached(position);
  if (state === 'behind') {
    reply.header('x-read-model', 'behind');
    logger.warn({ position: String(position), requestId: reply.request.id }, 'read models are behind a write');
  }
  return state;
}

/**
 * Before anything of these projects is read: what was answered before it could be read, by this process or another, is waited for
 * (decision 15). Costs nothing while the read models keep up.
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
