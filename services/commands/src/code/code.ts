import { codeDecider, findCodeFault, type Presented } from '@gatebook/domain/code/decide';
import type { CodePurpose } from '@gatebook/domain/code/events';
import type { CodeState, IssuedCode } from '@gatebook/domain/code/state';
import { reject } from '@gatebook/domain/errors';
import type { CommandResult, Context, WriteDeps } from '../deps.ts';
import { readState, transact, type UnitOfWork } from '../execute.ts';
import { addressRefOf } from '../reservation/email.ts';
import { streamOf } from '../streams.ts';

type CodeInput = {
  purpose: CodePurpose;
  /** Code text in a form other than the usual 45 characters, equally hard to guess. */
  code?: string;
  lifeMs: number;
  /** Subject whose key encrypts the recipient. Without a known user, the code gets a subject of its own. */
  subjectId?: string;
  recipient?: string;
  callbackUrl?: string;
  payload?: IssuedCode['payload'];
  encryptedPayload?: IssuedCode['encryptedPayload'];
};

/** A code that is not issued yet. Its 45 characters are not stored; `codeId` is used to revoke it. */
export type GeneratedCode = ReturnType<typeof generateCode>;

/** Generates a code outside the unit of work that issues it, which may run several times. */
export function generateCode(deps: WriteDeps, ctx: Context, input: CodeInput, at: string) {
  const { purpose, lifeMs, code = deps.randomCode(), subjectId = deps.newId() } = input;
  const { recipient = null, callbackUrl = null, payload = {}, encryptedPayload = null } = input;
  const codeId = codeIdOf(deps, ctx, purpose, code);
  const codeHash = deps.sha256(code);
  const expiresAt = new Date(Date.parse(at) + lifeMs).toISOString();
  const { projectId } = ctx;
  const isOwnSubject = input.subjectId === undefined;
  const addressRef = isOwnSubject && recipient !== null ? addressRefOf(deps, projectId, recipient) : null;
  const content = { recipient, addressRef, callbackUrl, payload, encryptedPayload };
  return { code, codeId, subjectId, projectId, purpose, codeHash, ...content, expiresAt, at };
}

export function addCode(work: UnitOfWork, { code: _, ...issued }: GeneratedCode): void {
  work.create(codeDecider, streamOf.code(issued.codeId)).decide({ type: 'IssueCode', ...issued });
}

/**
 * Issues a one-time code of the project. @returns its 45 characters, which are not stored, and the ID to revoke it by
 */
export async function issueCode(
  deps: WriteDeps,
  ctx: Context,
  input: CodeInput,
): Promise<CommandResult<{ code: string; codeId: string }>> {
  const at = deps.now();
  const issued = generateCode(deps, ctx, input, at);
  const { position } = await transact(deps, ctx, async (work) => addCode(work, issued));
  return { code: issued.code, codeId: issued.codeId, position };
}

export type PresentedCode = { codeId: string; presented: Presented; issued: IssuedCode };

/**
 * Counts the presentation of a code and then judges it. `useCode` marks it as used, in the append of what it is used
 * for.
 * @throws DomainError VERIFICATION_CODE_NOT_FOUND, …_EXPIRED, …_ALREADY_USED, …_MAX_ATTEMPTS_REACHED
 */
export async function presentCode(
  deps: WriteDeps,
  ctx: Context,
  { code: text, purpose }: { code: string; purpose: CodePurpose },
): Promise<PresentedCode> {
  const { codeId, presented } = identifyCode(deps, ctx, { code: text, purpose });
  // Not part of the idempotent write: a request that fails here may be repeated.
  const { result: state } = await transact(deps, { ...ctx, idempotencyHash: null }, async (work) => {
    const loaded = await work.load(codeDecider, streamOf.code(codeId));
    const before = loaded.state;
    loaded.decide({ type: 'PresentCode', at: presented.at });
    return before;
  });
  return judgeCode({ codeId, presented }, state);
}

/**
 * Judges a code as `presentCode` does. Does not count, so use it only for codes too long to be guessed.
 * @throws DomainError as `presentCode`
 */
export async function readCode(
  deps: WriteDeps,
  ctx: Context,
  input: { code: string; purpose: CodePurpose },
): Promise<PresentedCode> {
  const identified = identifyCode(deps, ctx, input);
  const { state } = await readState(deps.store, codeDecider, streamOf.code(identified.codeId));
  return judgeCode(identified, state);
}

function identifyCode(
  deps: WriteDeps,
  ctx: Context,
  { code: text, purpose }: { code: string; purpose: CodePurpose },
): Omit<PresentedCode, 'issued'> {
  const code = text.toLowerCase();
  const presented = { codeHash: deps.sha256(code), purpose, projectId: ctx.projectId, at: deps.now() };
  return { codeId: codeIdOf(deps, ctx, purpose, code), presented };
}

function judgeCode({ codeId, presented }: Omit<PresentedCode, 'issued'>, state: CodeState): PresentedCode {
  const fault = findCodeFault(presented, state);
  if (fault === null && state.status === 'issued') return { codeId, presented, issued: state };
  // A code that was not found may be a wrong guess at the code of somebody.
  const isFound = state.status === 'issued' && fault !== 'VERIFICATION_CODE_NOT_FOUND';
  const userId = isFound ? state.payload.userId : undefined;
  return reject(fault ?? 'VERIFICATION_CODE_NOT_FOUND', {}, typeof userId === 'string' ? userId : undefined);
}

/** Whether presenting the code would succeed. Does not count, so use it only for codes too long to be guessed. */
export async function isCodeValid(
  deps: WriteDeps,
  ctx: Context,
  input: { code: string; purpose: CodePurpose },
): Promise<boolean> {
  const { codeId, presented } = identifyCode(deps, ctx, input);
  const { state } = await readState(deps.store, codeDecider, streamOf.code(codeId));
  return findCodeFault(presented, state) === null;
}

/** Uses a presented code. Of concurrent requests, one succeeds. @throws DomainError as `presentCode` */
export async function useCode(work: UnitOfWork, { codeId, presented }: PresentedCode): Promise<void> {
  const loaded = await work.load(codeDecider, streamOf.code(codeId));
  loaded.decide({ type: 'UseCode', presented });
}

/**
 * Builds the stream ID of a code. Attempts count for all codes that share the last 39 characters, so these determine
 * the ID. CLI codes are found from every project, because a foreign code must be distinguishable from an unknown one
 * (protocol, auth §7). The codes that a provider sends back and that security notices contain come without a project.
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
    case 'cross_domain_code':
    case 'activity_report':
      return sha256(`${purpose} ${code}`);
    default:
      return sha256(`${projectId} ${code.slice(6)}`);
  }
}
