import { execFile } from 'node:child_process';
import { rename, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { buildOnce, root } from './build-once.ts';
import { makeDataFolder } from './passable-folder.ts';
import { type Product, startProduct } from './product.ts';

/** The data folder of an installation that was started once and has no owner yet. */
const prepared = join(root, 'node_modules/.gatebook-data');

/**
 * Starts Gatebook on a copy of the data folder that a first start leaves, which takes half of the CPU time of a first
 * start. All copies have the same keys and passwords. `folder`: of the test; the data is in `data` below it.
 */
export async function startOnCopy(folder: string, settings: Readonly<Record<string, string>> = {}): Promise<Product> {
  const dataDir = join(folder, 'data');
  await buildOnce({
    name: 'data',
    built: join(prepared, 'internal-keys.json'),
    sources: ['services', 'package-lock.json'],
    build: prepare,
    use: () => copy(prepared, dataDir),
  });
  return startProduct({ GATEBOOK_DATA_DIR: dataDir, ...settings });
}

async function prepare(): Promise<void> {
  const unfinished = `${prepared}-unfinished`;
  for (const old of [prepared, unfinished]) await rm(old, { recursive: true, force: true });
  const folder = await makeDataFolder('gatebook-prepared-');
  const dataDir = join(folder, 'data');
  try {
    await (await startProduct({ GATEBOOK_DATA_DIR: dataDir })).stop();
    await copy(dataDir, unfinished);
    await rename(unfinished, prepared);
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

/** Copies a folder with modes and owners, because Postgres runs as a separate account. */
const copy = (from: string, to: string) => promisify(execFile)('cp', ['-a', from, to]);
