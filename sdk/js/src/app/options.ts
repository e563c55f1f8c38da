import type { Ceremonies } from '../auth/ceremonies.ts';
import type { OAuthPage } from '../auth/oauth-page.ts';
import { type Network, realNetwork } from '../network.ts';
import type { PageLocation } from '../redirects.ts';
import type { UrlName, Urls } from '../urls.ts';
import type { Server } from './connection.ts';
import { environment, isBrowser } from './environment.ts';
import type { UseResource } from './reads.ts';
import type { TokenStoreInit } from './token-stores.ts';

/** How an app leaves a page; `none` leaves that to the app. */
export type RedirectMethod =
  | 'window'
  | 'nextjs'
  | 'none'
  | { useNavigate: () => (to: string) => void; navigate?: (to: string) => void };
/** A URL, or the page in the place of the handler. */
export type UrlTarget = string | { type: 'custom'; url: string; version?: number } | { type: 'handler-component' };

export type GatebookClientAppOptions = {
  /** Origin of the API, without `/api/v1`. */
  baseUrl?: string | { browser: string; server: string };
  projectId?: string;
  /** Optional where the project allows clients without a key. */
  publishableClientKey?: string;
  tokenStore?: TokenStoreInit;
  urls?: Partial<Record<UrlName, UrlTarget>>;
  redirectMethod?: RedirectMethod;
  /** By provider; requested at every sign-in and whenever an account is linked. */
  oauthScopesOnSignIn?: Readonly<Record<string, readonly string[]>>;
  /** Sent with every request, by browsers too if the app is handed to them: keep secrets out. */
  extraRequestHeaders?: Readonly<Record<string, string>>;
  /** An app whose options apply where there are none here. */
  inheritsFrom?: { [gatebookInternals]: { options: GatebookClientAppOptions } };
  /** Identifies the app when it is handed from a server to a browser. */
  uniqueIdentifier?: string;
  /** Set by layers for frameworks with hooks. */
  useResource?: UseResource;
  /** Replaced in tests. */
  parts?: { network?: Network; location?: PageLocation; ceremonies?: Ceremonies; oauthPage?: OAuthPage };
  /** Accepted for compatibility; without effect, as are the next two. */
  noAutomaticPrefetch?: boolean;
  devTool?: boolean;
  analytics?: object;
};

/** The property of apps that frameworks' layers use. */
export const gatebookInternals: unique symbol = Symbol.for('gatebook.internals');

/** With the options of the app that it inherits from. */
export function withInherited<Options extends GatebookClientAppOptions>({
  inheritsFrom,
  ...options
}: Options): Options {
  const own = Object.fromEntries(Object.entries(options).filter(([, value]) => value !== undefined));
  return { ...inheritsFrom?.[gatebookInternals].options, ...own } as Options;
}

/** @throws Error if neither the options nor the environment say it */
export function required(name: string, variable: string, value: string | undefined): string {
  if (value) return value;
  throw new Error(`Pass ${name}, or set the environment variable ${variable}.`);
}

export function serverOf(options: GatebookClientAppOptions): Server {
  const { baseUrl, parts } = options;
  const given = typeof baseUrl === 'object' ? baseUrl[isBrowser() ? 'browser' : 'server'] : baseUrl;
  const headers = environment.extraRequestHeaders();
  return {
    baseUrl: required('baseUrl', 'NEXT_PUBLIC_GATEBOOK_API_URL', given || environment.baseUrl()).replace(/\/$/, ''),
    projectId: required('projectId', 'NEXT_PUBLIC_GATEBOOK_PROJECT_ID', options.projectId || environment.projectId()),
    publishableClientKey: options.publishableClientKey || environment.publishableClientKey(),
    extraHeaders: options.extraRequestHeaders ?? (headers === undefined ? {} : JSON.parse(headers)),
    network: parts?.network ?? realNetwork,
  };
}

/** The URLs of an app's pages; undefined where the default holds. */
export function urlsOf(urls: GatebookClientAppOptions['urls'] = {}): Partial<Urls> {
  const { default: _, ...pages } = urls as Record<string, UrlTarget | undefined>;
  const toUrl = (target: UrlTarget | undefined) => {
    if (typeof target !== 'object') return target;
    return target.type === 'custom' ? target.url : undefined;
  };
  return Object.fromEntries(Object.entries(pages).map(([name, target]) => [name, toUrl(target)]));
}
