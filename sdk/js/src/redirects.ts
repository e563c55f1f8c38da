import type { SignedIn } from './auth/parts.ts';
import { pause } from './network.ts';
import { isRelativeUrl, relativePart, type UrlName, type Urls } from './urls.ts';

/** `'window'` navigates, `'none'` does nothing; an app with a router passes a `navigate` function. */
export type RedirectMethod = 'window' | 'none' | { navigate: (url: string, options: { replace: boolean }) => void };
export type RedirectOptions = {
  /** Replaces the current history entry. */
  replace?: boolean;
  /** Drops the return target. */
  noRedirectBack?: boolean;
  /** If false, the current page is not used as the return target; an existing target is kept. */
  returnsHere?: boolean;
};
export type Redirects = {
  /**
   * Resolves after a pause, so that code after it does not run on a page that is about to unload.
   * @throws Error for a target on another site
   */
  to(name: UrlName, options?: RedirectOptions): Promise<void>;
  toUrl(url: string, options?: { replace?: boolean }): Promise<void>;
  /** The URL that `to` redirects to. @throws Error as `to` */
  target(name: UrlName, options?: Omit<RedirectOptions, 'replace'>): string;
  /** An absolute URL on this site for use in emails, with the return target. */
  callbackUrl(name: UrlName): string;
};

/** The part of `location` that redirects use; replaced in tests. */
export type PageLocation = Pick<Location, 'href' | 'assign' | 'replace'>;

export const returnParameter = 'after_auth_return_to';
const PAUSE_MS = 2_000;

export function createRedirects(options: {
  urls: Urls;
  method?: RedirectMethod;
  location?: PageLocation;
  pause?: (ms: number) => Promise<void>;
}): Redirects {
  const { urls, method = 'window' } = options;
  const wait = options.pause ?? pause;
  const page = (needsBrowser = 'Redirects need a browser. Outside a browser, pass a location.'): PageLocation => {
    const location = options.location ?? globalThis.location;
    if (!location) throw new Error(needsBrowser);
    return location;
  };

  const target: Redirects['target'] = (name, { noRedirectBack = false, returnsHere = true } = {}) => {
    const location = options.location ?? globalThis.location;
    // On a server there is no current page to return to.
    const found = noRedirectBack || !location ? urls[name] : targetOf(urls, name, new URL(location.href), returnsHere);
    if (!isRelativeUrl(found)) throw new Error(`${found} is not on this site. The redirect was blocked.`);
    return found;
  };

  const follow = async (url: string, replace: boolean): Promise<void> => {
    if (!isRelativeUrl(url)) throw new Error(`${url} is not on this site. The redirect was blocked.`);
    if (method === 'none') return;
    if (typeof method === 'object') method.navigate(url, { replace });
    else if (replace) page().replace(url);
    else page().assign(url);
    await wait(PAUSE_MS);
  };

  return {
    target,
    to: async (name, { replace = false, ...given } = {}) => follow(target(name, given), replace),
    toUrl: async (url, { replace = false } = {}) => follow(url, replace),
    callbackUrl: (name) => {
      const here = new URL(page(`Outside a browser, pass the callback URL (${name}).`).href);
      const url = new URL(urls[name], here);
      const back = here.searchParams.get(returnParameter);
      if (back !== null) url.searchParams.set(returnParameter, back);
      url.hash = '';
      return url.href;
    },
  };
}

/** Redirects to the return target after a sign-in. @throws Error for a target on another site */
export function continueAfterSignIn(redirects: Redirects, { isNewUser, returnTo }: SignedIn): Promise<void> {
  if (returnTo !== undefined) return redirects.toUrl(returnTo, { replace: true });
  return redirects.to(isNewUser ? 'afterSignUp' : 'afterSignIn', { replace: true });
}

/** (protocol, client §2.3) */
function targetOf(urls: Urls, name: UrlName, here: URL, returnsHere: boolean): string {
  const back = here.searchParams.get(returnParameter);
  if (name === 'afterSignIn' || name === 'afterSignUp') return back || urls[name];
  const isSignIn = name === 'signIn' || name === 'signUp';
  if (!isSignIn && name !== 'mfa') return urls[name];
  const url = new URL(urls[name], here);
  if (back !== null) url.searchParams.set(returnParameter, back);
  else if (isSignIn && returnsHere && url.origin === here.origin)
    url.searchParams.set(returnParameter, relativePart(here));
  return relativePart(url);
}
