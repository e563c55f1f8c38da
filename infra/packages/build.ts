import { execFile } from 'node:child_process';
import { copyFile, cp, mkdir, readdir, rm, writeFile } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { build } from 'tsdown';
import { publishedFiles, publishedManifest, type RootManifest, readManifest, type SourceManifest } from './manifest.ts';

const root = fileURLToPath(new URL('../../', import.meta.url));

/** A package as it would be published. */
export type BuiltPackage = { name: string; folder: string; tarball: string };

/** Where `npm run build:packages` leaves the packages. */
export const builtFolder = join(root, 'dist/packages');
/** Is written last, with the names of the packages and of their tarballs. */
export const builtList = 'built.json';

/**
 * Builds all packages of `sdk` and packs them into `target`. Their folders are below `node_modules` of `target`, so
 * that a program in `target` imports them as if it had installed them.
 */
export async function buildPackages(target: string): Promise<BuiltPackage[]> {
  await rm(target, { recursive: true, force: true });
  const built: BuiltPackage[] = [];
  // One after the other: each build needs all cores.
  for (const directory of await packageDirectories()) built.push(await buildPackage(directory, target));
  const list = built.map(({ name, tarball }) => ({ name, tarball: basename(tarball) }));
  await writeFile(join(target, builtList), JSON.stringify(list));
  return built;
}

async function packageDirectories(): Promise<string[]> {
  const entries = await readdir(join(root, 'sdk'), { withFileTypes: true });
  return entries.filter((entry) => entry.isDirectory()).map(({ name }) => `sdk/${name}`);
}

async function buildPackage(directory: string, target: string): Promise<BuiltPackage> {
  const source = await readManifest<SourceManifest>(join(root, directory));
  const manifest = publishedManifest(source, await readManifest<RootManifest>(root), directory);
  const folder = join(target, 'node_modules', source.name);
  const dist = join(folder, 'dist');
  await mkdir(dist, { recursive: true });
  await Promise.all([
    buildModules(directory, source, dist),
    ...(source.templates ?? []).map((name) => copyTemplate(name, join(dist, 'templates', name))),
    ...styleSheets(source).map(([built, file]) => copyFile(join(root, directory, file), join(dist, built))),
    copyFile(join(root, directory, 'README.md'), join(folder, 'README.md')),
    copyFile(join(root, 'LICENSE'), join(folder, 'LICENSE')),
    writeFile(join(folder, 'package.json'), `${JSON.stringify(manifest, null, 2)}\n`),
  ]);
  return { name: source.name, folder, tarball: await pack(folder, target) };
}

/** What builds of the examples write. */
export const generatedNames: readonly string[] = ['dist', 'build', '.next', 'next-env.d.ts', '.react-router'];

/** Without what is of the repository alone, and without settings; npm packs no lockfiles and no `.npmrc` anyway. */
const copyTemplate = (name: string, folder: string) =>
  cp(join(root, 'examples', name), folder, { recursive: true, filter: (path) => !isLeftOut(basename(path)) });

const isLeftOut = (name: string) =>
  ['node_modules', ...generatedNames, 'README.md', '.npmrc'].includes(name) || name.startsWith('.env');

const styleSheets = (source: SourceManifest) => publishedFiles(source).filter(([, file]) => file.endsWith('.css'));

async function buildModules(directory: string, source: SourceManifest, outDir: string): Promise<void> {
  const [bin] = Object.values(source.bin ?? {});
  const modules = publishedFiles(source).filter(([, file]) => !file.endsWith('.css'));
  const dependencies = Object.keys({ ...source.dependencies, ...source.peerDependencies });
  const external = dependencies.map((name) => new RegExp(`^${name}(/|$)`));
  await build({
    config: false,
    cwd: root,
    logLevel: 'error',
    entry: {
      ...Object.fromEntries(modules.map(([built, file]) => [built, join(directory, file)])),
      ...(bin && { bin: join(directory, bin) }),
    },
    outDir,
    clean: false,
    format: 'esm',
    fixedExtension: false,
    platform: 'neutral',
    target: 'es2022',
    tsconfig: 'sdk/tsconfig.build.json',
    // Declarations of the SDK name no types of the contract: those are inferred from schemas, so they would need zod.
    dts: { sourcemap: true },
    sourcemap: true,
    treeshake: { moduleSideEffects: false },
    deps: {
      neverBundle: external,
      alwaysBundle: [/^@gatebook\/contract\//],
      dts: { neverBundle: [...external, /^@gatebook\/contract\//] },
    },
  });
}

async function pack(folder: string, target: string): Promise<string> {
  const { stdout } = await promisify(execFile)('npm', ['pack', '--json', '--pack-destination', target], {
    cwd: folder,
  });
  const [packed] = JSON.parse(stdout) as { filename: string }[];
  if (!packed) throw new Error(`npm packed nothing in ${folder}`);
  return join(target, packed.filename);
}
