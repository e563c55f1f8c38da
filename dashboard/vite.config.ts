import { readdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { brotliCompress, gzip } from 'node:zlib';
import react from '@vitejs/plugin-react';
import { defineConfig, type Plugin, type Rolldown } from 'vite';
import { createSharedGroup, unframed } from './shared-chunks.ts';
import { themeStyles } from './theme-styles.ts';
import { translated } from './translated.ts';

const api = 'http://localhost:8102';
/** Smaller files are not worth compressing. */
const MIN_COMPRESSED_BYTES = 256;

export default defineConfig(({ command }) => {
  // A build started by a test run would inherit NODE_ENV=test and ship React's development build.
  if (command === 'build') process.env.NODE_ENV = 'production';
  return {
    plugins: [
      translated(),
      themeStyles(),
      react(),
      preloadedFont(),
      pageDocuments(),
      compiledAhead(),
      compressed(),
      handlerPages(),
    ],
    build: {
      // Says which files late code loads: `infra/checks/page-sizes.test.ts`.
      manifest: true,
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
              { name: 'react', test: /node_modules\/(react|react-dom|scheduler)\// },
              { name: createSharedGroup(), debugName: 'shared' },
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
        const font = Object.keys(bundle).find((file) => /titles.*\.woff2$/.test(file));
        if (path !== '/index.html' || !font) return [];
        const attrs = { rel: 'preload', as: 'font', type: 'font/woff2', href: `/${font}`, crossorigin: '' };
        return [{ tag: 'link', attrs, injectTo: 'head' }];
      },
    },
  };
}

/**
 * Writes a document for each page that names the files of the page, so that the browser loads them together with the
 * first script. Otherwise it would find them by running scripts, in three steps.
 */
function pageDocuments(): Plugin {
  return {
    name: 'documents of pages',
    apply: 'build',
    generateBundle: {
      order: 'post',
      handler(_options, bundle) {
        const { source } = bundle['index.html'] as { source: string };
        const chunks = Object.values(bundle).filter((one) => one.type === 'chunk');
        const frame = chunks.find(({ facadeModuleId }) => facadeModuleId?.endsWith('/src/signed-in.tsx'));
        for (const page of chunks) {
          const [, name] = /\/src\/pages\/([\w-]+)\.tsx$/.exec(page.facadeModuleId ?? '') ?? [];
          if (!name || !page.isDynamicEntry || !frame) continue;
          const isUnframed = unframed.some((path) => page.facadeModuleId?.endsWith(path));
          const links = linksOf(isUnframed ? [page] : [frame, page], chunks, source);
          const fileName = `pages/${name}.html`;
          this.emitFile({ type: 'asset', fileName, source: source.replace('</head>', `${links.join('')}</head>`) });
        }
      },
    },
  };
}

/** Links to chunks, all that they import, and their styles, unless the document has them. Imports come first. */
function linksOf(entries: readonly Rolldown.OutputChunk[], chunks: readonly Rolldown.OutputChunk[], html: string) {
  const seen = new Set<Rolldown.OutputChunk>();
  const links = new Set<string>();
  const add = (chunk: Rolldown.OutputChunk): void => {
    if (seen.has(chunk)) return;
    seen.add(chunk);
    for (const file of chunk.imports) {
      const imported = chunks.find(({ fileName }) => fileName === file);
      if (imported) add(imported);
    }
    const { importedCss } = chunk.viteMetadata ?? {};
    for (const file of importedCss ?? []) links.add(`<link rel="stylesheet" crossorigin href="/${file}">`);
    links.add(`<link rel="modulepreload" crossorigin href="/${chunk.fileName}">`);
  };
  entries.forEach(add);
  return [...links].filter((link) => !html.includes(/href="[^"]+"/.exec(link)?.[0] ?? ''));
}

/**
 * Chrome compiles the functions of a file with this first line in another thread, while the file loads. Otherwise the
 * main thread compiles each when it is first called (v8.dev/blog/explicit-compile-hints).
 */
function compiledAhead(): Plugin {
  return {
    name: 'functions compiled ahead',
    apply: 'build',
    generateBundle: {
      order: 'post',
      handler(_options, bundle) {
        for (const file of Object.values(bundle)) {
          if (file.type === 'chunk') file.code = `//# allFunctionsCalledOnLoad\n${file.code}`;
        }
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
