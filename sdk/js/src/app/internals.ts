import type { Redirects } from '../redirects.ts';
import type { Urls } from '../urls.ts';
import type { AppParts } from './app-parts.ts';
import type { TokenStoreOption } from './auth-methods.ts';
import type { Resource } from './cache.ts';
import type { Connection, Server } from './connection.ts';
import { environment } from './environment.ts';
import { type GatebookClientAppOptions, gatebookInternals } from './options.ts';
import type { UserLookup } from './user-lookup.ts';

/** What layers for frameworks use. */
export type ClientAppInternals = {
  options: GatebookClientAppOptions;
  /** Without secret keys. */
  server: Server;
  urls: Urls;
  redirects: Redirects;
  connectionOf(options?: TokenStoreOption): Connection;
  /** The user of a session, anonymous and restricted ones too. */
  currentUser(options?: TokenStoreOption): Resource<unknown>;
  actWithoutUser: UserLookup<unknown>['actWithoutUser'];
  /** To hand the app from a server to a browser. Without secret keys and the URL for servers. */
  toClientJson(): ClientAppJson;
};
export type ClientAppJson = Omit<GatebookClientAppOptions, 'baseUrl' | 'inheritsFrom' | 'parts' | 'useResource'> & {
  /** The one for browsers. */
  baseUrl: string;
  uniqueIdentifier: string;
};
type App = { readonly [gatebookInternals]: ClientAppInternals };

/** By unique identifier. */
const apps = new Map<string, App>();

const owners = new WeakMap<ClientAppInternals, App>();

/** @throws Error if another app has the identifier */
export function registerApp(app: App): void {
  const internals = app[gatebookInternals];
  owners.set(internals, app);
  const { uniqueIdentifier } = internals.options;
  if (uniqueIdentifier === undefined) return;
  if (apps.has(uniqueIdentifier)) throw new Error(`There is already an app with the identifier ${uniqueIdentifier}.`);
  apps.set(uniqueIdentifier, app);
}

/** The app with the identifier, or a new one. @throws Error if that app has other options */
export function appFromJson<Found extends App>(json: ClientAppJson, create: (json: ClientAppJson) => Found): Found {
  const known = apps.get(json.uniqueIdentifier);
  if (!known) return create(json);
  if (JSON.stringify(known[gatebookInternals].toClientJson()) !== JSON.stringify(json)) {
    throw new Error(`The app ${json.uniqueIdentifier} has other options.`);
  }
  return known as Found;
}

export function internalsOf<User>(parts: AppParts<User>): ClientAppInternals {
  const { options, server, urls, redirects, connectionOf, currentUser, actWithoutUser } = parts;
  let identifier = options.uniqueIdentifier;
  const internals: ClientAppInternals = {
    ...{ options, server, urls, redirects, connectionOf, actWithoutUser },
    currentUser: (call) => currentUser(connectionOf(call)).resource(),
    toClientJson: () => {
      const { tokenStore, oauthScopesOnSignIn, redirectMethod } = options;
      const isNamed = typeof redirectMethod !== 'object' && (typeof tokenStore !== 'object' || tokenStore === null);
      if (server.ownerSession || !isNamed) {
        throw new Error('Only an app with names as redirectMethod and tokenStore becomes JSON.');
      }
      // Generated late: some hosts forbid randomness while modules are loaded.
      if (identifier === undefined) {
        identifier = crypto.randomUUID();
        apps.set(identifier, owners.get(internals) ?? { [gatebookInternals]: internals });
      }
      const { baseUrl: given } = options;
      const browserUrl = typeof given === 'object' ? given.browser : given;
      const baseUrl = browserUrl || environment.browserUrl() || server.baseUrl;
      return {
        ...{ baseUrl, projectId: server.projectId, uniqueIdentifier: identifier },
        ...(server.publishableClientKey !== undefined && { publishableClientKey: server.publishableClientKey }),
        ...(tokenStore !== undefined && { tokenStore }),
        ...(options.urls && { urls: options.urls }),
        ...(oauthScopesOnSignIn && { oauthScopesOnSignIn }),
        ...(redirectMethod && { redirectMethod }),
        extraRequestHeaders: server.extraHeaders,
      };
    },
  };
  return internals;
}
