import { type ApiKeysClient, apiKeysClient } from './api-keys.ts';
import type { ClientAppInternals } from './app/internals.ts';
import { gatebookInternals } from './app/options.ts';
import type { Ceremonies } from './auth/ceremonies.ts';
import { type CliLoginClient, cliLoginClient } from './auth/cli-login.ts';
import { type OAuthClient, oauthClient } from './auth/oauth.ts';
import type { OAuthPage } from './auth/oauth-page.ts';
import { type AuthClient, authClient } from './auth.ts';
import { createGetConnectedAccount, type GetConnectedAccount } from './connected-accounts.ts';
import { type ContactChannelsClient, contactChannelsClient } from './contact-channels.ts';
import { type CurrentProjectClient, currentProjectClient } from './current-project.ts';
import { createGetUser, type GetUser } from './current-user.ts';
import { type MeClient, meClient } from './me.ts';
import { type Network, realNetwork } from './network.ts';
import type { OwnTeamsClient } from './own-teams.ts';
import { createRedirects, type PageLocation, type RedirectMethod, type Redirects } from './redirects.ts';
import { createRefreshGrant } from './refresh-grant.ts';
import { createSession, type Session } from './session.ts';
import { type SessionsClient, sessionsClient } from './sessions.ts';
import { type TeamInvitationsClient, teamInvitationsClient } from './team-invitations.ts';
import type { TokenStore } from './token-store/store.ts';
import { createExchange, createTransport, type Exchange, type Send } from './transport.ts';
import { resolveUrls, type Urls } from './urls.ts';

/** The client for an app's users. */
export type ClientApp = {
  projectId: string;
  urls: Urls;
  redirects: Redirects;
  session: Session;
  auth: AuthClient;
  oauth: OAuthClient;
  cliLogin: CliLoginClient;
  project: CurrentProjectClient;
  me: MeClient;
  /** `me` is the signed-in user; the same for the next two clients. */
  sessions: SessionsClient;
  contactChannels: ContactChannelsClient;
  apiKeys: ApiKeysClient;
  teamInvitations: TeamInvitationsClient;
  teams: OwnTeamsClient;
  getUser: GetUser;
  getConnectedAccount: GetConnectedAccount;
};

export type ConnectionOptions = {
  /** Origin of the API, without `/api/v1`. */
  baseUrl: string;
  projectId: string;
  /** Needed if the project rejects clients without a key. */
  publishableClientKey?: string | undefined;
  tokenStore: TokenStore;
  /** For each request and each refresh of the session. 5 by default, so a failure shows after about 15 s. */
  maxAttempts?: number;
  /** See `TransportOptions`. Set it for pages that should show an error instead of waiting for a minute. */
  longestWaitMs?: number;
  network?: Network;
};
export type ClientAppOptions = ConnectionOptions & {
  urls?: Partial<Urls>;
  redirectMethod?: RedirectMethod;
  location?: PageLocation;
  ceremonies?: Ceremonies;
  /** By provider; requested at every sign-in and whenever an account is linked. */
  oauthScopesOnSignIn?: Readonly<Record<string, readonly string[]>>;
  oauthPage?: OAuthPage;
};

export function createClientApp(options: ClientAppOptions): ClientApp {
  const { network = realNetwork, redirectMethod, location, ceremonies, oauthPage } = options;
  const { baseUrl, projectId, publishableClientKey } = options;
  const { session, send, sendWithoutSession, exchangeWithoutSession } = connect(options);
  const urls = resolveUrls(options.urls);
  const redirects = createRedirects({
    urls,
    pause: network.pause,
    ...(redirectMethod && { method: redirectMethod }),
    ...(location && { location }),
  });
  return clientOf({
    ...{ baseUrl, projectId, publishableClientKey, network, session, send, sendWithoutSession, exchangeWithoutSession },
    ...{ urls, redirects, ceremonies, scopesOnSignIn: options.oauthScopesOnSignIn ?? {} },
    ...(oauthPage && { page: oauthPage }),
  });
}

/** The functions over the session of an app. Changes through them refresh what the app's hooks show. */
export function clientOfApp(app: { readonly [gatebookInternals]: ClientAppInternals }): ClientApp {
  const { options, server, urls, redirects, connectionOf } = app[gatebookInternals];
  const { session, send, cache } = connectionOf();
  const { ceremonies, oauthPage } = options.parts ?? {};
  const refreshing =
    (sendRequest: Send): Send =>
    async <Answer>(...request: Parameters<Send>): Promise<Answer> => {
      const answer = await sendRequest<Answer>(...request);
      if (request[0] !== 'GET') void cache.refresh('');
      return answer;
    };
  const withoutSession = { ...server, accessType: 'client' as const };
  return clientOf({
    ...{ ...server, session, urls, redirects, ceremonies, scopesOnSignIn: options.oauthScopesOnSignIn ?? {} },
    send: refreshing(send),
    sendWithoutSession: refreshing(createTransport(withoutSession)),
    exchangeWithoutSession: createExchange(withoutSession),
    ...(oauthPage && { page: oauthPage }),
  });
}

type Parts = Parameters<typeof oauthClient>[0] & {
  urls: Urls;
  exchangeWithoutSession: Exchange;
  ceremonies?: Ceremonies | undefined;
};

function clientOf({ projectId, urls, exchangeWithoutSession, ceremonies, ...parts }: Parts): ClientApp {
  const { send, sendWithoutSession, session, redirects } = parts;
  const auth = authClient({ send, sendWithoutSession, session }, ceremonies);
  const oauth = oauthClient({ projectId, ...parts });
  const me = meClient(send);
  return {
    ...{ projectId, urls, redirects, session, auth, oauth, me },
    cliLogin: cliLoginClient(exchangeWithoutSession),
    project: currentProjectClient(send),
    sessions: sessionsClient(send),
    contactChannels: contactChannelsClient(send),
    apiKeys: apiKeysClient(send),
    teamInvitations: teamInvitationsClient(send),
    teams: loadedLate(async () => (await import('./own-teams.ts')).ownTeamsClient(send)),
    getUser: createGetUser({ me, session, auth, redirects }),
    getConnectedAccount: createGetConnectedAccount(send, oauth),
  };
}

/** A client whose code is loaded with the first call. It has no `then`, so that `await` returns it. */
const loadedLate = <Client extends object>(load: () => Promise<Client>): Client =>
  new Proxy({} as Client, {
    get: (_, name) =>
      name === 'then'
        ? undefined
        : async (...args: unknown[]) => {
            const loaded: object = await load();
            return Reflect.get(loaded, name)(...args);
          },
  });

/** Client access to one project, with and without the session's tokens. */
export function connect(options: ConnectionOptions) {
  const { baseUrl, projectId, publishableClientKey, tokenStore, maxAttempts, network = realNetwork } = options;
  const session: Session = createSession(
    tokenStore,
    createRefreshGrant({ baseUrl, projectId, publishableClientKey, maxAttempts, network }),
    network.now,
  );
  const withoutSession = {
    baseUrl,
    projectId,
    publishableClientKey,
    network,
    accessType: 'client' as const,
    ...(maxAttempts !== undefined && { maxAttempts }),
    ...(options.longestWaitMs !== undefined && { longestWaitMs: options.longestWaitMs }),
  };
  const send: Send = createTransport({ ...withoutSession, session });
  return {
    session,
    send,
    sendWithoutSession: createTransport(withoutSession),
    exchangeWithoutSession: createExchange(withoutSession),
  };
}
