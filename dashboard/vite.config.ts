import { readdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { brotliCompress, gzip } from 'node:zlib';
import react from '@vitejs/plugin-react';
import { defineConfig, type Plugin } from 'vite';

const api = 'http://localhost:8102';
/** Below this a packed file saves nothing worth a second file. */
const SMALLEST_PACKED_BYTES = 1_024;

export default defineConfig(({ command }) => {
  // A build that is started by a test run would inherit its `test`, and ship React's development build.
  if (command === 'build') process.env.NODE_ENV = 'production';
  return {
    plugins: [react(), packed(), handlerPages()],
    build: {
      // Nothing is inlined as a data: URL, which the page's policy (`default-src 'self'`) would reject.
      assetsInlineLimit: 0,
      chunkSizeWarningLimit: 600,
      rolldownOptions: { input: { index: 'index.html', handler: 'handler.html' } },
    },
    server: {
      port: 8103,
      proxy: Object.fromEntries(
        ['/api', '/health', '/dashboard', '/docs', '/openapi.json', '/inbox'].map((path) => [path, api]),
      ),
    },
  };
});

/** While developing, as the server does it: whatever lies below the handler is one page. */
function handlerPages(): Plugin {
  return {
    name: 'handler pages',
    configureServer: ({ middlewares }) => {
      middlewares.use((request, _response, next) => {
        if (request.url?.startsWith('/handler/')) request.url = '/handler.html';
        next();
      });
    },
  };
}

/** Lays packed twins beside the files, so that the server packs nothing while it serves. */
function packed(): Plugin {
  let folder = '';
  return {
    name: 'packed',
    apply: 'build',
    configResolved: ({ root, build }) => {
      folder = join(root, build.outDir);
    },
    closeBundle: async () => {
      const files = await readdir(folder, { recursive: true });
      await Promise.all(
        files.filter((file) => /\.(js|css|html|svg)$/.test(file)).map((file) => pack(join(folder, file))),
      );
    },
  };
}

async function pack(file: string): Promise<void> {
  const plain = await readFile(file);
  if (plain.length < SMALLEST_PACKED_BYTES) return;
  await writeFile(`${file}.br`, await promisify(brotliCompress)(plain));
  await writeFile(`${file}.gz`, await promisify(gzip)(plain));
}
