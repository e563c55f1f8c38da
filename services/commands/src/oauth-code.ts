import { timingSafeEqual } from 'node:crypto';
import { codeDecider } from '@gatebook/domain/code/decide';
import { OAuthGrant, OAuthGrantAddresses } from '@gatebook/domain/code/oauth';
import { refuse } from '@gatebook/domain/errors';
import { codeIdOf } from './code.ts';
import { type Context, type Done, metadataOf, type WriteDeps } from './deps.ts';
import { transact } from './execute.ts';
import { loadUser } from './load-user.ts';
import { newSignIn, type SignedIn, signedIn } from './sign-in.ts';
import { streamOf } from './streams.ts';

type Redemption = {
  code: string;
  /** PKCE's proof that who redeems the code is who began the flow (RFC 7636). */
  verifier: string | null;
  /** null: none that is one was given. */
  redirectUri: string | null;
};
type Redeemed =
  | ({ outcome: 'signed_in'; afterCallbackRedirectUrl: string | null } & SignedIn)
  | { outcome: 'redirect_uri_missing' };

/**
 * Gives the app a session for the code of its redirect (protocol, auth §8.6). A wrong verifier or no redirect URI leaves the code as
 * it is; another redirect URI uses it up. The session stands on what was known of the user when the provider sent them back.
 * @throws DomainError INVALID_AUTHORIZATION_CODE, REDIRECT_URL_NOT_WHITELISTED, MULTI_FACTOR_AUTHENTICATION_REQUIRED
 */
export async function redeemOAuthCode(
  deps: WriteDeps,
  ctx: Context,
  { code: text, verifier, redirectUri }: Redemption,
): Promise<Done<Redeemed>> {
  const at = deps.now();
  const { projectId } = ctx;
  const presented = { codeHash: deps.sha256(text), purpose: 'oauth_code', projectId, at } as const;
  const signIn = newSignIn(deps, ctx, at);
  const { result, position } = await transact(deps.store, metadataOf(ctx, at), async (work) => {
    const code = await work.load(codeDecider, streamOf.code(codeIdOf(deps, ctx, 'oauth_code', text)));
    const { state } = code;
    if (state.status === 'absent' || state.isUsed || state.projectId !== projectId) return refuseCode();
    if (Date.parse(state.expiresAt) <= Date.parse(at)) return refuseCode();
    const grant = OAuthGrant.parse(state.payload);
    const addresses = OAuthGrantAddresses.safeParse(state.sealedPayload);
    if (!addresses.success || !isProof(deps, verifier, grant)) return refuseCode();
    if (redirectUri === null) return 'redirect_uri_missing';
    code.decide({ type: 'UseCode', presented });
    if (addresses.data.redirectUri !== redirectUri) return 'redirect_uri_wrong';
    const { userId, isNewUser } = grant;
    const user = await loadUser(work, ctx, userId, 'INVALID_AUTHORIZATION_CODE');
    if (user.state.status !== 'active') return refuseCode();
    const userRevision = BigInt(grant.userRevision);
    const signInOutcome = signIn.finish(work, { user: user.state, userRevision, isNewUser, method: 'oauth' });
    return { signInOutcome, afterCallbackRedirectUrl: addresses.data.afterCallbackRedirectUrl };
  });
  if (result === 'redirect_uri_missing') return { outcome: result, position };
  if (result === 'redirect_uri_wrong') return refuse('REDIRECT_URL_NOT_WHITELISTED');
  const { signInOutcome, afterCallbackRedirectUrl } = result;
  return { outcome: 'signed_in', ...signedIn(signInOutcome), afterCallbackRedirectUrl, position };
}

function isProof({ sha256 }: WriteDeps, verifier: string | null, grant: OAuthGrant): boolean {
  if (verifier === null) return false;
  const proof = Buffer.from(grant.codeChallengeMethod === 'S256' ? sha256(verifier) : verifier);
  const challenge = Buffer.from(grant.codeChallenge);
  return proof.length === challenge.length && timingSafeEqual(proof, challenge);
}

function refuseCode(): never {
  return refuse('INVALID_AUTHORIZATION_CODE');
}
