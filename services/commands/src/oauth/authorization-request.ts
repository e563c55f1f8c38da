import { codeDecider } from '@gatebook/domain/code/decide';
import type { CodePurpose } from '@gatebook/domain/code/events';
import {
  AuthorizationRequest,
  OAuthAddresses,
  type OAuthGrant,
  type OAuthIdentity,
  type OAuthPurpose,
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
import { settleAccount, untilSettled } from './oauth-account.ts';
import type { ProviderKeys } from './oauth-providers.ts';
import { providerKeysOf } from './provider-keys.ts';

/** From the client's request until the browser comes with it. */
const requestLifeMs = 2 * 60_000;
/** From the redirect to the provider until its answer (protocol, auth §8.1). */
const authorizationRequestLifeMs = 10 * 60_000;
/** From the redirect to the app until it asks for its tokens (protocol, auth §8.1). */
const codeLifeMs = 5 * 60_000;

type NewAuthorizationRequest = AuthorizationRequest & OAuthAddresses;
/** The app's part of the flow is over its own address; the provider's is over `callbackUrl`, one of ours. */
type Beginning = NewAuthorizationRequest & { callbackUrl: string };

/**
 * The purpose `link` for a session that is alive, with the revision of its user: what ends the user's sessions later ends the link
 * too. Null for a session that is over.
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
 * Keeps an authorization request for the browser that will come with the returned code, as RFC 9126 does: nothing of the request,
 * an access token least of all, is in the address that the browser visits.
 * @throws DomainError OAUTH_PROVIDER_NOT_FOUND_OR_NOT_ENABLED, OAUTH_EXTRA_SCOPE_NOT_AVAILABLE_WITH_SHARED_OAUTH_KEYS
 */
export async function pushOAuthRequest(
  deps: WriteDeps,
  ctx: Context,
  request: NewAuthorizationRequest,
): Promise<CommandResult<{ request: string }>> {
  await keysForAuthorization(deps, ctx.projectId, request);
  const { code, position } = await issueCode(deps, ctx, {
    purpose: 'oauth_request',
    lifeMs: requestLifeMs,
    ...payloadsOf(request),
  });
  return { request: code, position };
}

export type PushedRequest = { projectId: string; request: NewAuthorizationRequest };

/** Takes a pushed request, which works once. @throws DomainError OAUTH_AUTHORIZATION_REQUEST_UNKNOWN, also for one that is used or expired */
export async function takeOAuthRequest(deps: WriteDeps, ctx: Omit<Context, 'projectId'>, code: string) {
  const { projectId, isExpired, flow, addresses } = await findOpen(deps, 'oauth_request', code);
  if (isExpired) return reject('OAUTH_AUTHORIZATION_REQUEST_UNKNOWN');
  await useUp(deps, { ...ctx, projectId }, 'oauth_request', code);
  return { projectId, request: { ...flow, ...addresses } } satisfies PushedRequest;
}

/**
 * Sends somebody to a provider. The inner verifier is a keyed hash of the state, so that it is kept nowhere.
 * @returns where to send the browser, and the state that it has to bring back
 * @throws DomainError OAUTH_PROVIDER_NOT_FOUND_OR_NOT_ENABLED, OAUTH_EXTRA_SCOPE_NOT_AVAILABLE_WITH_SHARED_OAUTH_KEYS,
 * OAUTH_PROVIDER_UNREACHABLE
 */
export async function beginOAuth(
  deps: WriteDeps,
  ctx: Context,
  { callbackUrl, ...beginning }: Beginning,
): Promise<CommandResult<{ location: string; state: string }>> {
  const keys = await keysForAuthorization(deps, ctx.projectId, beginning);
  const state = deps.sha256(deps.randomCode());
  const authorization = { redirectUri: callbackUrl, state, verifier: verifierFor(deps, ctx, state) };
  const location = await deps.oauthProviders.authorizationUrl(keys, authorization, beginning.extraScopes);
  const { position } = await issueCode(deps, ctx, {
    purpose: 'oauth_authorization_request',
    code: state,
    lifeMs: authorizationRequestLifeMs,
    ...payloadsOf(beginning),
  });
  return { location: location.href, state, position };
}

function payloadsOf(request: NewAuthorizationRequest) {
  const redirectUri = request.redirectUri.replace(/#.*$/s, '');
  return {
    payload: AuthorizationRequest.parse(request),
    encryptedPayload: OAuthAddresses.parse({ ...request, redirectUri }),
  };
}

/** @throws DomainError OAUTH_PROVIDER_NOT_FOUND_OR_NOT_ENABLED, OAUTH_EXTRA_SCOPE_NOT_AVAILABLE_WITH_SHARED_OAUTH_KEYS */
async function keysForAuthorization(
  deps: WriteDeps,
  projectId: string,
  { provider, extraScopes }: Pick<AuthorizationRequest, 'provider' | 'extraScopes'>,
): Promise<ProviderKeys> {
  const keys = await providerKeysOf(deps, projectId, provider);
  if (keys.type === 'shared' && extraScopes.length > 0) {
    reject('OAUTH_EXTRA_SCOPE_NOT_AVAILABLE_WITH_SHARED_OAUTH_KEYS');
  }
  return keys;
}

/** A flow that waits for its provider. `isExpired`: it has waited too long; don't finish it. */
export type OpenAuthorizationRequest = {
  projectId: string;
  state: string;
  flow: AuthorizationRequest;
  addresses: OAuthAddresses;
  isExpired: boolean;
};

/** @throws DomainError OAUTH_AUTHORIZATION_REQUEST_UNKNOWN, also for one that is over */
export async function findAuthorizationRequest(deps: WriteDeps, state: string): Promise<OpenAuthorizationRequest> {
  return { state, ...(await findOpen(deps, 'oauth_authorization_request', state)) };
}

async function findOpen(
  deps: WriteDeps,
  purpose: CodePurpose,
  text: string,
): Promise<Omit<OpenAuthorizationRequest, 'state'>> {
  const codeId = codeIdOf(deps, { projectId: '' }, purpose, text);
  const { state: code } = await readState(deps.store, codeDecider, streamOf.code(codeId));
  if (code.status === 'absent' || code.isUsed) return reject('OAUTH_AUTHORIZATION_REQUEST_UNKNOWN');
  const addresses = OAuthAddresses.safeParse(code.encryptedPayload);
  if (!addresses.success) return reject('OAUTH_AUTHORIZATION_REQUEST_UNKNOWN');
  return {
    projectId: code.projectId,
    flow: AuthorizationRequest.parse(code.payload),
    addresses: addresses.data,
    isExpired: Date.parse(code.expiresAt) <= Date.parse(deps.now()),
  };
}

type Answer = {
  open: OpenAuthorizationRequest;
  project: ProjectFacts;
  callbackUrl: string;
  /** What the provider sent, query and form together. */
  parameters: URLSearchParams;
};

/**
 * The provider has sent the browser back: identifies the account there, checks that it may sign in or be linked, and gives out a code
 * for the app (protocol, auth §8.3, §8.5). Of users and accounts nothing is written: this browser may have been sent here by
 * somebody else, and who redeems the code proves that the flow is theirs. The flow is over first, whatever comes of it: a state
 * works once.
 * @returns where to send the browser
 * @throws DomainError OAUTH_AUTHORIZATION_REQUEST_UNKNOWN, OAUTH_PROVIDER_NOT_FOUND_OR_NOT_ENABLED, REDIRECT_URL_NOT_WHITELISTED, those of
 * `OAuthProviders.identify` and of `settleAccount`
 */
export async function finishOAuth(
  deps: WriteDeps,
  ctx: Context,
  { open, project, callbackUrl, parameters }: Answer,
): Promise<CommandResult<{ location: string }>> {
  const { flow, addresses, state } = open;
  const { provider, purpose, codeChallenge, codeChallengeMethod } = flow;
  await useUp(deps, ctx, 'oauth_authorization_request', state);
  const keys = await providerKeysOf(deps, ctx.projectId, provider);
  const authorization = { redirectUri: callbackUrl, state, verifier: verifierFor(deps, ctx, state) };
  const { profile, tokens } = await deps.oauthProviders.identify(keys, authorization, parameters);
  if (!isTrustedUrl(addresses.redirectUri, project.config)) reject('REDIRECT_URL_NOT_WHITELISTED');

  const at = deps.now();
  const ids = { userId: deps.newId(), channelId: deps.newId() };
  const scopes = [...new Set([...deps.oauthProviders.baseScopes(provider), ...flow.extraScopes])];
  const kept = keys.type === 'shared' ? null : { tokens, scopes };
  const account = { provider, profile, kept };
  const { basis: user } = await untilSettled(() =>
    dryRun(deps, ctx, (work) => settleAccount(work, { project, account, purpose, ids, at })),
  );
  const text = Buffer.from(deps.sha256(deps.randomCode()), 'base64url').toString('hex');
  const payload: OAuthGrant = { purpose, provider, user, codeChallenge, codeChallengeMethod };
  const { redirectUri, afterCallbackRedirectUrl } = addresses;
  const encryptedPayload: OAuthIdentity = { redirectUri, afterCallbackRedirectUrl, profile, kept };
  // Under a key of its own, which is destroyed with the code's use, and with the address: the account may never become anybody's.
  const given = { purpose: 'oauth_code', code: text, lifeMs: codeLifeMs, payload, encryptedPayload } as const;
  const recipient = profile.email === null ? {} : { recipient: profile.email };
  const { position } = await issueCode(deps, ctx, { ...given, ...recipient });
  const location = new URL(addresses.redirectUri);
  location.searchParams.set('code', text);
  location.searchParams.set('state', addresses.state);
  return { location: location.href, position };
}

/** Of all who bring the code at once, one goes on. @throws DomainError OAUTH_AUTHORIZATION_REQUEST_UNKNOWN */
async function useUp(
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

const verifierFor = ({ lookupHash }: WriteDeps, { projectId }: Context, state: string) =>
  lookupHash('oauth verifier', projectId, state);
