import { codeDecider } from '@gatebook/domain/code/decide';
import type { CodePurpose } from '@gatebook/domain/code/events';
import {
  AuthorizationRequest,
  type OAuthCodePayload,
  type OAuthIdentity,
  type OAuthPurpose,
  OAuthUrls,
} from '@gatebook/domain/code/oauth';
import { reject } from '@gatebook/domain/errors';
import { isTrustedUrl } from '@gatebook/domain/project/trusted-urls';
import { userDecider } from '@gatebook/domain/user/decide';
import { codeIdOf, issueCode } from '../code/code.ts';
import type { CommandResult, Context, WriteDeps } from '../deps.ts';
import { dryRun, readState, transact } from '../execute.ts';
import type { ProjectFacts } from '../project/project-facts.ts';
import { isSessionAlive } from '../session/liveness.ts';
import { streamOf } from '../streams.ts';
import { retryWhenTaken, settleAccount } from './oauth-account.ts';
import type { ProviderKeys } from './oauth-providers.ts';
import { readProviderKeys } from './provider-keys.ts';

/** From the pushed request until the browser comes with it. */
const requestLifeMs = 2 * 60_000;
/** From the redirect to the provider until its response (protocol, auth §8.1). */
const authorizationRequestLifeMs = 10 * 60_000;
/** From the redirect to the app until it redeems the code (protocol, auth §8.1). */
const codeLifeMs = 5 * 60_000;

type NewAuthorizationRequest = AuthorizationRequest & OAuthUrls;
/**
 * The provider redirects to `callbackUrl`, one of Gatebook's own URLs; the app's redirect URI is only used afterwards.
 */
type StartInput = NewAuthorizationRequest & { callbackUrl: string };

/**
 * Builds the purpose `link` for a session that is alive, with the revision of its user: whatever ends the user's
 * sessions later ends the link too. Null if the session is not alive.
 */
export async function linkPurposeOf(
  deps: WriteDeps,
  { userId, sessionId }: { userId: string; sessionId: string },
): Promise<OAuthPurpose | null> {
  const { revision } = await readState(deps.store, userDecider, streamOf.user(userId));
  if (!(await isSessionAlive(deps, sessionId))) return null;
  return { type: 'link', userId, sessionId, userRevision: Number(revision) };
}

/**
 * Stores an authorization request until the browser comes with the returned code, as in RFC 9126: the URL that the
 * browser opens contains nothing of the request, and above all no access token.
 * @throws DomainError OAUTH_PROVIDER_NOT_FOUND_OR_NOT_ENABLED, OAUTH_EXTRA_SCOPE_NOT_AVAILABLE_WITH_SHARED_OAUTH_KEYS
 */
export async function pushOAuthRequest(
  deps: WriteDeps,
  ctx: Context,
  request: NewAuthorizationRequest,
): Promise<CommandResult<{ request: string }>> {
  await requireKeys(deps, ctx.projectId, request);
  const { code, position } = await issueCode(deps, ctx, {
    purpose: 'oauth_request',
    lifeMs: requestLifeMs,
    ...buildPayloads(request),
  });
  return { request: code, position };
}

export type PushedRequest = { projectId: string; request: NewAuthorizationRequest };

/**
 * Uses a pushed request, which works once.
 * @throws DomainError OAUTH_AUTHORIZATION_REQUEST_UNKNOWN, also for a used or expired one
 */
export async function takeOAuthRequest(deps: WriteDeps, ctx: Omit<Context, 'projectId'>, code: string) {
  const { projectId, isExpired, request, urls } = await findOpenCode(deps, 'oauth_request', code);
  if (isExpired) return reject('OAUTH_AUTHORIZATION_REQUEST_UNKNOWN');
  await consumeCode(deps, { ...ctx, projectId }, 'oauth_request', code);
  return { projectId, request: { ...request, ...urls } } satisfies PushedRequest;
}

