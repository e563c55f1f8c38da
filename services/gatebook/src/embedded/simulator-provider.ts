import { randomBytes } from 'node:crypto';
import type { Config } from '@gatebook/runtime/config';
import { isLoopbackHost } from '@gatebook/runtime/loopback';

/**
 * Starts a simulator for every sign-in provider with shared keys, so that their buttons do something on the first run. It lets
 * anybody who reaches it sign in as anybody, so it runs only where nobody but this machine's people can: Gatebook is embedded,
 * listens on loopback and is reached by loopback. Whoever configures a key has left the first run behind and gets none.
 */
export async function startSimulator(
  config: Config,
): Promise<{ url: string; oauth: Config['oauth']; close(): Promise<void> } | null> {
  const { http, database, oauth } = config;
  const isFirstRun = database.url === null && oauth.sharedIssuer === null && Object.keys(oauth.sharedKeys).length === 0;
  const isOnlyHere = isLoopbackHost(http.host) && isLoopbackHost(new URL(http.publicUrl).hostname);
  if (!isFirstRun || !isOnlyHere) return null;
  const { startSimulatorProvider } = await import('@gatebook/oauth/simulator/provider');
  const secret = randomBytes(32).toString('base64url');
  const { url, close } = await startSimulatorProvider({ secret, redirectOrigins: [http.publicUrl] });
  return { url, oauth: { ...oauth, sharedIssuer: { url, secret } }, close };
}
