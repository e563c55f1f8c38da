import { createHash } from 'node:crypto';
import { readdirSync } from 'node:fs';

/** Pages without the frame of signed-in pages. */
export const unframed = ['setup', 'project-invitation'].map((page) => `dashboard/src/pages/${page}.tsx`);

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
export function createSharedGroup() {
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
