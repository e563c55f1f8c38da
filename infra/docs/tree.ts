import { readdir } from 'node:fs/promises';
import { join } from 'node:path';

const skipped = new Set(['node_modules', '.git', 'dist', 'screenshots', 'coverage', '.gatebook', 'test-results']);
const written = /\.(tsx?|mjs|sql|md|css|html|ya?ml|sh|Dockerfile)$|^Dockerfile/;

/** Paths of the files that people write, relative to `root`, sorted. */
export async function writtenFiles(root: string, folder = ''): Promise<string[]> {
  const entries = await readdir(join(root, folder), { withFileTypes: true });
  const found = await Promise.all(
    entries.map(async (entry) => {
      const path = join(folder, entry.name);
      if (entry.isDirectory()) return skipped.has(entry.name) ? [] : writtenFiles(root, path);
      return written.test(entry.name) ? [path] : [];
    }),
  );
  return found.flat().sort();
}
