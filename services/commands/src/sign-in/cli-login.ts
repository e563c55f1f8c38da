import { codeDecider, findCodeFault, type Presented } from '@gatebook/domain/code/decide';
import type { CodePurpose } from '@gatebook/domain/code/events';
import type { CodeState, IssuedCode } from '@gatebook/domain/code/state';
import { DomainError, reject } from '@gatebook/domain/errors';
import { addCode, codeIdOf, generateCode, type PresentedCode, presentCode, useCode } from '../code/code.ts';
import type { CommandResult, Context, WriteDeps } from '../deps.ts';
import { readState, transact } from '../execute.ts';
import { isSessionAlive } from '../session/liveness.ts';
import { generateSession, startSession } from '../session/session.ts';
import { streamOf } from '../streams.ts';
import { loadUser } from '../user/load-user.ts';

type CliLogin = { pollingCode: string; loginCode: string; expiresAt: string };

/** A live session of an anonymous user, whom the command line signed in before. */
export type AnonymousSession = { sessionId: string; userId: string };

/** Starts a CLI login: the CLI polls with one code, and a user approves it with the other (protocol, auth §7). */
export async function startCliLogin(
  deps: WriteDeps,
  ctx: Context,
  { lifeMs, anonymousSession = null }: { lifeMs: number; anonymousSession?: AnonymousSession | null },
): Promise<CommandResult<CliLogin>> {
  const at = deps.now();
  const polling = generateCode(deps, ctx, { purpose: 'cli_polling', lifeMs }, at);
  const payload = { pollingCodeId: polling.codeId, ...(anonymousSession && { anonymousSession }) };
  const login = generateCode(deps, ctx, { purpose: 'cli_login', lifeMs, payload }, at);
  const { position } = await transact(deps, ctx, async (work) => {
    addCode(work, polling);
    addCode(work, login);
  });
  return { pollingCode: polling.code, loginCode: login.code, expiresAt: polling.expiresAt, position };
}

/**
 * The login that the browser confirms. Doesn't count as a presentation: the code is too long to guess.
 * @throws DomainError CLI_LOGIN_CODE_INVALID, CLI_LOGIN_OF_ANOTHER_PROJECT
 */
export async function findCliLogin(
  deps: WriteDeps,
  ctx: Context,
  { loginCode }: { loginCode: string },
): Promise<IssuedCode> {
  const code = loginCode.toLowerCase();
  const { state } = await readState(deps.store, codeDecider, streamOf.code(codeIdOf(deps, ctx, 'cli_login', code)));
  if (state.status === 'issued' && state.projectId !== ctx.projectId) reject('CLI_LOGIN_OF_ANOTHER_PROJECT');
  const fault = findCodeFault(toPresented(deps, ctx, 'cli_login', code), state);
  return fault !== null || state.status === 'absent' ? reject('CLI_LOGIN_CODE_INVALID') : state;
}

/**
 * Approves a CLI login with a session of the user. The CLI gets a session of its own, which starts when it polls, so no
 * token is stored.
 * @throws DomainError CLI_LOGIN_CODE_INVALID, CLI_LOGIN_OF_ANOTHER_PROJECT, REFRESH_TOKEN_NOT_FOUND_OR_EXPIRED
 */
export async function completeCliLogin(
  deps: WriteDeps,
  ctx: Context,
  { loginCode, userId, sessionId }: { loginCode: string; userId: string; sessionId: string },
): Promise<CommandResult> {
  await findCliLogin(deps, ctx, { loginCode });
  const presented = await presentLoginCode(deps, ctx, loginCode);
  const at = deps.now();
  const { position } = await transact(deps, ctx, async (work) => {
    await useCode(work, presented);
    const { revision } = await loadUser(work, userId, 'CLI_LOGIN_CODE_INVALID');
    // Checked after loading the user: what ends all sessions from here on ends that of the CLI too.
    if (!(await isSessionAlive(deps, sessionId))) reject('REFRESH_TOKEN_NOT_FOUND_OR_EXPIRED');
    const polling = await work.load(codeDecider, streamOf.code(String(presented.issued.payload.pollingCodeId)));
    polling.decide({ type: 'ApproveCode', userId, userRevision: Number(revision), at });
  });
  return { position };
}

export type PollResult =
  | { status: 'expired' | 'used' | 'waiting' }
  | ({ status: 'success'; userId: string } & CommandResult<{ refreshToken: string }>);

/**
 * Polls a CLI login. Of concurrent polls, one gets the session.
 * @throws DomainError INVALID_POLLING_CODE, RESTRICTED_USER_NOT_ALLOWED
 */
export async function pollCliLogin(
  deps: WriteDeps,
  ctx: Context,
  { pollingCode }: { pollingCode: string },
): Promise<PollResult> {
  const session = generateSession(deps);
  const at = deps.now();
  const codeId = codeIdOf(deps, ctx, 'cli_polling', pollingCode);
  const { result, position } = await transact(deps, ctx, async (work) => {
    const polling = await work.load(codeDecider, streamOf.code(codeId));
    const { state } = polling;
    if (state.status === 'absent' || !isPollingCode(deps, ctx, state, pollingCode))
      return reject('INVALID_POLLING_CODE');
    if (Date.parse(state.expiresAt) <= Date.parse(at)) return { status: 'expired' } as const;
    if (state.isUsed) return { status: 'used' } as const;
    if (state.approval === null) return { status: 'waiting' } as const;
    const { userId, userRevision } = state.approval;
    polling.decide({ type: 'UseCode', presented: toPresented(deps, ctx, 'cli_polling', pollingCode, at) });
    const user = await loadUser(work, userId, 'INVALID_POLLING_CODE');
    if (user.state.status !== 'active') return reject('INVALID_POLLING_CODE');
    startSession(work, session, { user: user.state, userRevision: BigInt(userRevision), method: 'cli', at });
    return { status: 'success', userId } as const;
  });
  return result.status === 'success' ? { ...result, refreshToken: session.refreshToken, position } : result;
}

/** All faults of the code have the same error (protocol, auth §7). */
async function presentLoginCode(deps: WriteDeps, ctx: Context, code: string): Promise<PresentedCode> {
  try {
    return await presentCode(deps, ctx, { code, purpose: 'cli_login' });
  } catch (error) {
    if (error instanceof DomainError) return reject('CLI_LOGIN_CODE_INVALID');
    throw error;
  }
}

export const toPresented = (
  { sha256, now }: WriteDeps,
  { projectId }: Context,
  purpose: CodePurpose,
  code: string,
  at = now(),
): Presented => ({ codeHash: sha256(code), purpose, projectId, at });

function isPollingCode(deps: WriteDeps, { projectId }: Context, state: CodeState, code: string): boolean {
  return (
    state.status === 'issued' &&
    state.purpose === 'cli_polling' &&
    state.projectId === projectId &&
    state.codeHash === deps.sha256(code)
  );
}
