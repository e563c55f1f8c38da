import { createCipheriv, createDecipheriv } from 'node:crypto';
import { codeDecider } from '@gatebook/domain/code/decide';
import { CrossDomainCode, CrossDomainPayload } from '@gatebook/domain/code/oauth';
import { reject } from '@gatebook/domain/errors';
import { isTrustedUrl } from '@gatebook/domain/project/trusted-urls';
import { sessionDecider } from '@gatebook/domain/session/decide';
import { codeIdOf, issueCode } from '../code/code.ts';
import type { CommandResult, Context, WriteDeps } from '../deps.ts';
import { readState, transact } from '../execute.ts';
import type { ProjectFacts } from '../project/project-facts.ts';
import { isSessionAlive } from '../session/liveness.ts';
import { streamOf } from '../streams.ts';
import { matchesChallenge } from './pkce.ts';

/** The browser redeems the code as soon as it has followed the redirect. */
const codeLifeMs = 2 * 60_000;
const codeForm = /^cd_[0-9a-f]{64}$/;

/** Tells the codes of this file from those of a provider sign-in. */
export const isCrossDomainCode = (code: string): boolean => codeForm.test(code);

type CrossDomainRequest = {
  project: ProjectFacts;
  sessionId: string;
  refreshToken: string;
  redirectUri: string;
  state: string;
  /** S256 (RFC 7636 §4.2). */
  codeChallenge: string;
  afterCallbackRedirectUrl: string | null;
};

/**
 * Issues a code that continues this session on another domain of the project (protocol, auth §8.10). The code is the
 * key that the refresh token is encrypted with, and only its hash is stored: nobody reads the token without the code.
 * @returns where to send the browser
 * @throws DomainError REDIRECT_URL_NOT_WHITELISTED, REFRESH_TOKEN_NOT_FOUND_OR_EXPIRED
 */
export async function issueCrossDomainCode(
  deps: WriteDeps,
  ctx: Context,
  { project, sessionId, refreshToken, codeChallenge, state, afterCallbackRedirectUrl, ...request }: CrossDomainRequest,
): Promise<CommandResult<{ location: string }>> {
  const redirectUri = normalizeRedirectUri(request.redirectUri);
  const target = afterCallbackRedirectUrl === null ? redirectUri : URL.parse(afterCallbackRedirectUrl, redirectUri);
  for (const url of [request.redirectUri, target?.href ?? '']) {
    if (!isTrustedUrl(url, project.config)) reject('REDIRECT_URL_NOT_WHITELISTED');
  }
  if (!(await isSessionAlive(deps, sessionId))) reject('REFRESH_TOKEN_NOT_FOUND_OR_EXPIRED');
  const code = `cd_${Buffer.from(deps.sha256(deps.randomCode()), 'base64url').toString('hex')}`;
  const payload: CrossDomainCode = { sessionId, codeChallenge };
  const encryptedPayload: CrossDomainPayload = {
    redirectUri: redirectUri.href,
    afterCallbackRedirectUrl,
    refreshToken: encryptToken(deps, code, refreshToken),
  };
  const issued = { purpose: 'cross_domain_code', code, lifeMs: codeLifeMs, payload, encryptedPayload } as const;
  const { position } = await issueCode(deps, ctx, issued);
  const location = new URL(redirectUri);
  location.searchParams.set('code', code);
  location.searchParams.set('state', state);
  return { location: location.href, position };
}

/** Clients remove `code` and `state` from the address of their page to get the URI back. */
function normalizeRedirectUri(text: string): URL {
  const url = URL.parse(text) ?? reject('REDIRECT_URL_NOT_WHITELISTED');
  url.hash = '';
  for (const name of ['code', 'state']) url.searchParams.delete(name);
  return url;
}

type Redemption = { code: string; verifier: string | null; redirectUri: string | null };
type RedeemResult =
  | { outcome: 'redeemed'; refreshToken: string; afterCallbackRedirectUrl: string | null }
  | { outcome: 'redirect_uri_missing' }
  | { outcome: 'replayed' };

