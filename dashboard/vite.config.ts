import { createHash } from 'node:crypto';
import { readdirSync } from 'node:fs';
import { readdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { brotliCompress, gzip } from 'node:zlib';
import react from '@vitejs/plugin-react';
import { defineConfig, type Plugin, type Rolldown } from 'vite';
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

/** Pages without the frame of signed-in pages. */
const unframed = ['setup', 'project-invitation'].map((page) => `dashboard/src/pages/${page}.tsx`);

/** Modules that export a whole library. Who imports one of its parts doesn't load the others. */
const barrel = /(@mantine\/(core|form|hooks)\/esm\/index|tabler-icons-react)\.mjs$/;

/** Small parts of this many pages are loaded with the frame. Otherwise, each would be a separate file. */
const MANY_PAGES = 4;
const SMALL_CHARACTERS = 1000;
const hooks = /@mantine\/hooks\//;

/**
 * One chunk for what all pages have, also those of the handler, one for what every page of the dashboard has, and one
 * for the frame of signed-in pages. The bundler would make a small chunk of each part that other pages share, and these
 * compress badly.
 */
function createSharedGroup() {
  type Info = {
    importers: readonly string[];
    dynamicImporters: readonly string[];
    importedIds: readonly string[];
    exports: readonly string[];
    code?: string | null;
  };
  type Context = { getModuleInfo(id: string): Info | null };
  const importedNames = new Map<string, ReadonlySet<string>>();
  /** The names in the braces of a module's imports. */
  const importedBy = (id: string, context: Context): ReadonlySet<string> => {
    const known = importedNames.get(id);
    if (known) return known;
    const code = context.getModuleInfo(id)?.code ?? '';
    const found = [...code.matchAll(/import\s*\{([^}]*)\}/g)].flatMap(
      ([, inBraces = '']) => inBraces.match(/\w+/g) ?? [],
    );
    const names = new Set(found);
    importedNames.set(id, names);
    return names;
  };
  /** Icons are the default export of their file. */
  const namesOf = (id: string, context: Context): readonly string[] => [
    ...(context.getModuleInfo(id)?.exports ?? []),
    id.replace(/^.*\/(.*)\.\w+$/, '$1'),
  ];
  /** Modules that import another one, through a barrel only if they name it. */
  const knownImporters = new Map<string, readonly string[]>();
  const importersOf = (id: string, context: Context): readonly string[] => {
    const known = knownImporters.get(id);
    if (known) return known;
    const found = findImporters(id, context);
    knownImporters.set(id, found);
    return found;
  };
  const findImporters = (id: string, context: Context): readonly string[] => {
    const names = namesOf(id, context);
    return (context.getModuleInfo(id)?.importers ?? []).flatMap((importer) =>
      barrel.test(importer)
        ? (context.getModuleInfo(importer)?.importers ?? []).filter((one) =>
            names.some((name) => importedBy(one, context).has(name)),
          )
        : [importer],
    );
  };
  const importsOf = (id: string, context: Context): readonly string[] =>
    (context.getModuleInfo(id)?.importedIds ?? []).flatMap((imported) =>
      barrel.test(imported)
        ? (context.getModuleInfo(imported)?.importedIds ?? []).filter((one) =>
            namesOf(one, context).some((name) => importedBy(id, context).has(name)),
          )
        : [imported],
    );
  const lateImportersOf = (id: string, context: Context): readonly string[] => {
    const info = context.getModuleInfo(id);
    return info ? [...info.importers, ...info.dynamicImporters] : [];
  };
  /** Whether an entry imports a module, itself or through others. */
  const reachedFrom = (entry: string, importers: typeof importersOf) => {
    const known = new Map<string, boolean>();
    return function isReached(id: string, context: Context): boolean {
      const found = known.get(id);
      if (found !== undefined) return found;
      // Modules that import each other.
      known.set(id, id.endsWith(entry));
      const is = id.endsWith(entry) || importers(id, context).some((one) => isReached(one, context));
      known.set(id, is);
      return is;
    };
  };
  const isOfMain = reachedFrom('dashboard/src/main.tsx', importersOf);
  const isOfFrame = reachedFrom('dashboard/src/signed-in.tsx', importersOf);
  const isOfUnframed = unframed.map((page) => reachedFrom(page, importersOf));
  const isOfFirstHandler = reachedFrom('dashboard/src/handler.tsx', importersOf);
  const isOfHandler = reachedFrom('dashboard/src/handler.tsx', lateImportersOf);
  const pages = readdirSync(new URL('src/pages', import.meta.url)).filter((file) => file.endsWith('.tsx'));
  const isOfPages = pages.map((page) => reachedFrom(`dashboard/src/pages/${page}`, importersOf));
  const isSmall = (id: string, context: Context): boolean =>
    (context.getModuleInfo(id)?.code ?? '').length <= SMALL_CHARACTERS;
  const usersOf = (id: string, context: Context): readonly string[] =>
    pages.filter((_, index) => isOfPages[index]?.(id, context));
  const framed = new Map<string, boolean>();
  /** Whether the frame has a module, or can have it without anything large that pages import. */
  const isFramed = (id: string, context: Context): boolean => {
    const known = framed.get(id);
    if (known !== undefined) return known;
    framed.set(id, false);
    const is =
      isOfMain(id, context) ||
      isOfFrame(id, context) ||
      (isSmall(id, context) &&
        usersOf(id, context).length >= MANY_PAGES &&
        importsOf(id, context).every((one) => isFramed(one, context)));
    framed.set(id, is);
    return is;
  };
  return (id: string, context: Context): string | null => {
    if (isOfHandler(id, context)) return isOfMain(id, context) && isOfFirstHandler(id, context) ? 'core' : null;
    if (isOfMain(id, context)) return 'base';
    const users = usersOf(id, context);
    if (isFramed(id, context)) {
      return isOfUnframed.some((isOf) => isOf(id, context)) ? 'base' : 'frame';
    }
    // A small hook would draw in what opens later and uses the same hook.
    if (hooks.test(id) && isSmall(id, context)) return null;
    // All that the same pages share. The bundler would also split it by what opens later.
    return users.length > 1 ? `parts-${createHash('sha256').update(users.join()).digest('hex').slice(0, 6)}` : null;
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
