import { execFile } from 'node:child_process';
import { cp, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { buildOnce, root } from '../testing/build-once.ts';
import { type BuiltPackage, builtFolder, builtList } from './build.ts';

/** Copies the packages to `target`, and builds them before if their sources are newer than the last build. */
export async function copyPackages(target: string): Promise<BuiltPackage[]> {
  await buildOnce({
    name: 'packages',
    built: join(builtFolder, builtList),
    sources: [
      ...['sdk', 'services/contract', 'services/domain', 'examples', 'infra/packages'],
      ...['package.json', 'package-lock.json', 'tsconfig.json', 'LICENSE'],
    ],
    build: () => promisify(execFile)(process.execPath, ['infra/packages/main.ts'], { cwd: root }),
    use: () => cp(builtFolder, target, { recursive: true }),
  });
  const list = JSON.parse(await readFile(join(target, builtList), 'utf8')) as { name: string; tarball: string }[];
  return list.map(({ name, tarball }) => ({
    name,
    folder: join(target, 'node_modules', name),
    tarball: join(target, tarball),
  }));
}
