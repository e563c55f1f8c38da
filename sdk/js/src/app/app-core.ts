import { createRedirects, type RedirectMethod as Navigation, type Redirects } from '../redirects.ts';
import { createTransport, type Send } from '../transport.ts';
import { resolveUrls, type UrlName, type Urls } from '../urls.ts';
import type { TokenStoreOption } from './auth-methods.ts';
import { type Connection, createConnections, type Server } from './connection.ts';
import { isBrowser } from './environment.ts';
import { type GatebookClientAppOptions, type RedirectMethod, serverOf, urlsOf } from './options.ts';
import type { Context, UseResource } from './reads.ts';

/** The connections and the pages of an app. */
export type AppCore = {
  options: GatebookClientAppOptions;
  server: Server;
  urls: Urls;
  redirects: Redirects;
  canRedirect: boolean;
  useResource: UseResource | undefined;
  sendWithoutSession: Send;
  /** For what is the same for everyone. */
  publicConnection: Connection;
  /** The app's own session. @throws Error if there is no token store */
  own(): Connection;
  /** The session of a call. */
  connectionOf(call?: TokenStoreOption): Connection;
  contextOf(connection: Connection): Context;
  callbackUrl(entry: UrlName, given?: string): string;
};

export function createAppCore(options: GatebookClientAppOptions, ownerSession?: Server['ownerSession']): AppCore {
  const server: Server = { ...serverOf(options), ...(ownerSession && { ownerSession }) };
  const { tokenStore = null, parts = {}, useResource, redirectMethod = 'none' } = options;
  const urls = resolveUrls(urlsOf(options.urls));
  const redirects = createRedirects({
    urls,
    pause: server.network.pause,
    method: toNavigation(redirectMethod),
    ...(parts.location && { location: parts.location }),
  });
  const open = createConnections(server);
  const connectionOf = (call?: TokenStoreOption): Connection => {
    const init = call?.tokenStore ?? tokenStore;
    if (init === null) throw new Error('This needs a session: pass a tokenStore to the app or to the call.');
    return open(init);
  };
  const callbackUrl = (entry: UrlName, url?: string) => url ?? redirects.callbackUrl(entry);
  return {
    ...{ options, server, urls, redirects, useResource, connectionOf, callbackUrl },
    canRedirect: isBrowser() && redirectMethod !== 'none',
    sendWithoutSession: createTransport({ ...server, accessType: 'client' }),
    publicConnection: open({ refreshToken: null }),
    own: () => connectionOf(),
    contextOf: ({ send, cache }) => ({ send, cache, useResource, callbackUrl }),
  };
}

function toNavigation(method: RedirectMethod): Navigation {
  if (typeof method === 'object') return method.navigate ? { navigate: method.navigate } : 'window';
  return method === 'nextjs' ? 'window' : method;
}
