import { codeDecider } from '@gatebook/domain/code/decide';
import type { GrantedSession } from '@gatebook/domain/code/events';
import { OAuthCodePayload, OAuthIdentity } from '@gatebook/domain/code/oauth';
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
import { retryWhenTaken, settleAccount } from './oauth-account.ts';
import { matchesChallenge } from './pkce.ts';

type Redemption = {
  project: ProjectFacts;
  code: string;
  /** PKCE verifier: proves that the app that redeems the code started the authorization request (RFC 7636). */
  verifier: string | null;
  /** null: missing or not a URL. */
  redirectUri: string | null;
};
type RedeemResult =
  | ({ outcome: 'signed_in'; afterCallbackRedirectUrl: string | null } & SignedIn)
  | { outcome: 'redirect_uri_missing' }
  | { outcome: 'replayed' };

/**
 * Redeems the code of an app's redirect for a session (protocol, auth §8.6): signs up, signs in or links the identified
 * account, all in one append. A wrong verifier, a missing redirect URI or a domain error leaves the code usable; a
 * different redirect URI uses it up. Presenting a used code again ends the session that it started (RFC 6749 §4.1.2).
 * @throws DomainError INVALID_AUTHORIZATION_CODE, REDIRECT_URL_NOT_WHITELISTED, MULTI_FACTOR_AUTHENTICATION_REQUIRED,
 * and those of `settleAccount`
 */
export async function redeemOAuthCode(
  deps: WriteDeps,
  ctx: Context,
  { project, code: text, verifier, redirectUri }: Redemption,
): Promise<CommandResult<RedeemResult>> {
  const at = deps.now();
  const { projectId } = ctx;
  const presented = { codeHash: deps.sha256(text), purpose: 'oauth_code', projectId, at } as const;
  const stream = streamOf.code(codeIdOf(deps, ctx, 'oauth_code', text));
  const codePayload = readCodePayload(deps, ctx, (await readState(deps.store, codeDecider, stream)).state, verifier);
  const { purpose, provider } = codePayload;
  const actor = purpose.type === 'link' ? ({ kind: 'user', id: purpose.userId } as const) : ctx.actor;
  const ids = { oauthAccountId: deps.newId(), userId: deps.newId(), channelId: deps.newId() };
  const signIn = prepareSignIn(deps, ctx, at);
  const { result, position } = await retryWhenTaken(() =>
    transact(deps, { ...ctx, actor }, async (work) => {
      const code = await work.load(codeDecider, stream);
      if (code.state.status === 'absent') return rejectCode();
      if (code.state.isUsed) {
        await endGrantedSession(work, code.state.granted, at);
        return 'replayed';
      }
      if (Date.parse(code.state.expiresAt) <= Date.parse(at)) return rejectCode();
      const identity = OAuthIdentity.safeParse(code.state.encryptedPayload);
      if (!identity.success) return rejectCode();
      if (redirectUri === null) return 'redirect_uri_missing';
      code.decide({ type: 'UseCode', presented, granted: signIn.granted });
      const { profile, providerGrant, afterCallbackRedirectUrl } = identity.data;
      if (identity.data.redirectUri !== redirectUri) return 'redirect_uri_wrong';
      const account = { provider, profile, providerGrant };
      const settled = await settleAccount(work, { project, account, purpose, ids, at });
      await rejectChangedUser(deps, codePayload, settled.basis);
      return {
        signInOutcome: signIn.finish(work, { ...settled, method: 'oauth', provider }),
        afterCallbackRedirectUrl,
      };
    }),
  );
  if (result === 'redirect_uri_missing') return { outcome: result, position };
  if (result === 'replayed') return { outcome: result, position };
  if (result === 'redirect_uri_wrong') return reject('REDIRECT_URL_NOT_WHITELISTED');
  const { signInOutcome, afterCallbackRedirectUrl } = result;
  return { outcome: 'signed_in', ...requireSession(signInOutcome), afterCallbackRedirectUrl, position };
}

/** Reads the payload of the code. @throws DomainError INVALID_AUTHORIZATION_CODE, also for a wrong verifier */
function readCodePayload(
  deps: WriteDeps,
  { projectId }: Context,
  code: CodeState,
  verifier: string | null,
): OAuthCodePayload {
  if (code.status === 'absent' || code.projectId !== projectId) return rejectCode();
  const codePayload = OAuthCodePayload.parse(code.payload);
  return matchesChallenge(deps, verifier, codePayload) ? codePayload : rejectCode();
}

/**
 * The user who signs in must be the one identified at the callback, and their sessions must not have been ended since.
 */
async function rejectChangedUser(
  deps: WriteDeps,
  { user }: OAuthCodePayload,
  now: OAuthCodePayload['user'],
): Promise<void> {
  if (!user) return;
  const { state } = await readState(deps.store, userDecider, streamOf.user(user.userId));
  if (user.userId !== now?.userId || wereSessionsEndedSince(state, user.userRevision)) rejectCode();
}

/** Requires the verifier: a code alone, as found in browser histories and logs, must not end a session. */
async function endGrantedSession(work: UnitOfWork, granted: GrantedSession | null, at: string): Promise<void> {
  if (granted === null) return;
  (await work.load(codeDecider, streamOf.code(granted.attemptId))).decide({ type: 'RevokeCode', at });
  const session = await work.load(sessionDecider, streamOf.session(granted.sessionId));
  if (session.state.status === 'started') session.decide({ type: 'EndSession', reason: 'code_replayed', at });
}

function rejectCode(): never {
  return reject('INVALID_AUTHORIZATION_CODE');
}