/**
 * Starts an authorization request at a provider. The PKCE verifier is a keyed hash of the state, so it is not stored.
 * @returns where to send the browser, and the state that it has to bring back
 * @throws DomainError OAUTH_PROVIDER_NOT_FOUND_OR_NOT_ENABLED, OAUTH_EXTRA_SCOPE_NOT_AVAILABLE_WITH_SHARED_OAUTH_KEYS,
 * OAUTH_PROVIDER_UNREACHABLE
 */
export async function beginOAuth(
  deps: WriteDeps,
  ctx: Context,
  { callbackUrl, ...request }: StartInput,
): Promise<CommandResult<{ location: string; state: string }>> {
  const keys = await requireKeys(deps, ctx.projectId, request);
  const state = deps.sha256(deps.randomCode());
  const authorization = { redirectUri: callbackUrl, state, verifier: deriveVerifier(deps, ctx, state) };
  const location = await deps.oauthProviders.authorizationUrl(keys, authorization, request.extraScopes);
  const { position } = await issueCode(deps, ctx, {
    purpose: 'oauth_authorization_request',
    code: state,
    lifeMs: authorizationRequestLifeMs,
    ...buildPayloads(request),
  });
  return { location: location.href, state, position };
}

function buildPayloads(request: NewAuthorizationRequest) {
  const redirectUri = request.redirectUri.replace(/#.*$/s, '');
  return {
    payload: AuthorizationRequest.parse(request),
    encryptedPayload: OAuthUrls.parse({ ...request, redirectUri }),
  };
}

/**
 * @throws DomainError OAUTH_PROVIDER_NOT_FOUND_OR_NOT_ENABLED, OAUTH_EXTRA_SCOPE_NOT_AVAILABLE_WITH_SHARED_OAUTH_KEYS
 */
async function requireKeys(
  deps: WriteDeps,
  projectId: string,
  { provider, extraScopes }: Pick<AuthorizationRequest, 'provider' | 'extraScopes'>,
): Promise<ProviderKeys> {
  const keys = await readProviderKeys(deps, projectId, provider);
  if (keys.type === 'shared' && extraScopes.length > 0) {
    reject('OAUTH_EXTRA_SCOPE_NOT_AVAILABLE_WITH_SHARED_OAUTH_KEYS');
  }
  return keys;
}

/** An authorization request that waits for its provider. `isExpired`: it waited too long and must not be completed. */
export type OpenAuthorizationRequest = {
  projectId: string;
  state: string;
  request: AuthorizationRequest;
  urls: OAuthUrls;
  isExpired: boolean;
};

/** @throws DomainError OAUTH_AUTHORIZATION_REQUEST_UNKNOWN, also for a completed one */
export async function findAuthorizationRequest(deps: WriteDeps, state: string): Promise<OpenAuthorizationRequest> {
  return { state, ...(await findOpenCode(deps, 'oauth_authorization_request', state)) };
}

async function findOpenCode(
  deps: WriteDeps,
  purpose: CodePurpose,
  text: string,
): Promise<Omit<OpenAuthorizationRequest, 'state'>> {
  const codeId = codeIdOf(deps, { projectId: '' }, purpose, text);
  const { state: code } = await readState(deps.store, codeDecider, streamOf.code(codeId));
  if (code.status === 'absent' || code.isUsed) return reject('OAUTH_AUTHORIZATION_REQUEST_UNKNOWN');
  const urls = OAuthUrls.safeParse(code.encryptedPayload);
  if (!urls.success) return reject('OAUTH_AUTHORIZATION_REQUEST_UNKNOWN');
  return {
    projectId: code.projectId,
    request: AuthorizationRequest.parse(code.payload),
    urls: urls.data,
    isExpired: Date.parse(code.expiresAt) <= Date.parse(deps.now()),
  };
}

type Callback = {
  open: OpenAuthorizationRequest;
  project: ProjectFacts;
  callbackUrl: string;
  /** Parameters of the provider's response, query and form together. */
  parameters: URLSearchParams;
};

/**
 * Handles the callback of a provider: identifies the account, checks that it may sign in or be linked, and issues a
 * code for the app (protocol, auth §8.3, §8.5). Writes nothing about users or accounts, because somebody else may have
 * sent this browser here: redeeming the code proves who started the request. Uses up the request first, whatever
 * happens next: a state works once.
 * @returns where to send the browser
 * @throws DomainError OAUTH_AUTHORIZATION_REQUEST_UNKNOWN, OAUTH_PROVIDER_NOT_FOUND_OR_NOT_ENABLED,
 * REDIRECT_URL_NOT_WHITELISTED, those of `OAuthProviders.identify` and of `settleAccount`
 */
export async function finishOAuth(
  deps: WriteDeps,
  ctx: Context,
  { open, project, callbackUrl, parameters }: Callback,
): Promise<CommandResult<{ location: string }>> {
  const { request, urls, state } = open;
  const { provider, purpose, codeChallenge, codeChallengeMethod } = request;
  await consumeCode(deps, ctx, 'oauth_authorization_request', state);
  const keys = await readProviderKeys(deps, ctx.projectId, provider);
  const authorization = { redirectUri: callbackUrl, state, verifier: deriveVerifier(deps, ctx, state) };
  const { profile, tokens } = await deps.oauthProviders.identify(keys, authorization, parameters);
  if (!isTrustedUrl(urls.redirectUri, project.config)) reject('REDIRECT_URL_NOT_WHITELISTED');

  const at = deps.now();
  const ids = { oauthAccountId: deps.newId(), userId: deps.newId(), channelId: deps.newId() };
  const scopes = [...new Set([...deps.oauthProviders.baseScopes(keys), ...request.extraScopes])];
  const providerGrant = keys.type === 'shared' ? null : { tokens, scopes };
  const account = { provider, profile, providerGrant };
  const { basis: user } = await retryWhenTaken(() =>
    dryRun(deps, ctx, (work) => settleAccount(work, { project, account, purpose, ids, at })),
  );
  const text = Buffer.from(deps.sha256(deps.randomCode()), 'base64url').toString('hex');
  const payload: OAuthCodePayload = { purpose, provider, user, codeChallenge, codeChallengeMethod };
  const { redirectUri, afterCallbackRedirectUrl } = urls;
  const encryptedPayload: OAuthIdentity = { redirectUri, afterCallbackRedirectUrl, profile, providerGrant };
  // Encrypted under a separate key, which is destroyed when the code is used or the address is erased: the account
  // may never belong to a user.
  const codeInput = { purpose: 'oauth_code', code: text, lifeMs: codeLifeMs, payload, encryptedPayload } as const;
  const recipient = profile.email === null ? {} : { recipient: profile.email };
  const { position } = await issueCode(deps, ctx, { ...codeInput, ...recipient });
  const location = new URL(urls.redirectUri);
  location.searchParams.set('code', text);
  location.searchParams.set('state', urls.state);
  return { location: location.href, position };
}

/** Of concurrent requests with the code, one continues. @throws DomainError OAUTH_AUTHORIZATION_REQUEST_UNKNOWN */
async function consumeCode(
  deps: WriteDeps,
  ctx: Context,
  purpose: 'oauth_request' | 'oauth_authorization_request',
  text: string,
): Promise<void> {
  const at = deps.now();
  const { projectId } = ctx;
  const presented = { codeHash: deps.sha256(text), purpose, projectId, at };
  await transact(deps, ctx, async (work) => {
    const code = await work.load(codeDecider, streamOf.code(codeIdOf(deps, ctx, purpose, text)));
    if (code.state.status === 'absent' || code.state.isUsed) reject('OAUTH_AUTHORIZATION_REQUEST_UNKNOWN');
    code.decide({ type: 'UseCode', presented });
  });
}

const deriveVerifier = ({ lookupHash }: WriteDeps, { projectId }: Context, state: string) =>
  lookupHash('oauth verifier', projectId, state);
