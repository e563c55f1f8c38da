import { codeDecider } from '@gatebook/domain/code/decide';
import type { IssuedCode } from '@gatebook/domain/code/state';
import { reject } from '@gatebook/domain/errors';
import { userDecider } from '@gatebook/domain/user/decide';
import { codeIdOf } from '../code/code.ts';
import type { CommandResult, Context, WriteDeps } from '../deps.ts';
import { transact } from '../execute.ts';
import { isSessionAlive } from '../session/liveness.ts';
import { generateSession, startSession } from '../session/session.ts';
import { streamOf } from '../streams.ts';
import { type AnonymousSession, findCliLogin, toPresented } from './cli-login.ts';
import type { SignedIn } from './sign-in.ts';

/** Whether an anonymous session waits for the browser (protocol, auth §7). @throws DomainError as `findCliLogin` */
export async function hasAnonymousSession(
  deps: WriteDeps,
  ctx: Context,
  input: { loginCode: string },
): Promise<boolean> {
  const login = await findCliLogin(deps, ctx, input);
  return (await findWaiting(deps, login)) !== null;
}

/**
 * Signs the browser in as the anonymous user of the command line, once, so that a sign-up there keeps the user. The
 * browser gets a separate session: no token is stored.
 * @throws DomainError CLI_LOGIN_CODE_INVALID, CLI_LOGIN_OF_ANOTHER_PROJECT, CLI_ANONYMOUS_SESSION_NOT_FOUND
 */
export async function handOverAnonymousSession(
  deps: WriteDeps,
  ctx: Context,
  { loginCode }: { loginCode: string },
): Promise<CommandResult<SignedIn>> {
  const code = loginCode.toLowerCase();
  const waiting = await findWaiting(deps, await findCliLogin(deps, ctx, { loginCode }));
  if (!waiting) return reject('CLI_ANONYMOUS_SESSION_NOT_FOUND');
  const { userId } = waiting;
  const session = generateSession(deps);
  const at = deps.now();
  const { result, position } = await transact(deps, ctx, async (work) => {
    const login = await work.load(codeDecider, streamOf.code(codeIdOf(deps, ctx, 'cli_login', code)));
    login.decide({ type: 'HandOverAnonymousSession', presented: toPresented(deps, ctx, 'cli_login', code, at) });
    const user = await work.load(userDecider, streamOf.user(userId));
    if (user.state.status !== 'active' || !user.state.isAnonymous) return reject('CLI_ANONYMOUS_SESSION_NOT_FOUND');
    startSession(work, session, { user: user.state, userRevision: user.revision, method: 'anonymous', at });
    return user.state;
  });
  return { userId, user: result, isNewUser: false, ...session, position };
}

async function findWaiting(deps: WriteDeps, login: IssuedCode): Promise<AnonymousSession | null> {
  const waiting = login.payload.anonymousSession as AnonymousSession | undefined;
  if (!waiting || login.isAnonymousSessionHandedOver) return null;
  return (await isSessionAlive(deps, waiting.sessionId)) ? waiting : null;
}
