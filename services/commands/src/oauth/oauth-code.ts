import { timingSafeEqual } from 'node:crypto';
import { codeDecider } from '@gatebook/domain/code/decide';
import type { GrantedSession } from '@gatebook/domain/code/events';
import { OAuthGrant, OAuthIdentity } from '@gatebook/domain/code/oauth';
import type { CodeState } from '@gatebook/domain/code/state';
import { reject } from '@gatebook/domain/errors';
import { sessionDecider } from '@gatebook/domain/session/decide';
import { userDecider } from '@gatebook/domain/user/decide';
import { codeIdOf } from '../code/code.ts';
import type { CommandResult, Context, WriteDeps } from '../deps.ts';
import { readState, transact, type UnitOfWork } from '../execute.ts';
import type { ProjectFacts } from '../project/project-facts.ts';
import { wereSessionsEndedSince } from '../session/liveness.ts';
import { prepareSignIn, requireSession, type SignedIn } from '../sign-in/sign-in.ts';
import { streamOf } from '../streams.ts';
import { settleAccount, untilSettled } from './oauth-account.ts';

type Redemption = {
  project: ProjectFacts;
  code: string;
  /** PKCE's proof that who redeems the code is who began the flow (RFC 7636). */
  verifier: string | null;
  /** null: none that is one was given. */
  redirectUri: string | null;
};
type Redeemed =
  | ({ outcome: 'signed_in'; afterCallbackRedirectUrl: string | null } & SignedIn)
  | { outcome: 'redirect_uri_missing' }
  | { outcome: 'replayed' };

/**
 * Gives the app a session for the code of its redirect (protocol, auth §8.6): signs up, signs in or links what the provider identified,
 * all in one append. A wrong verifier or no redirect URI leaves the code as it is, a domain error too; another redirect URI uses it
 * up. A used code that is presented again ends the session that it gave (RFC 6749 §4.1.2).
 * @throws DomainError INVALID_AUTHORIZATION_CODE, REDIRECT_URL_NOT_WHITELISTED, MULTI_FACTOR_AUTHENTICATION_REQUIRED, and those of
 * `settleAccount`
 */
export async function redeemOAuthCode(
  deps: WriteDeps,
  ctx: Context,
  { project, code: text, verifier, redirectUri }: Redemption,
): Promise<CommandResult<Redeemed>> {
  const at = deps.now();
  const { projectId } = ctx;
  const presented = { codeHash: deps.sha256(text), purpose: 'oauth_code', projectId, at } as const;
  const stream = streamOf.code(codeIdOf(deps, ctx, 'oauth_code', text));
  const grant = grantOf(deps, ctx, (await readState(deps.store, codeDecider, stream)).state, verifier);
  const { purpose, provider } = grant;
  const actor = purpose.type === 'link' ? ({ kind: 'user', id: purpose.userId } as const) : ctx.actor;
  const ids = { userId: deps.newId(), channelId: deps.newId() };
  const signIn = prepareSignIn(deps, ctx, at);
  const { result, position } = await untilSettled(() =>
    transact(deps, { ...ctx, actor }, async (work) => {
      const code = await work.load(codeDecider, stream);
      if (code.state.status === 'absent') return rejectCode();
      if (code.state.isUsed) {
        await endGranted(work, code.state.granted, at);
        return 'replayed';
      }
      if (Date.parse(code.state.expiresAt) <= Date.parse(at)) return rejectCode();
      const identity = OAuthIdentity.safeParse(code.state.encryptedPayload);
      if (!identity.success) return rejectCode();
      if (redirectUri === null) return 'redirect_uri_missing';
      code.decide({ type: 'UseCode', presented, granted: signIn.granted });
      const { profile, kept, afterCallbackRedirectUrl } = identity.data;
      if (identity.data.redirectUri !== redirectUri) return 'redirect_uri_wrong';
      const account = { provider, profile, kept };
      const settled = await settleAccount(work, { project, account, purpose, ids, at });
      await rejectChangedUser(deps, grant, settled.basis);
      return { signInOutcome: signIn.finish(work, { ...settled, method: 'oauth' }), afterCallbackRedirectUrl };
    }),
  );
  if (result === 'redirect_uri_missing') return { outcome: result, position };
  if (result === 'replayed') return { outcome: result, position };
  if (result === 'redirect_uri_wrong') return reject('REDIRECT_URL_NOT_WHITELISTED');
  const { signInOutcome, afterCallbackRedirectUrl } = result;
  return { outcome: 'signed_in', ...requireSession(signInOutcome), afterCallbackRedirectUrl, position };
}

/** What never changes about a code. @throws DomainError INVALID_AUTHORIZATION_CODE, also for a wrong verifier */
function grantOf(deps: WriteDeps, { projectId }: Context, code: CodeState, verifier: string | null): OAuthGrant {
  if (code.status === 'absent' || code.projectId !== projectId) return rejectCode();
  const grant = OAuthGrant.parse(code.payload);
  return isProof(deps, verifier, grant) ? grant : rejectCode();
}

/** Who was identified at the callback must be who signs in now, and nothing may have ended their sessions in between. */
async function rejectChangedUser(deps: WriteDeps, { user }: OAuthGrant, now: OAuthGrant['user']): Promise<void> {
  if (!user) return;
  const { state } = await readState(deps.store, userDecider, streamOf.user(user.userId));
  if (user.userId !== now?.userId || wereSessionsEndedSince(state, user.userRevision)) rejectCode();
}

/** Only who has the verifier comes here: a code alone, as histories and logs of browsers hold it, ends nobody's session. */
async function endGranted(work: UnitOfWork, granted: GrantedSession | null, at: string): Promise<void> {
  if (granted === null) return;
  (await work.load(codeDecider, streamOf.code(granted.attemptId))).decide({ type: 'RevokeCode', at });
  const session = await work.load(sessionDecider, streamOf.session(granted.sessionId));
  if (session.state.status === 'started') session.decide({ type: 'EndSession', reason: 'code_replayed', at });
}

function isProof({ sha256 }: WriteDeps, verifier: string | null, grant: OAuthGrant): boolean {
  if (verifier === null) return false;
  const proof = Buffer.from(grant.codeChallengeMethod === 'S256' ? sha256(verifier) : verifier);
  const challenge = Buffer.from(grant.codeChallenge);
  return proof.length === challenge.length && timingSafeEqual(proof, challenge);
}

function rejectCode(): never {
  return reject('INVALID_AUTHORIZATION_CODE');
}
