import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { fileURLToPath } from 'node:url';
import type { PublishedClient } from '@gatebook/api/testing/published-clients';
import { build } from 'vite';
import type { Settings } from './page.ts';

export type AppServer = { url: string; close(): void };

/** Serves an app with one version of the client. Every path shows the same page, as an app with its own routes does. */
export async function serveApp(client: PublishedClient, settings: Settings): Promise<AppServer> {
  const scripts = await bundle(client);
  const page = `<!doctype html><title>App</title><body></body><script>window.settings = ${JSON.stringify(settings)}</script>
<script type="module" src="/app.js"></script>`;
  const server: Server = createServer((request, response) => {
    const script = scripts.get(request.url ?? '');
    response.setHeader('content-type', script === undefined ? 'text/html' : 'text/javascript');
    response.end(script ?? page);
  });
  await new Promise<void>((resolve) => server.listen(0, 'localhost', resolve));
  return { url: `http://localhost:${(server.address() as AddressInfo).port}`, close: () => server.close() };
}

/** Scripts by their paths; the entry is `/app.js`. */
async function bundle({ packageName }: PublishedClient): Promise<ReadonlyMap<string, string>> {
  const built = await build({
    configFile: false,
    logLevel: 'error',
    define: { 'process.env.NODE_ENV': '"production"', 'process.env': '{}' },
    resolve: { alias: { 'stack-js-2-8-108': packageName } },
    build: {
      write: false,
      minify: false,
      target: 'esnext',
      lib: { entry: fileURLToPath(new URL('page.ts', import.meta.url)), formats: ['es'], fileName: 'app' },
    },
  });
  const outputs = [built].flat().flatMap((result) => ('output' in result ? result.output : []));
  return new Map(outputs.flatMap((part) => (part.type === 'chunk' ? [[`/${part.fileName}`, part.code]] : [])));
}
