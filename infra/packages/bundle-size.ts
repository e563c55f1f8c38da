import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { build, type Rolldown } from 'vite';

/** Compressed size in bytes of what a page loads at first if it imports all of `source`; React is not counted. */
export async function initialSize(folder: string, source: string): Promise<number> {
  const entry = join(folder, `size-${Buffer.from(source).toString('hex').slice(-12)}.js`);
  await writeFile(entry, source);
  const result = await build({
    root: folder,
    configFile: false,
    mode: 'production',
    logLevel: 'error',
    build: {
      write: false,
      rolldownOptions: { input: entry, external: [/^react/, /^next/], preserveEntrySignatures: 'strict' },
    },
  });
  const [{ output }] = [result].flat() as [Rolldown.RolldownOutput];
  const chunks = output.filter((file) => file.type === 'chunk');
  const first = chunks.filter((chunk) => chunk.isEntry).map(({ fileName }) => fileName);
  return sum(withImports(first, chunks).map(({ code }) => gzipSync(code).length));
}

/** These chunks, and those that they import statically. */
function withImports(names: readonly string[], chunks: readonly Rolldown.OutputChunk[]): Rolldown.OutputChunk[] {
  const wanted = new Set(names);
  for (const name of wanted) {
    for (const imported of chunks.find(({ fileName }) => fileName === name)?.imports ?? []) wanted.add(imported);
  }
  return chunks.filter(({ fileName }) => wanted.has(fileName));
}

const sum = (numbers: readonly number[]): number => numbers.reduce((total, number) => total + number, 0);
