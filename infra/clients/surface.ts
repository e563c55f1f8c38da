import { glob, readFile } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { type Calls, callsIn } from './calls.ts';
import { exportsOf, fieldsIn } from './declarations.ts';

/** A published version, unpacked: the client and the package with its calls. */
export type ClientPackages = { version: string; client: string; shared: string };

/** What a version of the client asks of a server, and what it offers to apps. */
export type Surface = { paths: Set<string>; fields: Set<string>; exports: Set<string> };

export async function surfaceOf({ client, shared }: ClientPackages): Promise<Surface> {
  const calls = await Promise.all([callsOf(shared, 'interface'), callsOf(client, 'lib')]);
  return {
    paths: new Set(calls.flatMap(({ paths }) => paths)),
    fields: new Set([...(await crudFieldsOf(shared)), ...calls.flatMap(({ fields }) => fields)]),
    exports: new Set(await entryExportsOf(client)),
  };
}

/** Older versions have one build; newer ones have one of ES modules and one of CommonJS modules. */
async function callsOf(folder: string, part: string): Promise<Calls> {
  const modules = await filesOf(folder, `dist/esm/${part}/**/*.js`);
  const files = modules.length > 0 ? modules : await filesOf(folder, `dist/${part}/**/*.js`);
  const all = await Promise.all(
    files.filter((file) => !file.endsWith('.test.js')).map(async (file) => callsIn(await readFile(file, 'utf8'))),
  );
  return { paths: all.flatMap(({ paths }) => paths), fields: all.flatMap(({ fields }) => fields) };
}

async function crudFieldsOf(folder: string): Promise<string[]> {
  const files = await filesOf(folder, 'dist/interface/crud/*.d.ts');
  const all = await Promise.all(
    files.map(async (file) => {
      const schema = basename(file, '.d.ts');
      return fieldsIn(await readFile(file, 'utf8')).map((name) => `${schema}: ${name}`);
    }),
  );
  return all.flat();
}

type Manifest = { types?: string; exports?: Record<string, { types?: string }> };

async function entryExportsOf(folder: string): Promise<string[]> {
  const manifest = JSON.parse(await readFile(join(folder, 'package.json'), 'utf8')) as Manifest;
  const entries = Object.entries(manifest.exports ?? { '.': { types: manifest.types } });
  const all = await Promise.all(
    entries.map(async ([entry, { types }]) => {
      const names = types === undefined ? [] : await exportsOf(join(folder, types));
      return names.map((name) => (entry === '.' ? name : `${entry}: ${name}`));
    }),
  );
  return all.flat();
}

async function filesOf(folder: string, pattern: string): Promise<string[]> {
  const files: string[] = [];
  for await (const file of glob(pattern, { cwd: folder })) files.push(join(folder, file));
  return files.sort();
}
