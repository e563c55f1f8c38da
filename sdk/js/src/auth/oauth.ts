import { readBody, readKnownError, toAnswerError } from '../answer.ts';
import { AnswerError, isKnownError } from '../errors.ts';
import type { Network } from '../network.ts';
import { continueAfterSignIn, type Redirects, returnParameter } from '../redirects.ts';
import { requestTokens } from '../refresh-grant.ts';
import { claimsOf, type Session } from '../session.ts';
import type { Send } from '../transport.ts';
import { relativePart } from '../urls.ts';
import { browserPage, type OAuthPage, storeVerifier, takeVerifier } from './oauth-page.ts';
import { adoptTokens, type SignedIn } from './parts.ts';
import { challengeOf, randomText } from './pkce.ts';

/** Signing in at a provider, and linking what one has there (client.md §12.3, §12.4). */
export type OAuthClient = {
  /**
   * Leaves for the provider and never returns: the answer comes to the page `oauthCallback`.
   * @throws KnownError OAUTH_PROVIDER_NOT_FOUND_OR_NOT_ENABLED, OAUTH_EXTRA_SCOPE_NOT_AVAILABLE_WITH_SHARED_OAUTH_KEYS
   */
  signInWithOAuth(provider: string): Promise<never>;
  /**
   * As `signInWithOAuth`, for an account that the signed-in user shall have beside what they have, or for more scopes of one. Comes
   * back to the page where it began.
   */
  linkWithOAuth(provider: string, options?: { scopes?: readonly string[] }): Promise<never>;
  /**
   * Takes the answer out of the page's address, and the session for it; moves no page. Null where the address holds none, or none
   * that this browser waits for; so of calls at the same time one alone gets it.
   * @throws KnownError MULTI_FACTOR_AUTHENTICATION_REQUIRED, INVALID_AUTHORIZATION_CODE and whatever else the server rejects by name
   */
  finishOAuth(): Promise<SignedIn | null>;
  /** `finishOAuth`, and on to where the person wanted to go. False: there was nothing to finish. */
  callOAuthCallback(): Promise<boolean>;
};

type Parts = {
  baseUrl: string;
  projectId: string;
  publishableClientKey: string;
  network: Network;
  session: Session;
  send: Send;
  sendWithoutSession: Send;
  redirects: Redirects;
  /** By provider, asked for at every sign-in and link. */
  scopesOnSignIn: Readonly<Record<string, readonly string[]>>;
  page?: OAuthPage;
};
type Grant = {
  access_token: string;
  refresh_token: string;
  is_new_user?: boolean;
  after_callback_redirect_url?: string | null;
};

