import { createServer } from './node-http.ts';

/** Additional fields of the response, such as `is_leading`. */
export type Health = { isReady: boolean; facts: Readonly<Record<string, unknown>> };

/** A page in Prometheus' format. */
export type MetricsPage = { contentType: string; text: string };

/**
 * Serves operators on a separate port. `/health` responds while the process is alive; `/health/ready` responds with 200
 * or 503 and the result of `check`; `/metrics` with the page of `metrics`. @throws Error with code EADDRINUSE if the
 * port is in use
 */
export async function startHealthServer(parts: {
  host: string;
  port: number;
  check: () => Promise<Health>;
  metrics: () => Promise<MetricsPage>;
}): Promise<{ close(): Promise<void> }> {
  const { host, port, check, metrics } = parts;
  const server = createServer(async (request, response) => {
    const send = (status: number, contentType: string, text: string) => {
      response.writeHead(status, { 'content-type': contentType, 'cache-control': 'no-store' });
      response.end(text);
    };
    const answer = (status: number, facts: object) => send(status, 'application/json', JSON.stringify(facts));
    if (request.method !== 'GET' && request.method !== 'HEAD') return answer(405, { error: 'only GET' });
    if (request.url === '/health') return answer(200, { status: 'ok' });
    if (request.url === '/metrics') {
      return metrics().then(
        ({ contentType, text }) => send(200, contentType, text),
        () => answer(500, { error: 'no metrics' }),
      );
    }
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
