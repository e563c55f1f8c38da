import { readdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { brotliCompress, gzip } from 'node:zlib';
import react from '@vitejs/plugin-react';
import { defineConfig, type Plugin } from 'vite';
import { translated } from './translated.ts';

const api = 'http://localhost:8102';
/** Smaller files are not worth compressing. */
const MIN_COMPRESSED_BYTES = 1_024;

export default defineConfig(({ command }) => {
  // A build started by a test run would inherit NODE_ENV=test and ship React's development build.
  if (command === 'build') process.env.NODE_ENV = 'production';
  return {
    plugins: [translated(), react(), preloads(), compressed(), handlerPages()],
    build: {
      // The page's CSP (`default-src 'self'`) rejects inlined data: URLs.
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

/** Serves one page for all handler paths during development, as the server does in production. */
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

/**
 * Loads with the page what it would only ask for later: its modules, which wait for the language, and the font of
 * titles, which is optional, so it would be left out.
 */
function preloads(): Plugin {
  return {
    name: 'preloads',
    apply: 'build',
    transformIndexHtml: {
      order: 'post',
      handler: (_html, { path, bundle = {} }) => {
        if (path !== '/index.html') return [];
        const font = Object.keys(bundle).find((file) => /serif-4-latin-600.*\.woff2$/.test(file));
        const start = Object.values(bundle).find((file) => file.type === 'chunk' && file.name === 'start');
        const modules = start?.type === 'chunk' ? [start.fileName, ...start.imports] : [];
        const links = [
          ...modules.map((file) => ({ rel: 'modulepreload', href: `/${file}`, crossorigin: '' })),
          ...(font ? [{ rel: 'preload', as: 'font', type: 'font/woff2', href: `/${font}`, crossorigin: '' }] : []),
        ];
        return links.map((attrs) => ({ tag: 'link', attrs, injectTo: 'head' as const }));
      },
    },
  };
}

/** Writes .br and .gz files next to the assets, so that the server never compresses them itself. */
function compressed(): Plugin {
  let folder = '';
  return {
    name: 'compressed files',
    apply: 'build',
    configResolved: ({ root, build }) => {
      folder = join(root, build.outDir);
    },
    closeBundle: async () => {
      const files = await readdir(folder, { recursive: true });
      await Promise.all(
        files.filter((file) => /\.(js|css|html|svg)$/.test(file)).map((file) => compress(join(folder, file))),
      );
    },
  };
}

async function compress(file: string): Promise<void> {
  const plain = await readFile(file);
  if (plain.length < MIN_COMPRESSED_BYTES) return;
  await writeFile(`${file}.br`, await promisify(brotliCompress)(plain));
  await writeFile(`${file}.gz`, await promisify(gzip)(plain));
}
