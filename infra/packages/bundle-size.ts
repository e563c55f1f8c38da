import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { build, type OutputChunk, type OutputOptions } from 'rolldown';

/** Compressed size in bytes of what a page loads at first with a module `source`; React and Next.js are not counted. */
export async function initialSize(folder: string, source: string): Promise<number> {
  const chunks = await bundle(folder, source, { format: 'esm', minify: true });
  const first = chunks.filter((chunk) => chunk.isEntry).map(({ fileName }) => fileName);
  return sum(withImports(first, chunks).map(({ code }) => gzipSync(code).length));
}

/** What a bundler makes of a module `source` for browsers, without React and Next.js. */
export async function bundle(folder: string, source: string, output: OutputOptions): Promise<OutputChunk[]> {
  const entry = join(folder, 'entry.js');
  await writeFile(entry, source);
  const built = await build({
    input: entry,
    cwd: folder,
    platform: 'browser',
    external: [/^(react|next)/],
    logLevel: 'silent',
    write: false,
    output,
  });
  return built.output.filter((file) => file.type === 'chunk');
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
