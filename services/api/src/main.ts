import type { FastifyInstance } from 'fastify';
import { buildApp } from './app.ts';
import type { Deps } from './deps.ts';

export type RunningApi = { app: FastifyInstance; stop(): Promise<void> };

/**
 * Listens where the configuration says. Whoever starts it makes the parts: the whole product in one process, or a process
 * of the API alone. @throws Error with code EADDRINUSE for a busy port
 */
export async function startApi(deps: Deps): Promise<RunningApi> {
  const following = new AbortController();
  const followed = Promise.all([deps.tail.follow(following.signal), deps.peers.follow(following.signal)]);
  const app = await buildApp(deps);
  const stop = async () => {
    await app.close();
    following.abort();
    await followed;
  };
  try {
    await app.listen({ host: deps.config.http.host, port: deps.config.http.port });
  } catch (error) {
    await stop();
    throw error;
  }
  return { app, stop };
}
