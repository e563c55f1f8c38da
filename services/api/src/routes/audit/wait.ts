import type { FastifyReply } from 'fastify';
import type { Deps } from '../../deps.ts';

/**
 * Waits until the audit log contains everything that was written before. Only for routes that read it: the main read
 * models do not wait for it.
 */
export async function seeAuditEvents(
  { store, readModels, rejections, logger }: Pick<Deps, 'store' | 'readModels' | 'rejections' | 'logger'>,
  reply: FastifyReply,
  projectId: string,
): Promise<void> {
  const [head] = await Promise.all([
    store.head(),
    rejections.flush().catch((error: unknown) => logger.warn({ err: error }, 'could not write rejections')),
  ]);
  const state = await readModels.reached(head, undefined, [projectId], { group: 'audit' });
  if (state === 'behind') reply.header('x-read-model', 'behind');
}
