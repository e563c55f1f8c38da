import { reject } from '@gatebook/domain/errors';
import type { ProjectConfig } from '@gatebook/domain/project/config';
import { issueCode, presentCode, useCode } from '../code/code.ts';
import type { CommandResult, Context, WriteDeps } from '../deps.ts';
import { transact } from '../execute.ts';
import { findPasskeyUser, releasePasskey, reservePasskey } from '../reservation/passkey.ts';
import { loadUser } from '../user/load-user.ts';
import { prepareSignIn, requireSession, type SignedIn } from './sign-in.ts';
import type { PasskeyFault } from './webauthn.ts';

/** A ceremony may take 60 s; the rest is for transport (protocol, auth §2). */
const challengeLifeMs = 65_000;

/** Issues a registration challenge for this user. @throws DomainError PASSKEY_AUTHENTICATION_NOT_ENABLED */
export async function startPasskeyRegistration(
  deps: WriteDeps,
  ctx: Context,
  { userId, challenge, config }: { userId: string; challenge: string; config: ProjectConfig },
): Promise<CommandResult<{ code: string }>> {
  requirePasskeys(config);
  const payload = { userId, challenge };
  return issueCode(deps, ctx, { purpose: 'passkey_registration', lifeMs: challengeLifeMs, payload });
}

/** @throws DomainError PASSKEY_AUTHENTICATION_NOT_ENABLED */
export async function startPasskeySignIn(
  deps: WriteDeps,
  ctx: Context,
  { challenge, config }: { challenge: string; config: ProjectConfig },
): Promise<CommandResult<{ code: string }>> {
  requirePasskeys(config);
  return issueCode(deps, ctx, {
    purpose: 'passkey_authentication',
    lifeMs: challengeLifeMs,
    payload: { challenge },
  });
}

/**
 * Registers a credential, replacing the user's previous passkey (protocol, auth §5.2). A response that fails
 * verification still uses up the challenge.
 * @throws DomainError the four errors of a code, PASSKEY_AUTHENTICATION_NOT_ENABLED, PASSKEY_AUTHENTICATION_FAILED for
 * a page of another origin, PASSKEY_REGISTRATION_FAILED
 */
export async function registerPasskey(
  deps: WriteDeps,
  ctx: Context,
  { userId, code, credential, config }: { userId: string; code: string; credential: unknown; config: ProjectConfig },
): Promise<CommandResult<{ credentialId: string }>> {
  const presented = await presentCode(deps, ctx, { code, purpose: 'passkey_registration' });
  const { payload } = presented.issued;
  if (payload.userId !== userId) return reject('VERIFICATION_CODE_NOT_FOUND');
  requirePasskeys(config);
  const verified = await deps.webauthn.verifyRegistration({
    credential,
    challenge: String(payload.challenge),
    rules: config,
  });
  const at = deps.now();
  const { position } = await transact(deps, ctx, async (work) => {
    await useCode(work, presented);
    if (verified.outcome === 'failed') return;
    const user = await loadUser(work, userId);
    const before = user.state.status === 'active' ? user.state.passkey : null;
    const reservation = { holderId: userId, at };
    await reservePasskey(work, { credentialId: verified.passkey.credentialId, ...reservation });
    user.decide({ type: 'RegisterPasskey', passkey: verified.passkey, at });
    if (before && before.credentialId !== verified.passkey.credentialId) {
      await releasePasskey(work, { credentialId: before.credentialId, ...reservation });
    }
  });
  if (verified.outcome === 'failed') return rejectFault(verified, 'PASSKEY_REGISTRATION_FAILED');
  return { credentialId: verified.passkey.credentialId, position };
}

/**
 * Signs in with an assertion of a registered passkey (protocol, auth §5.4). A response that fails verification still
 * uses up the challenge.
 * @throws DomainError the four errors of a code, PASSKEY_AUTHENTICATION_NOT_ENABLED, PASSKEY_AUTHENTICATION_FAILED,
 * MULTI_FACTOR_AUTHENTICATION_REQUIRED
 */
export async function signInWithPasskey(
  deps: WriteDeps,
  ctx: Context,
  { code, response, config }: { code: string; response: unknown; config: ProjectConfig },
): Promise<CommandResult<SignedIn>> {
  const presented = await presentCode(deps, ctx, { code, purpose: 'passkey_authentication' });
  requirePasskeys(config);
  const verified = await verifyAssertion(deps, ctx, {
    response,
    challenge: String(presented.issued.payload.challenge),
    config,
  });
  const at = deps.now();
  const signIn = prepareSignIn(deps, ctx, at);
  const { result, position } = await transact(deps, ctx, async (work) => {
    await useCode(work, presented);
    if (verified.outcome === 'failed') return null;
    const { userId, credentialId, counter } = verified;
    const user = await loadUser(work, userId, 'VERIFICATION_CODE_NOT_FOUND');
    user.decide({ type: 'UsePasskey', credentialId, counter, at });
    if (user.state.status !== 'active') return reject('VERIFICATION_CODE_NOT_FOUND');
    const facts = { user: user.state, userRevision: user.revision, isNewUser: false, method: 'passkey' } as const;
    return signIn.finish(work, facts);
  });
  if (verified.outcome === 'failed' || result === null) return rejectFault(verified, 'PASSKEY_AUTHENTICATION_FAILED');
  return { ...requireSession(result), position };
}

type Assertion = { response: unknown; challenge: string; config: ProjectConfig };

async function verifyAssertion(deps: WriteDeps, ctx: Context, { response, challenge, config }: Assertion) {
  const unknown = { outcome: 'failed', reason: 'response', message: 'This passkey is not registered.' } as const;
  const credentialId = deps.webauthn.credentialIdOf(response);
  const found = credentialId === null ? null : await findPasskeyUser(deps, ctx.projectId, credentialId);
  const passkey = found?.user.passkey;
  if (!found || !passkey || credentialId === null) return unknown;
  const checked = await deps.webauthn.verifyAuthentication({ response, challenge, passkey, rules: config });
  return { ...checked, userId: found.user.userId, credentialId };
}

function rejectFault(
  fault: (PasskeyFault & { userId?: string }) | { outcome: string },
  otherwise: 'PASSKEY_REGISTRATION_FAILED' | 'PASSKEY_AUTHENTICATION_FAILED',
): never {
  if (!('reason' in fault)) throw new Error('a verified passkey has no outcome');
  const code = fault.reason === 'origin' ? 'PASSKEY_AUTHENTICATION_FAILED' : otherwise;
  return reject(code, { message: fault.message }, fault.userId);
}

function requirePasskeys({ passkeyEnabled }: ProjectConfig): void {
  if (!passkeyEnabled) reject('PASSKEY_AUTHENTICATION_NOT_ENABLED');
}
