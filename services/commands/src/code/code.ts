import { codeDecider, faultOf, type Presented } from '@gatebook/domain/code/decide';
import type { CodePurpose } from '@gatebook/domain/code/events';
import type { IssuedCode } from '@gatebook/domain/code/state';
import { reject } from '@gatebook/domain/errors';
import type { CommandResult, Context, WriteDeps } from '../deps.ts';
import { readState, transact, type UnitOfWork } from '../execute.ts';
import { addressRefOf } from '../reservation/reservation.ts';
import { streamOf } from '../streams.ts';

type CodeInput = {
  purpose: CodePurpose;
  /** Text of another form than the usual 45 characters, as hard to guess. */
  code?: string;
  lifeMs: number;
  /** Whose key encrypts the recipient; without a known user the code gets a subject of its own. */
  subjectId?: string;
  recipient?: string;
  callbackUrl?: string;
  payload?: IssuedCode['payload'];
  encryptedPayload?: IssuedCode['encryptedPayload'];
};

/** A code that was made but not yet issued: its 45 characters are kept nowhere, `codeId` is what to revoke it by. */
export type NewCode = ReturnType<typeof newCode>;

/** Made before the plan that issues it, which may run several times. */
export function newCode(deps: WriteDeps, ctx: Context, input: CodeInput, at: string) {
  const { purpose, lifeMs, code = deps.randomCode(), subjectId = deps.newId() } = input;
  const { recipient = null, callbackUrl = null, payload = {}, encryptedPayload = null } = input;
  const codeId = codeIdOf(deps, ctx, purpose, code);
  const codeHash = deps.sha256(code);
  const expiresAt = new Date(Date.parse(at) + lifeMs).toISOString();
  const { projectId } = ctx;
  const isOwnSubject = input.subjectId === undefined;
  const addressRef = isOwnSubject && recipient !== null ? addressRefOf(deps, projectId, recipient) : null;
  const about = { recipient, addressRef, callbackUrl, payload, encryptedPayload };
  return { code, codeId, subjectId, projectId, purpose, codeHash, ...about, expiresAt, at };
}

export function addCode(work: UnitOfWork, { code: _, ...issued }: NewCode): void {
  work.create(codeDecider, streamOf.code(issued.codeId)).decide({ type: 'IssueCode', ...issued });
}

/** A new one-time code of the project. @returns its 45 characters, which are kept nowhere, and the id to revoke it by */
export async function issueCode(
  deps: WriteDeps,
  ctx: Context,
  input: CodeInput,
): Promise<CommandResult<{ code: string; codeId: string }>> {
  const at = deps.now();
  const issued = newCode(deps, ctx, input, at);
  const { position } = await transact(deps, ctx, async (work) => addCode(work, issued));
  return { code: issued.code, codeId: issued.codeId, position };
}

export type PresentedCode = { codeId: string; presented: Presented; issued: IssuedCode };

/**
 * Counts the presentation of a code, then judges it: all there is to a mere check. `useCode` makes it used, in the append of
 * what it is used for.
 * @throws DomainError VERIFICATION_CODE_NOT_FOUND, …_EXPIRED, …_ALREADY_USED, …_MAX_ATTEMPTS_REACHED
 */
export async function presentCode(
  deps: WriteDeps,
  ctx: Context,
  { code: given, purpose }: { code: string; purpose: CodePurpose },
): Promise<PresentedCode> {
  const code = given.toLowerCase();
  const codeId = codeIdOf(deps, ctx, purpose, code);
  const at = deps.now();
  const presented = { codeHash: deps.sha256(code), purpose, projectId: ctx.projectId, at };
  // Nothing of what the request wants is done by that: one that ends here may be repeated.
  const { result: state } = await transact(deps, { ...ctx, idempotencyHash: null }, async (work) => {
    const loaded = await work.load(codeDecider, streamOf.code(codeId));
    const before = loaded.state;
    loaded.decide({ type: 'PresentCode', at });
    return before;
  });
  const fault = faultOf(presented, state);
  if (fault !== null || state.status === 'absent') return reject(fault ?? 'VERIFICATION_CODE_NOT_FOUND');
  return { codeId, presented, issued: state };
}

/** Whether presenting the code would succeed. Counts nothing: only for codes too long to be guessed. */
export async function isCodeGood(
  deps: WriteDeps,
  ctx: Context,
  { code: given, purpose }: { code: string; purpose: CodePurpose },
): Promise<boolean> {
  const code = given.toLowerCase();
  const { state } = await readState(deps.store, codeDecider, streamOf.code(codeIdOf(deps, ctx, purpose, code)));
  const presented = { codeHash: deps.sha256(code), purpose, projectId: ctx.projectId, at: deps.now() };
  return faultOf(presented, state) === null;
}

/** Uses a presented code; of all who try at once, one succeeds. @throws DomainError as `presentCode` */
export async function useCode(work: UnitOfWork, { codeId, presented }: PresentedCode): Promise<void> {
  const loaded = await work.load(codeDecider, streamOf.code(codeId));
  loaded.decide({ type: 'UseCode', presented });
}

/** Makes an open code unusable; nothing happens to one that is used or revoked, or not of this project. */
export async function revokeCode(
  deps: WriteDeps,
  ctx: Context,
  { codeId }: { codeId: string },
): Promise<CommandResult> {
  const at = deps.now();
  const { position } = await transact(deps, ctx, async (work) => {
    const loaded = await work.load(codeDecider, streamOf.code(codeId));
    if (loaded.state.status === 'issued' && loaded.state.projectId === ctx.projectId) {
      loaded.decide({ type: 'RevokeCode', at });
    }
  });
  return { position };
}

/**
 * Attempts count for all codes that share the last 39 characters, so these name the stream. A command line's codes are found
 * from every project, because theirs is told apart from none (protocol, auth §7), and what a provider sends back, like the
 * link of a security notice, names no project.
 */
export function codeIdOf(
  { sha256 }: Pick<WriteDeps, 'sha256'>,
  { projectId }: Pick<Context, 'projectId'>,
  purpose: CodePurpose,
  code: string,
): string {
  switch (purpose) {
    case 'cli_polling':
    case 'cli_login':
      return sha256(`cli ${code}`);
    case 'oauth_request':
    case 'oauth_authorization_request':
    case 'oauth_code':
    case 'activity_report':
      return sha256(`${purpose} ${code}`);
    default:
      return sha256(`${projectId} ${code.slice(6)}`);
  }
}
