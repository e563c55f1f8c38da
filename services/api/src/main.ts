import type { FastifyInstance } from 'fastify';
import { buildApp } from './app.ts';
import type { Deps } from './deps.ts';

export type RunningApi = { app: FastifyInstance; stop(): Promise<void> };

/**
 * Listens on the configured host and port. The caller constructs the dependencies, for all roles in one process or for
 * the API only.
 * @throws Error with code EADDRINUSE for a busy port
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
