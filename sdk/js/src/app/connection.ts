import type { Network } from '../network.ts';
import { createRefreshGrant } from '../refresh-grant.ts';
import { createSession, type Session } from '../session.ts';
import { createTransport, type Send, type TransportOptions } from '../transport.ts';
import { type Cache, createCache } from './cache.ts';
import { openTokenStore, type TokenStoreInit } from './token-stores.ts';

/** What an app knows about its server. */
export type Server = {
  baseUrl: string;
  projectId: string;
  publishableClientKey?: string | undefined;
  extraHeaders: Readonly<Record<string, string>>;
  network: Network;
  /** The session of an owner, in place of keys. */
  ownerSession?: TransportOptions['ownerSession'];
};

/** The requests and reads of one session. */
export type Connection = { session: Session; send: Send; cache: Cache };

/** Opens one connection per token store. */
export function createConnections(server: Server): (init: Exclude<TokenStoreInit, null>) => Connection {
  const byName = new Map<unknown, Connection>();
  const byObject = new WeakMap<object, Connection>();
  const refresh = server.ownerSession
    ? async () => {
        throw new Error('Users of an app with an owner session need a publishable client key.');
      }
    : createRefreshGrant(server);
  return (init) => {
    const known = typeof init === 'object' ? byObject.get(init) : byName.get(init);
    if (known) return known;
    const session = createSession(openTokenStore(init, server.projectId), refresh, server.network.now);
    const cache = createCache(server.network.pause, server.network.now);
    session.subscribe(() => void cache.refresh(''));
    const connection = { session, cache, send: createTransport({ ...server, accessType: 'client', session }) };
    if (typeof init === 'object') byObject.set(init, connection);
    else byName.set(init, connection);
    return connection;
  };
}
