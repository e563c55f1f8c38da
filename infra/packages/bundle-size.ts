import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { build, type OutputChunk } from 'rolldown';

/** Compressed size in bytes of what a page loads at first with a module `source`; React and Next.js are not counted. */
export async function initialSize(folder: string, source: string): Promise<number> {
  const entry = join(folder, 'size.js');
  await writeFile(entry, source);
  const { output } = await build({
    input: entry,
    cwd: folder,
    platform: 'browser',
    external: [/^(react|next)/],
    logLevel: 'silent',
    write: false,
    output: { format: 'esm', minify: true },
  });
  const chunks = output.filter((file) => file.type === 'chunk');
  const first = chunks.filter((chunk) => chunk.isEntry).map(({ fileName }) => fileName);
  return sum(withImports(first, chunks).map(({ code }) => gzipSync(code).length));
}

/** These chunks, and those that they import statically. */
function withImports(names: readonly string[], chunks: readonly OutputChunk[]): OutputChunk[] {
  const wanted = new Set(names);
  for (const name of wanted) {
    for (const imported of chunks.find(({ fileName }) => fileName === name)?.imports ?? []) wanted.add(imported);
  }
  return chunks.filter(({ fileName }) => wanted.has(fileName));
}

const sum = (numbers: readonly number[]): number => numbers.reduce((total, number) => total + number, 0);