/**
 * Redeems the code for the refresh token of the session. A wrong verifier and a missing redirect URI leave the code
 * usable; a different redirect URI uses it up. Presenting a used code again ends the session (RFC 6749 §4.1.2).
 * @throws DomainError INVALID_AUTHORIZATION_CODE, also when the session has ended since; REDIRECT_URL_NOT_WHITELISTED
 */
export async function redeemCrossDomainCode(
  deps: WriteDeps,
  ctx: Context,
  { code: text, verifier, redirectUri }: Redemption,
): Promise<CommandResult<RedeemResult>> {
  const at = deps.now();
  const { projectId } = ctx;
  const presented = { codeHash: deps.sha256(text), purpose: 'cross_domain_code', projectId, at } as const;
  const stream = streamOf.code(codeIdOf(deps, ctx, 'cross_domain_code', text));
  const { state: issued } = await readState(deps.store, codeDecider, stream);
  if (issued.status === 'absent' || issued.projectId !== projectId) return reject('INVALID_AUTHORIZATION_CODE');
  const { sessionId, codeChallenge } = CrossDomainCode.parse(issued.payload);
  const challenge = { codeChallenge, codeChallengeMethod: 'S256' as const };
  if (!matchesChallenge(deps, verifier, challenge)) return reject('INVALID_AUTHORIZATION_CODE');
  const isAlive = await isSessionAlive(deps, sessionId);
  const { result, position } = await transact(deps, ctx, async (work) => {
    const code = await work.load(codeDecider, stream);
    if (code.state.status === 'absent') return 'invalid';
    if (code.state.isUsed) {
      const session = await work.load(sessionDecider, streamOf.session(sessionId));
      if (session.state.status === 'started') session.decide({ type: 'EndSession', reason: 'code_replayed', at });
      return 'replayed';
    }
    const payload = CrossDomainPayload.safeParse(code.state.encryptedPayload);
    const isExpired = Date.parse(code.state.expiresAt) <= Date.parse(at);
    if (!payload.success || isExpired || !isAlive) return 'invalid';
    if (redirectUri === null) return 'redirect_uri_missing';
    code.decide({ type: 'UseCode', presented });
    return payload.data.redirectUri === redirectUri ? payload.data : 'redirect_uri_wrong';
  });
  if (result === 'invalid') return reject('INVALID_AUTHORIZATION_CODE');
  if (result === 'redirect_uri_wrong') return reject('REDIRECT_URL_NOT_WHITELISTED');
  if (result === 'redirect_uri_missing') return { outcome: result, position };
  if (result === 'replayed') return { outcome: result, position };
  const { afterCallbackRedirectUrl } = result;
  const refreshToken = decryptToken(deps, text, result.refreshToken);
  return { outcome: 'redeemed', refreshToken, afterCallbackRedirectUrl, position };
}

/** Each code is a separate key and encrypts one token, so the nonce can be constant. */
const nonce = Buffer.alloc(12);
const keyOf = ({ sha256 }: WriteDeps, code: string) => Buffer.from(sha256(`refresh token ${code}`), 'base64url');

function encryptToken(deps: WriteDeps, code: string, token: string): string {
  const cipher = createCipheriv('aes-256-gcm', keyOf(deps, code), nonce);
  const encrypted = [cipher.update(token, 'utf8'), cipher.final()];
  return Buffer.concat([...encrypted, cipher.getAuthTag()]).toString('base64url');
}

function decryptToken(deps: WriteDeps, code: string, encrypted: string): string {
  const bytes = Buffer.from(encrypted, 'base64url');
  const decipher = createDecipheriv('aes-256-gcm', keyOf(deps, code), nonce);
  decipher.setAuthTag(bytes.subarray(-16));
  return `${decipher.update(bytes.subarray(0, -16), undefined, 'utf8')}${decipher.final('utf8')}`;
}
