import { execFile } from 'node:child_process';
import { mkdtemp, readdir, readFile, realpath, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { checkPackage, createPackageFromTarballData } from '@arethetypeswrong/core';
import { publint } from 'publint';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { BuiltPackage } from './build.ts';
import { initialSize } from './bundle-size.ts';
import { copyPackages } from './copy-packages.ts';
import { runAtEdge } from './edge.ts';
import { linkModule } from './install.ts';
import { moduleResolutions, typeErrors } from './type-check.ts';

/*
 * The packages as they are published, in a folder where only their declared dependencies are installed. Everything else
 * that they import is not found.
 */

const run = promisify(execFile);

type Manifest = {
  exports: Record<string, unknown>;
  dependencies?: Record<string, string>;
  peerDependencies?: Record<string, string>;
};

let folder: string;
let packages: BuiltPackage[];
const manifests = new Map<string, Manifest>();

beforeAll(async () => {
  folder = await realpath(await mkdtemp(join(tmpdir(), 'gatebook-packages-')));
  packages = await copyPackages(folder);
  const needed = new Set<string>();
  for (const built of packages) {
    const manifest = JSON.parse(await readFile(join(built.folder, 'package.json'), 'utf8')) as Manifest;
    manifests.set(built.name, manifest);
    for (const name of Object.keys({ ...manifest.dependencies, ...manifest.peerDependencies })) needed.add(name);
  }
  for (const name of [...needed].flatMap((one) => (one === 'react' ? ['react', '@types/react', 'csstype'] : [one]))) {
    if (!manifests.has(name)) await linkModule(folder, name);
  }
});
afterAll(async () => {
  if (folder) await rm(folder, { recursive: true, force: true });
});

/** Entries with code, as they are imported: `@gatebook/js/admin`. */
function entriesOf(name: string): string[] {
  const entries = Object.keys(manifests.get(name)?.exports ?? {});
  return entries.filter((entry) => !/\.(css|json)$/.test(entry)).map((entry) => entry.replace('.', name));
}
const allEntries = () => packages.flatMap(({ name }) => entriesOf(name));
/** Next.js compiles what imports its modules. */
const isForNode = (entry: string) => !entry.startsWith('@gatebook/next');

describe('check 21: the packed packages', () => {
  test('contain built files, a readme and a license, and neither sources nor tests', async () => {
    for (const { name, folder: directory, tarball } of packages) {
      const { stdout } = await run('tar', ['-tzf', tarball]);
      const files = stdout.trim().split('\n');
      expect(files, name).toEqual(
        expect.arrayContaining(['package/package.json', 'package/README.md', 'package/LICENSE']),
      );
      const others = files.filter((file) => !/^package\/(package\.json|README\.md|LICENSE|dist\/)/.test(file));
      expect(others, name).toEqual([]);
      const built = files.filter((file) => !file.startsWith('package/dist/templates/'));
      const unexpected = built.filter((file) => /\.test\.|\/src\/|\/testing\/|(?<!\.d)\.tsx?$/.test(file));
      expect(unexpected, name).toEqual([]);
      expect((await readdir(join(directory, 'dist'))).length, name).toBeGreaterThan(0);
    }
  });

  test('name license, repository, supported Node versions and provenance', () => {
    for (const [name, manifest] of manifests) {
      expect(manifest, name).toMatchObject({
        license: 'Apache-2.0',
        repository: { type: 'git', directory: expect.stringMatching(/^sdk\//) },
        engines: { node: '>=22.12' },
        publishConfig: { access: 'public', provenance: true },
        sideEffects: expect.anything(),
      });
      expect(manifest, name).not.toHaveProperty('private');
    }
  });

  test('depend on nothing that is not published', () => {
    const published = new Set(manifests.keys());
    for (const [name, { dependencies = {} }] of manifests) {
      const siblings = Object.keys(dependencies).filter((dependency) => dependency.startsWith('@gatebook/'));
      expect(
        siblings.filter((sibling) => !published.has(sibling)),
        name,
      ).toEqual([]);
      expect(Object.values(dependencies), name).not.toContain('*');
    }
  });

  test('contain no entries that only the repository has', async () => {
    expect(Object.keys(manifests.get('@gatebook/js')?.exports ?? {})).toEqual([
      ...['.', './admin', './core', './errors', './events', './server', './package.json'],
    ]);
    for (const [name, manifest] of manifests) expect(manifest, name).not.toHaveProperty('unpublished');
  });

  test('have no message of publint', async () => {
    for (const { name, tarball } of packages) {
      const data = await readFile(tarball);
      const { messages } = await publint({ pack: { tarball: toArrayBuffer(data) }, strict: true });
      expect(messages, name).toEqual([]);
    }
  });

  test('have no problem of Are The Types Wrong as ES modules', async () => {
    for (const { name, tarball } of packages) {
      const result = await checkPackage(createPackageFromTarballData(await readFile(tarball)), {
        excludeEntrypoints: [/\.css$/, './package.json'],
      });
      if (!result.types) throw new Error(`${name} has no types`);
      // Node 22.12 and later load ES modules with require(), and no supported version resolves like Node 10.
      const problems = result.problems.filter(
        (problem) => !('resolutionKind' in problem && ['node10', 'node16-cjs'].includes(problem.resolutionKind)),
      );
      expect(problems, name).toEqual([]);
    }
  });
});

describe('the installed packages', () => {
  test.each(moduleResolutions)(
    'check 22: type-check under moduleResolution %s with their declarations',
    async (resolution) => {
      const lines = allEntries().map((entry, index) => `export * as entry${index} from '${entry}';`);
      await writeFile(join(folder, 'entries.mts'), `${lines.join('\n')}\n`);
      expect(await typeErrors(folder, resolution, ['entries.mts'])).toBe('');
    },
  );

  test('check 22: load in Node.js with import and with require()', async () => {
    const entries = JSON.stringify(allEntries().filter(isForNode));
    await writeFile(
      join(folder, 'load.mjs'),
      `import { createRequire } from 'node:module';
       const require = createRequire(import.meta.url);
       for (const entry of ${entries}) {
         const names = Object.keys(await import(entry)).filter((name) => name !== 'module.exports');
         if (names.join() !== Object.keys(require(entry)).filter((name) => name !== '__esModule').join()) throw new Error(entry);
         console.log(entry, names.length > 0);
       }`,
    );
    const { stdout } = await run(process.execPath, ['load.mjs'], { cwd: folder });
    expect(stdout.trim().split('\n')).toEqual(
      allEntries()
        .filter(isForNode)
        .map((entry) => `${entry} true`),
    );
  });

  test('check 22: run with web standards only, as in an edge runtime', async () => {
    const source = `
      import { GatebookClientApp } from '@gatebook/js';
      import { GatebookServerApp } from '@gatebook/js/server';
      import { createTokenVerifier } from '@gatebook/node';
      import { mockGatebook } from '@gatebook/testing/mock';

      export async function run() {
        const mock = mockGatebook({ user: null });
        const app = new GatebookClientApp(mock.options);
        const credentials = { email: 'bob@example.com', password: 'a long passphrase', noRedirect: true };
        await app.signUpWithCredential({ ...credentials, noVerificationCallback: true });
        const headers = { authorization: await app.getAuthorizationHeader() };
        const tokenStore = new Request('https://app.test/', { headers });
        const user = await new GatebookServerApp({ ...mock.options, tokenStore }).getUser({ or: 'throw' });
        createTokenVerifier({ baseUrl: 'https://gate.test', projectId: 'p1' });
        return user.primaryEmail;
      }`;
    expect(await runAtEdge(folder, source)).toBe('bob@example.com');
  });

  test('check 24: run only in the browser if they are for React', async () => {
    for (const name of ['react/dist/index', 'react/dist/pages', 'next/dist/client', 'next/dist/handler']) {
      const code = await readFile(join(folder, 'node_modules/@gatebook', `${name}.js`), 'utf8');
      expect(code, name).toMatch(/^"use client";/);
    }
  });

  const client = `export { GatebookClientApp } from '@gatebook/js';`;
  test.each([
    { what: 'the app of a browser', limit: 16_000, source: client },
    {
      what: 'the layer below the apps and pages',
      limit: 16_000,
      source: `export { createClientApp } from '@gatebook/js/core';`,
    },
    { what: 'a mock', limit: 25_000, source: `export * from '@gatebook/testing/mock';` },
    { what: 'the app of Next.js', limit: 25_000, source: `export * from '@gatebook/next';` },
    { what: 'the app of a server', limit: 20_000, source: `export * from '@gatebook/js/server';` },
    { what: 'React without pages', limit: 20_000, source: `${client} export * from '@gatebook/react';` },
    {
      what: 'React with pages',
      limit: 45_000,
      source: `${client} export * from '@gatebook/react'; export * from '@gatebook/react/pages';`,
    },
  ])('check 21: $what loads at most $limit bytes, compressed', async ({ limit, source }) => {
    expect(await initialSize(folder, source)).toBeLessThanOrEqual(limit);
  });
});

const toArrayBuffer = (data: Buffer): ArrayBuffer => Uint8Array.from(data).buffer;
