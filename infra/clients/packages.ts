import { execFile } from 'node:child_process';
import { mkdtemp, readFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { promisify } from 'node:util';
import type { ClientPackages } from './surface.ts';

const run = promisify(execFile);
const clientName = '@stackframe/js';
const sharedName = '@stackframe/stack-shared';

/** Downloads a version of the client with `npm pack` into a folder and unpacks it. Runs none of its code. */
export async function download(version: string, folder: string): Promise<ClientPackages> {
  const client = await unpack(`${clientName}@${version}`, folder);
  const { dependencies } = await readManifest(client);
  const sharedVersion = dependencies?.[sharedName];
  if (sharedVersion === undefined) throw new Error(`${clientName} ${version} has no dependency on ${sharedName}`);
  return { version, client, shared: await unpack(`${sharedName}@${sharedVersion}`, folder) };
}

/** Downloads a package as `name@version`. Resolves to its folder. Runs none of its code. */
export async function unpack(name: string, folder: string): Promise<string> {
  const { stdout } = await run('npm', ['pack', name, '--json', '--ignore-scripts', '--pack-destination', folder]);
  const [{ filename }] = JSON.parse(stdout) as [{ filename: string }];
  const path = await mkdtemp(join(folder, 'package-'));
  await run('tar', ['-xzf', join(folder, filename), '-C', path, '--strip-components=1']);
  return path;
}

/** A version that npm installed under an alias, with the package it depends on. */
export async function findInstalled(packageName: string, modulesFolder: string): Promise<ClientPackages> {
  const client = join(modulesFolder, packageName);
  const { version, dependencies } = await readManifest(client);
  for (const shared of [join(client, 'node_modules', sharedName), join(dirname(client), sharedName)]) {
    const found = await readManifest(shared).catch(() => null);
    if (found?.version === dependencies?.[sharedName]) return { version, client, shared };
  }
  throw new Error(`${packageName} is installed without ${sharedName} ${dependencies?.[sharedName]}`);
}

type Manifest = { version: string; dependencies?: Record<string, string> };

const readManifest = async (folder: string): Promise<Manifest> =>
  JSON.parse(await readFile(join(folder, 'package.json'), 'utf8')) as Manifest;
