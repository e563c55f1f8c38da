import type { SignedIn } from './auth/parts.ts';
import { pause } from './network.ts';
import { isRelativeUrl, relativePart, type UrlName, type Urls } from './urls.ts';

/** `'window'` moves the page, `'none'` stays; an app with a router of its own gives its way of moving. */
export type RedirectMethod = 'window' | 'none' | { navigate: (url: string, options: { replace: boolean }) => void };
export type RedirectOptions = {
  /** Replaces the page in the history instead of adding to it. */
  replace?: boolean;
  /** Forgets where the person wanted to go. */
  noRedirectBack?: boolean;
  /** Off for pages that nobody wants back after signing in: then only a return target that they were given goes along. */
  returnsHere?: boolean;
};
export type Redirects = {
  /** Resolves after a pause, so that what stands behind it does not run on a page that is about to go. @throws Error for a target on another site */
  to(name: UrlName, options?: RedirectOptions): Promise<void>;
  toUrl(url: string, options?: { replace?: boolean }): Promise<void>;
  /** The address that `to` would lead to. @throws Error as `to` */
  target(name: UrlName, options?: Omit<RedirectOptions, 'replace'>): string;
  /** An absolute address for a mail: of this page's site, with the place to return to. */
  callbackUrl(name: UrlName): string;
};

/** The part of `location` that redirects need; tests put their own in place. */
export type PageLocation = Pick<Location, 'href' | 'assign' | 'replace'>;

export const returnParameter = 'after_auth_return_to';
const REST_MS = 2_000;

export function createRedirects(options: {
  urls: Urls;
  method?: RedirectMethod;
  location?: PageLocation;
  pause?: (ms: number) => Promise<void>;
}): Redirects {
  const { urls, method = 'window' } = options;
  const rest = options.pause ?? pause;
  const page = (): PageLocation => {
    const location = options.location ?? globalThis.location;
    if (!location) throw new Error('redirects need a browser; outside of one, addresses must be given');
    return location;
  };

  const target: Redirects['target'] = (name, { noRedirectBack = false, returnsHere = true } = {}) => {
    const here = new URL(page().href);
    const found = noRedirectBack ? urls[name] : targetOf(urls, name, here, returnsHere);
    if (!isRelativeUrl(found)) throw new Error(`${found} is not on this site, so that it is not followed`);
    return found;
  };

  const follow = async (url: string, replace: boolean): Promise<void> => {
    if (!isRelativeUrl(url)) throw new Error(`${url} is not on this site, so that it is not followed`);
    if (method === 'none') return;
    if (typeof method === 'object') method.navigate(url, { replace });
    else if (replace) page().replace(url);
    else page().assign(url);
    await rest(REST_MS);
  };

  return {
    target,
    to: async (name, { replace = false, ...given } = {}) => follow(target(name, given), replace),
    toUrl: async (url, { replace = false } = {}) => follow(url, replace),
    callbackUrl: (name) => {
      const here = new URL(page().href);
      const url = new URL(urls[name], here);
      const back = here.searchParams.get(returnParameter);
      if (back !== null) url.searchParams.set(returnParameter, back);
      url.hash = '';
      return url.href;
    },
  };
}

/** On from a sign-in to where the person wanted to go. @throws Error for a target on another site */
export function continueAfterSignIn(redirects: Redirects, { isNewUser, returnTo }: SignedIn): Promise<void> {
  if (returnTo !== undefined) return redirects.toUrl(returnTo, { replace: true });
  return redirects.to(isNewUser ? 'afterSignUp' : 'afterSignIn', { replace: true });
}

/** client.md §2.3 */
function targetOf(urls: Urls, name: UrlName, here: URL, returnsHere: boolean): string {
  const back = here.searchParams.get(returnParameter);
  if (name === 'afterSignIn' || name === 'afterSignUp') return back || urls[name];
  if (name !== 'signIn' && name !== 'signUp') return urls[name];
  const url = new URL(urls[name], here);
  if (back !== null) url.searchParams.set(returnParameter, back);
  else if (returnsHere && url.origin === here.origin) url.searchParams.set(returnParameter, relativePart(here));
  return relativePart(url);
}
