import type { UrlName } from '../urls.ts';
import type { AppParts } from './app-parts.ts';

export type RedirectToOptions = {
  /** Replaces the current history entry. */
  replace?: boolean;
  /** Drops the return target. */
  noRedirectBack?: boolean;
};
type MethodName<Name extends UrlName> =
  `redirectTo${Name extends 'oauthCallback' ? 'OAuthCallback' : Capitalize<Name>}`;
/** Leave the page for a page of the app. */
export type RedirectMethods = {
  [Name in Exclude<UrlName, 'handler'> as MethodName<Name>]: (options?: RedirectToOptions) => Promise<void>;
} & {
  /** The navigation of the app's framework. */
  useNavigate(): (to: string) => void;
};

export function redirectMethods({ urls, redirects, options }: AppParts<unknown>): RedirectMethods {
  const { redirectMethod: method = 'none' } = options;
  const methods = Object.keys(urls).map((name) => [
    `redirectTo${name.replace(/^oauth/, 'oAuth').replace(/^./, (first) => first.toUpperCase())}`,
    (given?: RedirectToOptions) => redirects.to(name as UrlName, given),
  ]);
  const { redirectToHandler: _, ...toPages } = Object.fromEntries(methods);
  return {
    ...toPages,
    useNavigate: () => {
      if (typeof method === 'object') return method.useNavigate();
      return method === 'none' ? () => {} : (to: string) => location.assign(to);
    },
  };
}
