import { createServer, type IncomingHttpHeaders, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

export type Arrival = { path: string; headers: IncomingHttpHeaders; body: string; at: number };
/** Receives one request. A receiver that does not end the response hangs. */
export type Answer = (response: ServerResponse, arrival: Arrival) => void;

/** Receivers of webhooks at the paths of one server. `mostOpen`: how many requests of a path were open at once. */
export async function startReceivers(answers: Readonly<Record<string, Answer>>) {
  const arrivals = new Map<string, Arrival[]>();
  const open = new Map<string, number>();
  const mostOpen = new Map<string, number>();
  const server = createServer((request, response) => {
    const path = request.url ?? '';
    const count = (open.get(path) ?? 0) + 1;
    open.set(path, count);
    mostOpen.set(path, Math.max(count, mostOpen.get(path) ?? 0));
    response.once('close', () => open.set(path, (open.get(path) ?? 1) - 1));
    const chunks: Buffer[] = [];
    request.on('data', (chunk: Buffer) => chunks.push(chunk));
    request.on('end', () => {
      const arrival = { path, headers: request.headers, body: Buffer.concat(chunks).toString(), at: Date.now() };
      arrivals.set(path, arrivals.get(path) ?? []);
      arrivals.get(path)?.push(arrival);
      answers[path]?.(response, arrival);
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    url: (path: string) => `http://localhost:${(server.address() as AddressInfo).port}${path}`,
    at: (path: string): readonly Arrival[] => arrivals.get(path) ?? [],
    openAt: (path: string) => open.get(path) ?? 0,
    mostOpenAt: (path: string) => mostOpen.get(path) ?? 0,
    close: () => {
      server.closeAllConnections();
      server.close();
    },
  };
}

export const accept: Answer = (response) => void response.writeHead(200).end();
