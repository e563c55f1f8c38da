import { randomBytes } from 'node:crypto';
import type { Config } from '@gatebook/runtime/config';
import { isLoopbackHost } from '@gatebook/runtime/loopback';
import { simulatorKeys } from '@gatebook/runtime/oauth-config';

/**
 * Starts a simulator of the sign-in providers with shared keys, so that their buttons work on the first run. The
 * simulator lets anyone sign in as anyone, so it only runs if Gatebook has an embedded database, listens on loopback
 * and has a loopback URL, and if no provider is configured.
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
  return { url, oauth: { ...oauth, sharedIssuer: { url, secret, ownKeys: simulatorKeys } }, close };
}
