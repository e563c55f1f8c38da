import { execFile } from 'node:child_process';
import { mkdir, readdir, readFile, stat, symlink, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';

const quiet = ['--ignore-scripts', '--prefer-offline', '--no-audit', '--no-fund', '--loglevel=error'];

const ownModules = fileURLToPath(new URL('../../node_modules', import.meta.url));

/** Makes a package of the repository available in a folder. */
export async function linkModule(folder: string, name: string): Promise<void> {
  const path = join(folder, 'node_modules', name);
  await mkdir(dirname(path), { recursive: true });
  await symlink(join(ownModules, name), path);
}

/** Installs tarballs and packages of the registry in a folder, as the only dependencies of an app. */
export async function installPackages(folder: string, packages: readonly string[]): Promise<void> {
  await writeFile(join(folder, 'package.json'), JSON.stringify({ name: 'app', private: true, type: 'module' }));
  await promisify(execFile)('npm', ['install', ...quiet, ...packages], { cwd: folder });
}

type Lock = { packages: Record<string, { version?: string }> };

/** Every installed copy of each package: folders by package name. */
export async function installedCopies(folder: string): Promise<Map<string, string[]>> {
  const lock = JSON.parse(await readFile(join(folder, 'package-lock.json'), 'utf8')) as Lock;
  const paths = Object.keys(lock.packages).filter((path) => path !== '');
  return Map.groupBy(paths, (path) => path.split('node_modules/').at(-1) ?? path);
}

/** Size in bytes of all files in a folder. */
export async function folderSize(folder: string): Promise<number> {
  const files = await readdir(folder, { recursive: true, withFileTypes: true });
  const sizes = files
    .filter((file) => file.isFile())
    .map(async (file) => (await stat(join(file.parentPath, file.name))).size);
  return (await Promise.all(sizes)).reduce((total, size) => total + size, 0);
}
