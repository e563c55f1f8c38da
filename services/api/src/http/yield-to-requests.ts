import { setImmediate as nextTurn } from 'node:timers/promises';
import type { FastifyInstance, FastifyRequest } from 'fastify';
import { addStep } from './steps.ts';

declare module 'fastify' {
  interface FastifyInstance {
    /**
     * Lets other requests go first: waits until those are answered that have arrived, but not for long. For a long
     * response, between two steps.
     */
    yieldToRequests(): Promise<void>;
  }
}

/** Work that yields goes on at this pace where requests always wait. */
const patienceMs = 5;

/** Counts the requests that are not answered yet. */
export function countOpenRequests(app: FastifyInstance): void {
  const open = new Set<FastifyRequest>();
  const waiting = new Set<() => void>();
  addStep(app, 'onRequest', (request, reply) => {
    open.add(request);
    // The client may be gone before there is a response.
    reply.raw.once('close', () => settle(request));
    return undefined;
  });
  addStep(app, 'onSend', (request) => settle(request));

  function settle(request: FastifyRequest): void {
    if (!open.delete(request) || open.size > 0) return;
    for (const resume of waiting) resume();
  }

  app.decorate('yieldToRequests', async () => {
    await nextTurn();
    if (open.size === 0) return;
    await new Promise<void>((resolve) => {
      const resume = (): void => {
        clearTimeout(timer);
        waiting.delete(resume);
        resolve();
      };
      const timer = setTimeout(resume, patienceMs);
      waiting.add(resume);
    });
  });
}
