import { Option } from 'commander';
import { type CliContext, CommandError, exitCodes } from './cli-context.ts';
import { connectTo } from './connect.ts';
import { requireSession } from './session-commands.ts';

export type OwnerOptions = { project: string; json: boolean };
type Request = { method?: 'GET' | 'POST'; body?: unknown; ifMatch?: string };

/** Calls the API below `/api/v1` with admin access to one project. */
export type OwnerApi = {
  /** @throws CommandError with the message of an error of the API */
  fetch(path: string, request?: Request): Promise<Response>;
  /** @throws CommandError likewise */
  read<Body>(path: string, request?: Request): Promise<Body>;
};

export const projectOption = () => new Option('--project <id>', 'project to look at').default('internal');

/** The server answered, but cannot do it now. */
export class TryLaterError extends CommandError {
  /** In milliseconds, as the server says; 0 if it says nothing. */
  readonly retryAfterMs: number;

  constructor(message: string, retryAfterMs: number) {
    super(message);
    this.retryAfterMs = retryAfterMs;
  }
}

/** With the rights of the signed-in owner. @throws CommandError */
export async function openOwnerApi(context: CliContext, project: string): Promise<OwnerApi> {
  const session = await requireSession(context);
  if (session.projectId !== 'internal') {
    throw new CommandError('Only owners see history. Run: gatebook login --project internal', exitCodes.notSignedIn);
  }
  const { session: tokenSession } = connectTo(context, session, session.refreshToken);
  const fetch: OwnerApi['fetch'] = async (path, { method = 'GET', body, ifMatch } = {}) => {
    const tokens = await tokenSession.tokens();
    if (!tokens) throw new CommandError('Your session has ended. Run: gatebook login', exitCodes.notSignedIn);
    const answer = await context.network.fetch(`${session.url}/api/v1${path}`, {
      method,
      headers: {
        'x-stack-access-type': 'admin',
        'x-stack-project-id': project,
        'x-stack-admin-access-token': tokens.accessToken,
        ...(body !== undefined && { 'content-type': 'application/json' }),
        ...(ifMatch !== undefined && { 'if-match': `"${ifMatch}"` }),
      },
      ...(body !== undefined && { body: JSON.stringify(body) }),
    });
    if (answer.ok) return answer;
    const message = messageOf(await answer.text()) ?? `The server answered with status ${answer.status}.`;
    if (answer.status < 500 && answer.status !== 429) throw new CommandError(message);
    throw new TryLaterError(message, 1_000 * (Number(answer.headers.get('retry-after')) || 0));
  };
  return { fetch, read: async (path, request) => (await fetch(path, request)).json() };
}

/** The query of a path. Options without a value are left out. */
export function queryOf(fields: Readonly<Record<string, string | number | boolean | undefined>>): string {
  const given = Object.entries(fields).flatMap(([name, value]) => (value === undefined ? [] : [[name, String(value)]]));
  return given.length === 0 ? '' : `?${new URLSearchParams(given)}`;
}

/** The message of an error of the API: a sentence, or a body with one. */
function messageOf(text: string): string | null {
  try {
    const body: unknown = JSON.parse(text);
    return typeof body === 'object' && body !== null && 'error' in body ? String(body.error) : null;
  } catch {
    return text || null;
  }
}
