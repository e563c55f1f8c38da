import { once } from 'node:events';
import { type AddressInfo, connect, createServer, type Socket } from 'node:net';
import { countFault } from './injected-faults.ts';

export type FaultyLink = {
  /** The connection string through this link. */
  url: string;
  /** Breaks all connections. */
  cut(): void;
  /** Breaks all connections and rejects new ones until `repair` or `forwardTo`. */
  sever(): void;
  /** Forwards nothing more on all connections, open and new, and closes none: a network that drops all packets. */
  silence(): void;
  /** Accepts and forwards new connections again. Silent ones stay silent. */
  repair(): void;
  /** Forwards new connections to another server, such as the same one after a restart on another port. */
  forwardTo(serverUrl: string): void;
  /** Breaks one connection when the server has sent this many more bytes over all connections. */
  cutAfter(bytes: number): void;
  /** The number of broken connections. */
  cuts(): number;
  close(): Promise<void>;
};

/**
 * A TCP proxy between a client and the server of a connection string that can break connections. Its own address never
 * changes.
 */
export async function createFaultyLink(serverUrl: string): Promise<FaultyLink> {
  let target = new URL(serverUrl);
  const pairs = new Set<readonly [Socket, Socket]>();
  let isSevered = false;
  let isSilent = false;
  const silent = new WeakSet<readonly [Socket, Socket]>();
  let bytesLeft = Number.POSITIVE_INFINITY;
  let cuts = 0;

  function breakPair(pair: readonly [Socket, Socket]): void {
    if (!pairs.delete(pair)) return;
    cuts += 1;
    countFault();
    for (const socket of pair) socket.resetAndDestroy();
  }

  const cut = () => {
    for (const pair of pairs) breakPair(pair);
  };

  const server = createServer({ allowHalfOpen: true }, (client) => {
    if (isSevered) {
      client.resetAndDestroy();
      return;
    }
    const upstream = connect({ port: Number(target.port || 5432), host: target.hostname, allowHalfOpen: true });
    const pair = [client, upstream] as const;
    pairs.add(pair);
    if (isSilent) silent.add(pair);
    client.on('data', (chunk) => {
      if (!silent.has(pair)) upstream.write(chunk);
    });
    upstream.on('data', (chunk: Buffer) => {
      if (silent.has(pair)) return;
      bytesLeft -= chunk.length;
      if (bytesLeft > 0) {
        client.write(chunk);
        return;
      }
      const rest = chunk.length + bytesLeft;
      bytesLeft = Number.POSITIVE_INFINITY;
      // The client gets the first part and never the rest.
      client.write(chunk.subarray(0, rest), () => breakPair(pair));
    });
    for (const [socket, other] of [pair, pair.toReversed() as [Socket, Socket]]) {
      socket.on('error', () => undefined);
      socket.on('end', () => {
        if (!silent.has(pair)) socket.end();
      });
      socket.on('close', () => {
        pairs.delete(pair);
        other.destroy();
      });
    }
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const url = new URL(serverUrl);
  url.hostname = '127.0.0.1';
  url.port = String((server.address() as AddressInfo).port);

  return {
    url: url.href,
    cut,
    sever: () => {
      isSevered = true;
      cut();
    },
    silence: () => {
      isSilent = true;
      for (const pair of pairs) silent.add(pair);
      countFault();
    },
    repair: () => {
      isSevered = false;
      isSilent = false;
    },
    forwardTo: (otherUrl) => {
      target = new URL(otherUrl);
      isSevered = false;
    },
    cutAfter: (bytes) => {
      bytesLeft = bytes;
    },
    cuts: () => cuts,
    close: async () => {
      isSevered = true;
      cut();
      server.close();
      await once(server, 'close');
    },
  };
}