export function oauthClient(parts: Parts): OAuthClient {
  const { send, sendWithoutSession, session, redirects, scopesOnSignIn } = parts;
  const pageOf = (): OAuthPage => parts.page ?? browserPage();

  const pageUrl = (name: 'oauthCallback' | 'error', returnTo?: string): URL => {
    const url = new URL(redirects.callbackUrl(name));
    if (returnTo !== undefined) url.searchParams.set(returnParameter, returnTo);
    return url;
  };
  /** The same text at the start and at the end, which the server compares. */
  const redirectUri = (returnTo?: string): string => {
    const url = pageUrl('oauthCallback', returnTo);
    for (const name of ['code', 'state']) url.searchParams.delete(name);
    return url.href;
  };

  /** The request goes by POST, before the page is left: a rejection is an error here, and no token is in an address. */
  const leave = async (
    ask: Send,
    provider: string,
    scopes: readonly string[],
    more: Record<string, string>,
    returnTo?: string,
  ): Promise<never> => {
    const page = pageOf();
    const state = randomText();
    const verifier = randomText();
    const id = provider.toLowerCase();
    const providerScope = [...new Set([...scopes, ...(scopesOnSignIn[id] ?? [])])].join(' ');
    const request = {
      redirect_uri: redirectUri(returnTo),
      state,
      code_challenge: await challengeOf(verifier),
      code_challenge_method: 'S256',
      error_redirect_uri: pageUrl('error', returnTo).href,
      ...(providerScope !== '' && { provider_scope: providerScope }),
      ...more,
    };
    const path = `/auth/oauth/authorize/${encodeURIComponent(id)}`;
    const { location } = await ask<{ location: string }>('POST', path, request);
    if (!/^https?:$/.test(new URL(location).protocol))
      throw new Error(`the server wants the page to go to ${location}`);
    storeVerifier(page, state, verifier);
    page.assign(location);
    return new Promise(() => {});
  };

  /** As far as the first `await` nothing else runs, so that of several calls one alone finds the verifier. */
  const takeAnswer = (page: OAuthPage) => {
    const here = new URL(page.href);
    const code = here.searchParams.get('code');
    const state = here.searchParams.get('state');
    if (!code || !state) return quietly('the address holds no answer of a provider');
    const verifier = takeVerifier(page, state);
    if (verifier === null) return quietly('this browser waits for no answer of this state, or for none any more');
    const issuer = here.searchParams.get('iss');
    const error = here.searchParams.get('error');
    for (const name of ['code', 'state']) here.searchParams.delete(name);
    page.rewrite(here.href);
    return { code, verifier, issuer, error };
  };

  /** Linking answers with a session of its own: the one that asked for it would stay, used by nobody. */
  const endReplaced = async (accessToken: string | undefined): Promise<void> => {
    const id = claimsOf(accessToken ?? '')?.refresh_token_id;
    if (typeof id !== 'string') return;
    try {
      await send('DELETE', `/auth/sessions/${encodeURIComponent(id)}?user_id=me`, {});
    } catch {
      // It ends by itself some day; the account is linked.
    }
  };

  const finishOAuth = async (): Promise<SignedIn | null> => {
    const page = pageOf();
    const answer = takeAnswer(page);
    if (answer === null) return null;
    try {
      if (answer.error !== null) throw new Error(`the server answered ${answer.error}`);
      rejectOtherIssuer(answer.issuer, parts.baseUrl);
      const grant = await exchange(parts, { ...answer, redirectUri: redirectUri() });
      const back = grant.after_callback_redirect_url;
      if (!back) return adoptTokens(session, grant);
      const before = await session.tokens().catch(() => null);
      const signedIn = adoptTokens(session, grant);
      await endReplaced(before?.accessToken);
      return { ...signedIn, returnTo: withoutOwnOrigin(back, page.href) };
    } catch (error) {
      if (isKnownError(error)) throw error;
      throw new Error(texts.failed, { cause: error });
    }
  };

  return {
    signInWithOAuth: (provider) => leave(sendWithoutSession, provider, [], { type: 'authenticate' }),
    linkWithOAuth: async (provider, { scopes = [] } = {}) => {
      const { href } = pageOf();
      // The second factor, where one is asked for, forgets the way back; the page's own address keeps it.
      const returnTo = relativePart(new URL(href));
      return leave(send, provider, scopes, { type: 'link', after_callback_redirect_url: href }, returnTo);
    },
    finishOAuth,
    callOAuthCallback: async () => {
      const signedIn = await finishOAuth();
      if (signedIn === null) return false;
      await continueAfterSignIn(redirects, signedIn);
      return true;
    },
  };
}

/** Fixed by the specification (client.md §18). */
const texts = { failed: 'Error signing in during OAuth callback. Please try again.' };

async function exchange(
  { network, baseUrl, projectId, publishableClientKey }: Parts,
  { code, verifier, redirectUri }: { code: string; verifier: string; redirectUri: string },
): Promise<Grant> {
  const form = new URLSearchParams({
    grant_type: 'authorization_code',
    code,
    redirect_uri: redirectUri,
    code_verifier: verifier,
    client_id: projectId,
    client_secret: publishableClientKey,
  });
  const response = await requestTokens(network, baseUrl, form);
  const known = await readKnownError(response);
  if (known) throw known;
  if (!response.ok) throw await toAnswerError(response);
  const answer = await readBody(response);
  if (!isGrant(answer)) throw new AnswerError(response.url, response.status, 'an answer to a code without tokens');
  return answer;
}

function isGrant(answer: unknown): answer is Grant {
  if (typeof answer !== 'object' || answer === null) return false;
  const { access_token, refresh_token } = answer as Partial<Record<keyof Grant, unknown>>;
  return [access_token, refresh_token].every((token) => typeof token === 'string' && token !== '');
}

function rejectOtherIssuer(issuer: string | null, baseUrl: string): void {
  if (issuer !== null && issuer !== baseUrl.replace(/\/$/, ''))
    throw new Error(`the answer names the issuer ${issuer}`);
}

/** Redirects stay on the site and take relative addresses; the server hands back the whole one that it was given. */
function withoutOwnOrigin(url: string, here: string): string {
  const target = URL.canParse(url, here) ? new URL(url, here) : null;
  return target?.origin === new URL(here).origin ? relativePart(target) : url;
}

function quietly(reason: string): null {
  console.warn(`No sign-in to finish here: ${reason}.`);
  return null;
}
