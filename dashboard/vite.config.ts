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
    plugins: [translated(), react(), preloadedFont(), compressed(), handlerPages()],
    build: {
      // The page's CSP (`default-src 'self'`) rejects inlined data: URLs.
      assetsInlineLimit: 0,
      // All browsers that know top-level await preload modules.
      modulePreload: { polyfill: false },
      chunkSizeWarningLimit: 600,
      rolldownOptions: {
        input: { index: 'index.html', handler: 'handler.html' },
        output: {
          codeSplitting: {
            includeDependenciesRecursively: false,
            groups: [
              { name: createBaseGroup(), debugName: 'base' },
              { name: 'react', test: /node_modules\/(react|react-dom|scheduler)\// },
            ],
          },
        },
      },
    },
    server: {
      port: 8103,
      proxy: Object.fromEntries(
        ['/api', '/health', '/dashboard', '/docs', '/openapi.json', '/schemas', '/inbox'].map((path) => [path, api]),
      ),
    },
  };
});

/** Small parts of Mantine that every page has, so that they are not a chunk each. */
const usual =
  /@mantine\/core\/esm\/(core|components\/(ActionIcon|Button|CloseButton|Input|InputBase|Loader|Stack|Text|TextInput|UnstyledButton)\/)/;

/**
 * One chunk for what every page of the dashboard has. While modules wait for the language, the bundler does not keep
 * them together by itself.
 */
function createBaseGroup() {
  type Info = { importers: readonly string[]; dynamicImporters: readonly string[] };
  type Context = { getModuleInfo(id: string): Info | null };
  /** Whether an entry imports a module, itself or through others. */
  const reachedFrom = (entry: string, importersOf: (info: Info) => readonly string[]) => {
    const known = new Map<string, boolean>();
    return function isReached(id: string, context: Context): boolean {
      const found = known.get(id);
      if (found !== undefined) return found;
      // Modules that import each other.
      known.set(id, id.endsWith(entry));
      const info = context.getModuleInfo(id);
      const is = id.endsWith(entry) || (info !== null && importersOf(info).some((one) => isReached(one, context)));
      known.set(id, is);
      return is;
    };
  };
  const isOfMain = reachedFrom('dashboard/src/main.tsx', ({ importers }) => importers);
  const isOfHandler = reachedFrom('dashboard/src/handler.tsx', (info) => [...info.importers, ...info.dynamicImporters]);
  return (id: string, context: Context): string | null => {
    if (!/dashboard\/src|\/sdk\/|@tanstack|@lingui/.test(id) && !usual.test(id)) return null;
    return isOfMain(id, context) && !isOfHandler(id, context) ? 'base' : null;
  };
}

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

/** Loads the font of titles with the page. It is optional, so it would be left out if it came later. */
function preloadedFont(): Plugin {
  return {
    name: 'preloaded font',
    apply: 'build',
    transformIndexHtml: {
      order: 'post',
      handler: (_html, { path, bundle = {} }) => {
        const font = Object.keys(bundle).find((file) => /serif-4-latin-600.*\.woff2$/.test(file));
        if (path !== '/index.html' || !font) return [];
        const attrs = { rel: 'preload', as: 'font', type: 'font/woff2', href: `/${font}`, crossorigin: '' };
        return [{ tag: 'link', attrs, injectTo: 'head' }];
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
