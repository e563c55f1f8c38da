import { readFile } from 'node:fs/promises';
import { join } from 'node:path';

type Versions = Readonly<Record<string, string>>;

/** A `package.json` in `sdk`: the entries in `exports` are source files, so that the repository needs no build. */
export type SourceManifest = {
  name: string;
  version: string;
  exports: Readonly<Record<string, string>>;
  /** Entries that only the repository has. */
  unpublished?: readonly string[];
  bin?: Readonly<Record<string, string>>;
  /** Examples that the package contains as templates. */
  templates?: readonly string[];
  private?: boolean;
  dependencies?: Versions;
  devDependencies?: Versions;
  [field: string]: unknown;
};

export type RootManifest = { license: string; repository: { type: string; url: string } };

export async function readManifest<Manifest>(folder: string): Promise<Manifest> {
  return JSON.parse(await readFile(join(folder, 'package.json'), 'utf8')) as Manifest;
}

/** The entries of the published package. */
export const publishedEntries = ({ exports, unpublished = [] }: SourceManifest): [entry: string, file: string][] =>
  Object.entries(exports).filter(([entry]) => !unpublished.includes(entry));

/** The path of a built entry below `dist`, without extension: `index` for `.`, `server` for `./server`. */
export const builtName = (entry: string): string => (entry === '.' ? 'index' : entry.replace(/^\.\//, ''));

/** The `package.json` of the published package: built files, no development fields, real versions of its siblings. */
export function publishedManifest(source: SourceManifest, root: RootManifest, directory: string) {
  const { private: _, devDependencies: __, templates: ___, unpublished: ____, exports: _____, ...rest } = source;
  const { dependencies, bin, ...kept } = rest;
  return {
    ...kept,
    repository: { ...root.repository, directory },
    files: ['dist'],
    exports: {
      ...Object.fromEntries(publishedEntries(source).map(([entry]) => [entry, builtEntry(entry)])),
      './package.json': './package.json',
    },
    ...(bin && { bin: Object.fromEntries(Object.keys(bin).map((name) => [name, './dist/bin.js'])) }),
    ...(dependencies && { dependencies: withVersions(dependencies, source.version) }),
    publishConfig: { access: 'public', provenance: true },
  };
}

function builtEntry(entry: string) {
  if (entry.endsWith('.css')) return `./dist/${builtName(entry)}`;
  return { types: `./dist/${builtName(entry)}.d.ts`, default: `./dist/${builtName(entry)}.js` };
}

/** All packages have the same version. */
function withVersions(dependencies: Versions, version: string): Versions {
  return Object.fromEntries(
    Object.entries(dependencies).map(([name, range]) => [name, range === '*' ? `^${version}` : range]),
  );
}
