import { type ClientApp, type CurrentUser, createClientApp, createMemoryTokenStore } from '@gatebook/js/core';
import { type CliContext, CommandError, exitCodes } from './cli-context.ts';
import type { StoredSession } from './session-file.ts';

export type Server = { url: string; projectId: string; publishableClientKey: string };

/** Client access to a project, with a session if there is one. */
export function connectTo(
  { network }: CliContext,
  { url, projectId, publishableClientKey }: Server,
  refreshToken: string | null,
): ClientApp {
  return createClientApp({
    baseUrl: url,
    projectId,
    publishableClientKey,
    network,
    tokenStore: createMemoryTokenStore({ accessToken: null, refreshToken }),
    redirectMethod: 'none',
  });
}

/** @throws CommandError when the session has ended */
export async function findUser(context: CliContext, session: StoredSession): Promise<CurrentUser> {
  const user = await connectTo(context, session, session.refreshToken).getUser({ or: 'anonymous-if-exists' });
  if (user) return user;
  throw new CommandError('Your session has ended. Run: gatebook login', exitCodes.notSignedIn);
}

/** Reads the configuration of the server's dashboard: its public URL and the key of project `internal`. */
export async function findDefaults(
  { network }: CliContext,
  url: string,
): Promise<{ publicUrl: string; projectId: string; publishableClientKey: string }> {
  const address = `${url}/dashboard/config.json`;
  const answer = await network.fetch(address, { headers: { accept: 'application/json' } }).catch((error: unknown) => {
    throw new CommandError(`Could not reach ${url} (${reasonOf(error)}). Is Gatebook running there?`);
  });
  const config: unknown = answer.ok ? await answer.json().catch(() => null) : null;
  if (!isConfig(config)) throw new CommandError(`${url} does not respond like Gatebook (status ${answer.status}).`);
  const { api_url: publicUrl, project_id: projectId, publishable_client_key: publishableClientKey } = config;
  return { publicUrl, projectId, publishableClientKey };
}

type Config = { api_url: string; project_id: string; publishable_client_key: string };

function isConfig(value: unknown): value is Config {
  if (typeof value !== 'object' || value === null) return false;
  const fields = ['api_url', 'project_id', 'publishable_client_key'];
  return fields.every((field) => typeof (value as Record<string, unknown>)[field] === 'string');
}

/** The error of `fetch` has no details; its cause does. */
function reasonOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  const { cause } = error;
  if (cause instanceof Error) return 'code' in cause ? String(cause.code) : cause.message;
  return error.message;
}
