import { codeDecider } from '@gatebook/domain/code/decide';
import { OAuthAddresses, OAuthFlow, type OAuthGrant } from '@gatebook/domain/code/oauth';
import { refuse } from '@gatebook/domain/errors';
import { isTrustedUrl } from '@gatebook/domain/project/trusted-urls';
import { accountRefOf } from './claim.ts';
import { addCode, codeIdOf, issueCode, newCode } from './code.ts';
import type { ProjectFacts } from './code-mail.ts';
import { type Context, type Done, metadataOf, type WriteDeps } from './deps.ts';
import { readState, transact } from './execute.ts';
import { findUser } from './load-user.ts';
import { settleAccount, untilSettled } from './oauth-account.ts';
import type { ProviderKeys } from './oauth-providers.ts';
import { providerKeysOf } from './provider-keys.ts';
import { streamOf } from './streams.ts';

/** From the redirect to the provider until its answer (protocol, auth §8.1). */
const flowLifeMs = 10 * 60_000;
/** From the redirect to the app until it asks for its tokens (protocol, auth §8.1). */
const codeLifeMs = 5 * 60_000;

/** The app's part of the flow is over its own address; the provider's is over `callbackUrl`, one of ours. */
type Beginning = OAuthFlow & OAuthAddresses & { callbackUrl: string };

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
): Promise<Done<{ location: string; state: string }>> {
  const keys = await keysForVisit(deps, ctx.projectId, beginning);
  const state = deps.sha256(deps.randomCode());
  const visit = { redirectUri: callbackUrl, state, verifier: verifierFor(deps, ctx, state) };
  const location = await deps.oauthProviders.authorizationUrl(keys, visit, beginning.extraScopes);
  const redirectUri = beginning.redirectUri.replace(/#.*$/s, '');
  const { position } = await issueCode(deps, ctx, {
    purpose: 'oauth_flow',
    code: state,
    lifeMs: flowLifeMs,
    payload: OAuthFlow.parse(beginning),
    sealedPayload: OAuthAddresses.parse({ ...beginning, redirectUri }),
  });
  return { location: location.href, state, position };
}

/** @throws DomainError OAUTH_PROVIDER_NOT_FOUND_OR_NOT_ENABLED, OAUTH_EXTRA_SCOPE_NOT_AVAILABLE_WITH_SHARED_OAUTH_KEYS */
export async function keysForVisit(
  deps: WriteDeps,
  projectId: string,
  { provider, extraScopes }: Pick<OAuthFlow, 'provider' | 'extraScopes'>,
): Promise<ProviderKeys> {
  const keys = await providerKeysOf(deps, projectId, provider);
  if (keys.type === 'shared' && extraScopes.length > 0) {
    refuse('OAUTH_EXTRA_SCOPE_NOT_AVAILABLE_WITH_SHARED_OAUTH_KEYS');
  }
  return keys;
}

/** A flow that waits for its provider. `isExpired`: it has waited too long; don't finish it. */
export type OpenFlow = {
  projectId: string;
  state: string;
  flow: OAuthFlow;
  addresses: OAuthAddresses;
  isExpired: boolean;
};

/** @throws DomainError OAUTH_FLOW_UNKNOWN, also for one that is over */
export async function findOAuthFlow(deps: WriteDeps, state: string): Promise<OpenFlow> {
  const codeId = codeIdOf(deps, { projectId: '' }, 'oauth_flow', state);
  const { state: code } = await readState(deps.store, codeDecider, streamOf.code(codeId));
  if (code.status === 'absent' || code.isUsed) return refuse('OAUTH_FLOW_UNKNOWN');
  const addresses = OAuthAddresses.safeParse(code.sealedPayload);
  if (!addresses.success) return refuse('OAUTH_FLOW_UNKNOWN');
  return {
    projectId: code.projectId,
    state,
    flow: OAuthFlow.parse(code.payload),
    addresses: addresses.data,
    isExpired: Date.parse(code.expiresAt) <= Date.parse(deps.now()),
  };
}

type Answer = {
  open: OpenFlow;
  project: ProjectFacts;
  callbackUrl: string;
  /** What the provider sent, query and form together. */
  parameters: URLSearchParams;
};

/**
 * The provider has sent the browser back: finds, links or makes the user and gives out a code for the app
 * (protocol, auth §8.3, §8.5). The flow is over first, whatever comes of it: a state works once.
 * @returns where to send the browser
 * @throws DomainError OAUTH_FLOW_UNKNOWN, OAUTH_PROVIDER_NOT_FOUND_OR_NOT_ENABLED, those of
 * `OAuthProviders.identify`, USER_NOT_FOUND, USER_ALREADY_CONNECTED_TO_ANOTHER_OAUTH_CONNECTION, REDIRECT_URL_NOT_WHITELISTED,
 * OAUTH_CONNECTION_ALREADY_CONNECTED_TO_ANOTHER_USER, SIGN_UP_NOT_ENABLED, CONTACT_CHANNEL_ALREADY_USED_FOR_AUTH_BY_SOMEONE_ELSE
 */
export async function finishOAuth(
  deps: WriteDeps,
  ctx: Context,
  { open, project, callbackUrl, parameters }: Answer,
): Promise<Done<{ location: string }>> {
  const { flow, addresses, state } = open;
  const { provider } = flow;
  await endFlow(deps, ctx, state);
  const keys = await providerKeysOf(deps, ctx.projectId, provider);
  const visit = { redirectUri: callbackUrl, state, verifier: verifierFor(deps, ctx, state) };
  const { profile, tokens } = await deps.oauthProviders.identify(keys, visit, parameters);
  const accountRef = accountRefOf(deps, ctx.projectId, { provider, accountId: profile.accountId });
  if (flow.purpose.type === 'link') {
    const { oauthAccounts } = await findUser(deps, ctx, flow.purpose.userId);
    const hasAnother = oauthAccounts.some((other) => other.provider === provider && other.accountRef !== accountRef);
    if (hasAnother) refuse('USER_ALREADY_CONNECTED_TO_ANOTHER_OAUTH_CONNECTION');
  }
  if (!isTrustedUrl(addresses.redirectUri, project.config)) refuse('REDIRECT_URL_NOT_WHITELISTED');

  const at = deps.now();
  const ids = { userId: deps.newId(), channelId: deps.newId() };
  const text = Buffer.from(deps.sha256(deps.randomCode()), 'base64url').toString('hex');
  const scopes = [...new Set([...deps.oauthProviders.baseScopes(provider), ...flow.extraScopes])];
  const account = { provider, accountRef, profile, kept: keys.type === 'shared' ? null : { tokens, scopes } };
  const { position } = await untilSettled(() =>
    transact(deps.store, metadataOf(ctx, at), async (work) => {
      const settled = await settleAccount(deps, ctx, work, { project, account, purpose: flow.purpose, ids, at });
      const { codeChallenge, codeChallengeMethod } = flow;
      const { userId, userRevision, isNewUser } = settled;
      const payload: OAuthGrant = {
        ...{ userId, userRevision: Number(userRevision), isNewUser },
        ...{ codeChallenge, codeChallengeMethod },
      };
      const { redirectUri, afterCallbackRedirectUrl } = addresses;
      const sealedPayload = { redirectUri, afterCallbackRedirectUrl };
      const given = { purpose: 'oauth_code', code: text, lifeMs: codeLifeMs, subjectId: userId } as const;
      addCode(work, newCode(deps, ctx, { ...given, payload, sealedPayload }, at));
    }),
  );
  const location = new URL(addresses.redirectUri);
  location.searchParams.set('code', text);
  location.searchParams.set('state', addresses.state);
  return { location: location.href, position };
}

/** Of all who bring the state at once, one goes on. @throws DomainError OAUTH_FLOW_UNKNOWN */
async function endFlow(deps: WriteDeps, ctx: Context, state: string): Promise<void> {
  const at = deps.now();
  const { projectId } = ctx;
  const presented = { codeHash: deps.sha256(state), purpose: 'oauth_flow', projectId, at } as const;
  await transact(deps.store, metadataOf(ctx, at), async (work) => {
    const code = await work.load(codeDecider, streamOf.code(codeIdOf(deps, ctx, 'oauth_flow', state)));
    if (code.state.status === 'absent' || code.state.isUsed) refuse('OAUTH_FLOW_UNKNOWN');
    code.decide({ type: 'UseCode', presented });
  });
}

const verifierFor = ({ lookupHash }: WriteDeps, { projectId }: Context, state: string) =>
  lookupHash('oauth verifier', projectId, state);
