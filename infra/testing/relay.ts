import { once } from 'node:events';
import { type AddressInfo, connect, createServer, type Socket } from 'node:net';

export type Relay = {
  url: string;
  connections(): number;
  /** Cuts every connection. */
  cut(): void;
  close(): Promise<void>;
};

/** One address for a server that changes its port: connections go to the URL that `target` returns. */
export async function startRelay(target: () => string): Promise<Relay> {
  const open = new Set<Socket>();
  const server = createServer((incoming) => {
    const { hostname, port } = new URL(target());
    const outgoing = connect({ host: hostname, port: Number(port) });
    for (const [socket, other] of [
      [incoming, outgoing],
      [outgoing, incoming],
    ] as const) {
      open.add(socket);
      socket.on('error', () => undefined);
      socket.once('close', () => {
        open.delete(socket);
        other.destroy();
      });
      socket.pipe(other);
    }
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  const cut = () => {
    for (const socket of open) socket.resetAndDestroy();
  };
  return {
    url: `http://127.0.0.1:${port}`,
    connections: () => open.size / 2,
    cut,
    close: async () => {
      const closed = once(server, 'close');
      server.close();
      cut();
      await closed;
    },
  };
}
