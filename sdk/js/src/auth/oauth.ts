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

/** Sign-in at an OAuth provider, and linking of accounts (protocol, client §12.3, §12.4). */
export type OAuthClient = {
  /**
   * Redirects to the provider and never resolves. The provider's response arrives at the page `oauthCallback`.
   * @throws KnownError OAUTH_PROVIDER_NOT_FOUND_OR_NOT_ENABLED, OAUTH_EXTRA_SCOPE_NOT_AVAILABLE_WITH_SHARED_OAUTH_KEYS
   */
  signInWithOAuth(provider: string, options?: { returnTo?: string }): Promise<never>;
  /**
   * Like `signInWithOAuth`, but links the account to the signed-in user or extends its scopes. Returns to the page
   * where it was called.
   */
  linkWithOAuth(provider: string, options?: { scopes?: readonly string[] }): Promise<never>;
  /**
   * Redeems the code in the page's URL for a session; does not redirect. Returns null if the URL has no code, or if
   * this browser did not start the sign-in. Of concurrent calls, only the first gets the session.
   * @throws KnownError MULTI_FACTOR_AUTHENTICATION_REQUIRED, INVALID_AUTHORIZATION_CODE and other known errors
   */
  finishOAuth(): Promise<SignedIn | null>;
  /** Calls `finishOAuth`, then redirects to the return target. False if there was nothing to finish. */
  callOAuthCallback(): Promise<boolean>;
};

type Parts = {
  baseUrl: string;
  projectId: string;
  publishableClientKey?: string | undefined;
  network: Network;
  session: Session;
  send: Send;
  sendWithoutSession: Send;
  redirects: Redirects;
  /** By provider; requested at every sign-in and link. */
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
  /** The server compares this URL at the start and at the end, so it must be identical. */
  const redirectUri = (returnTo?: string): string => {
    const url = pageUrl('oauthCallback', returnTo);
    for (const name of ['code', 'state']) url.searchParams.delete(name);
    return url.href;
  };

  /** Uses POST before leaving the page, so that rejections are thrown here and no token is in a URL. */
  const redirectToProvider = async (
    sendRequest: Send,
    provider: string,
    scopes: readonly string[],
    extraFields: Record<string, string>,
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
      ...extraFields,
    };
    const path = `/auth/oauth/authorize/${encodeURIComponent(id)}`;
    const { location } = await sendRequest<{ location: string }>('POST', path, request);
    if (!/^https?:$/.test(new URL(location).protocol))
      throw new Error(`The server returned an invalid redirect URL: ${location}`);
    storeVerifier(page, state, verifier);
    page.assign(location);
    return new Promise(() => {});
  };

  /** Must stay synchronous, so that only one of several concurrent calls finds the verifier. */
  const takeAnswer = (page: OAuthPage) => {
    const here = new URL(page.href);
    const code = here.searchParams.get('code');
    const state = here.searchParams.get('state');
    if (!code || !state) return warnNothingToFinish('the URL has no authorization code');
    const verifier = takeVerifier(page, state);
    if (verifier === null) return warnNothingToFinish('this browser did not start it, or it has already been finished');
    const issuer = here.searchParams.get('iss');
    const error = here.searchParams.get('error');
    for (const name of ['code', 'state']) here.searchParams.delete(name);
    page.rewrite(here.href);
    return { code, verifier, issuer, error };
  };

  /** Linking returns a new session, so end the previous one, which nobody would use anymore. */
  const endPreviousSession = async (accessToken: string | undefined): Promise<void> => {
    const id = claimsOf(accessToken ?? '')?.refresh_token_id;
    if (typeof id !== 'string') return;
    try {
      await send('DELETE', `/auth/sessions/${encodeURIComponent(id)}?user_id=me`, {});
    } catch {
      // The account is linked, and the old session will expire.
    }
  };

  const finishOAuth = async (): Promise<SignedIn | null> => {
    const page = pageOf();
    const answer = takeAnswer(page);
    if (answer === null) return null;
    try {
      if (answer.error !== null) throw new Error(`the server returned the error ${answer.error}`);
      rejectOtherIssuer(answer.issuer, parts.baseUrl);
      const grant = await exchange(parts, { ...answer, redirectUri: redirectUri() });
      const back = grant.after_callback_redirect_url;
      if (!back) return adoptTokens(session, grant);
      const before = await session.tokens().catch(() => null);
      const signedIn = adoptTokens(session, grant);
      await endPreviousSession(before?.accessToken);
      return { ...signedIn, returnTo: toRelativeUrl(back, page.href) };
    } catch (error) {
      if (isKnownError(error)) throw error;
      throw new Error(texts.failed, { cause: error });
    }
  };

  return {
    signInWithOAuth: (provider, { returnTo } = {}) =>
      redirectToProvider(sendWithoutSession, provider, [], { type: 'authenticate' }, returnTo),
    linkWithOAuth: async (provider, { scopes = [] } = {}) => {
      const { href } = pageOf();
      // A second factor step loses `after_callback_redirect_url`, so the page's URL keeps the return target.
      const returnTo = relativePart(new URL(href));
      return redirectToProvider(send, provider, scopes, { type: 'link', after_callback_redirect_url: href }, returnTo);
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

/** Fixed text (protocol, client §18). */
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
    ...(publishableClientKey !== undefined && { client_secret: publishableClientKey }),
  });
  const response = await requestTokens(network, baseUrl, form);
  const known = await readKnownError(response);
  if (known) throw known;
  if (!response.ok) throw await toAnswerError(response);
  const answer = await readBody(response);
  if (!isGrant(answer))
    throw new AnswerError(response.url, response.status, 'the response to an authorization code has no tokens');
  return answer;
}

function isGrant(answer: unknown): answer is Grant {
  if (typeof answer !== 'object' || answer === null) return false;
  const { access_token, refresh_token } = answer as Partial<Record<keyof Grant, unknown>>;
  return [access_token, refresh_token].every((token) => typeof token === 'string' && token !== '');
}

function rejectOtherIssuer(issuer: string | null, baseUrl: string): void {
  if (issuer !== null && issuer !== baseUrl.replace(/\/$/, ''))
    throw new Error(`the response has the wrong issuer: ${issuer}`);
}

/** Redirects accept only relative URLs, but the server returns the absolute URL that it was given. */
function toRelativeUrl(url: string, here: string): string {
  const target = URL.canParse(url, here) ? new URL(url, here) : null;
  return target?.origin === new URL(here).origin ? relativePart(target) : url;
}

function warnNothingToFinish(reason: string): null {
  console.warn(`No sign-in to finish here: ${reason}.`);
  return null;
}
