import { createServer } from 'node:http';

/** Additional fields of the response, such as `is_leading`. */
export type Health = { isReady: boolean; facts: Readonly<Record<string, unknown>> };

/**
 * Health endpoints for processes without an API. `/health` responds while the process is alive; `/health/ready`
 * responds with 200 or 503 and the result of `check`. @throws Error with code EADDRINUSE if the port is in use
 */
export async function startHealthServer(parts: {
  host: string;
  port: number;
  check: () => Promise<Health>;
}): Promise<{ close(): Promise<void> }> {
  const { host, port, check } = parts;
  const server = createServer(async (request, response) => {
    const answer = (status: number, facts: object) => {
      response.writeHead(status, { 'content-type': 'application/json', 'cache-control': 'no-store' });
      response.end(JSON.stringify(facts));
    };
    if (request.method !== 'GET' && request.method !== 'HEAD') return answer(405, { error: 'only GET' });
    if (request.url === '/health') return answer(200, { status: 'ok' });
    if (request.url !== '/health/ready') return answer(404, { error: 'no such page' });
    const { isReady, facts } = await check().catch(() => ({ isReady: false, facts: {} }));
    return answer(isReady ? 200 : 503, { status: isReady ? 'ok' : 'unavailable', ...facts });
  });
  await new Promise<void>((listening, failed) => {
    server.once('error', failed);
    server.listen({ host, port }, listening);
  });
  return {
    close: () =>
      new Promise((closed) => {
        server.close(() => closed());
        server.closeAllConnections();
      }),
  };
}
