import { readFile } from 'node:fs/promises';
import { join } from 'node:path';

type Versions = Readonly<Record<string, string>>;

/** A source file, or one for each condition of the importer. */
type Source = string | Readonly<Record<string, string>>;

/** A `package.json` in `sdk`: the entries in `exports` are source files, so that the repository needs no build. */
export type SourceManifest = {
  name: string;
  version: string;
  exports: Readonly<Record<string, Source>>;
  /** Entries that only the repository has. */
  unpublished?: readonly string[];
  bin?: Readonly<Record<string, string>>;
  /** Examples that the package contains as templates. */
  templates?: readonly string[];
  private?: boolean;
  dependencies?: Versions;
  peerDependencies?: Versions;
  devDependencies?: Versions;
  [field: string]: unknown;
};

export type RootManifest = { license: string; repository: { type: string; url: string } };

export async function readManifest<Manifest>(folder: string): Promise<Manifest> {
  return JSON.parse(await readFile(join(folder, 'package.json'), 'utf8')) as Manifest;
}

/** The entries of the published package. */
const publishedEntries = ({ exports, unpublished = [] }: SourceManifest): [entry: string, source: Source][] =>
  Object.entries(exports).filter(([entry]) => !unpublished.includes(entry));

const byCondition = (source: Source) => (typeof source === 'string' ? { default: source } : source);

/** The source files of the published package by the paths of what is built from them. */
export const publishedFiles = (manifest: SourceManifest): [built: string, file: string][] =>
  publishedEntries(manifest).flatMap(([entry, source]) =>
    Object.entries(byCondition(source)).map(([condition, file]): [string, string] => [
      builtName(entry, condition),
      file,
    ]),
  );

/** The path of a built entry below `dist`, without extension: `index` for `.`, `server` for `./server`. */
const builtName = (entry: string, condition = 'default'): string => {
  const name = entry === '.' ? 'index' : entry.replace(/^\.\//, '');
  return condition === 'default' ? name : `${name}.${condition}`;
};

/** The `package.json` of the published package: built files, no development fields, real versions of its siblings. */
export function publishedManifest(source: SourceManifest, root: RootManifest, directory: string) {
  const { private: _, devDependencies: __, templates: ___, unpublished: ____, exports: _____, ...rest } = source;
  const { dependencies, peerDependencies, bin, ...kept } = rest;
  return {
    ...kept,
    repository: { ...root.repository, directory },
    files: ['dist'],
    exports: {
      ...Object.fromEntries(publishedEntries(source).map(([entry, file]) => [entry, builtEntry(entry, file)])),
      './package.json': './package.json',
    },
    ...(bin && { bin: Object.fromEntries(Object.keys(bin).map((name) => [name, './dist/bin.js'])) }),
    ...(dependencies && { dependencies: withVersions(dependencies, source.version) }),
    ...(peerDependencies && { peerDependencies: withVersions(peerDependencies, source.version) }),
    publishConfig: { access: 'public', provenance: true },
  };
}

function builtEntry(entry: string, source: Source) {
  if (entry.endsWith('.css')) return `./dist/${builtName(entry)}`;
  const conditions = Object.keys(byCondition(source));
  return {
    types: `./dist/${builtName(entry)}.d.ts`,
    ...Object.fromEntries(conditions.map((condition) => [condition, `./dist/${builtName(entry, condition)}.js`])),
  };
}

/** All packages have the same version. */
function withVersions(dependencies: Versions, version: string): Versions {
  return Object.fromEntries(
    Object.entries(dependencies).map(([name, range]) => [name, range === '*' ? `^${version}` : range]),
  );
}
