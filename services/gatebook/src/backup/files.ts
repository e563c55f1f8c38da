import { createReadStream, createWriteStream } from 'node:fs';
import { open, rename, rm } from 'node:fs/promises';
import { dirname } from 'node:path';
import type { Readable, Writable } from 'node:stream';
import { finished } from 'node:stream/promises';

/** `-` is standard input. */
export const openInput = (file: string): Readable => (file === '-' ? process.stdin : createReadStream(file));

/**
 * Writes a file that exists only once it is complete and on disk. `-` is standard output. The file is readable by its
 * owner only.
 */
export async function writeFile<T>(file: string, write: (output: Writable) => Promise<T>): Promise<T> {
  if (file === '-') return write(process.stdout);
  const partial = `${file}.partial`;
  const output = createWriteStream(partial, { mode: 0o600, flush: true });
  // `write` sees the error at its next write.
  output.on('error', () => undefined);
  try {
    const result = await write(output);
    output.end();
    await finished(output);
    await rename(partial, file);
    const folder = await open(dirname(file), 'r');
    await folder.sync();
    await folder.close();
    return result;
  } catch (error) {
    output.destroy();
    await rm(partial, { force: true });
    throw error;
  }
}

/** Writes and waits until the stream takes more. @throws the error of the stream */
export async function writeTo(output: Writable, part: string | Buffer): Promise<void> {
  if (output.errored) throw output.errored;
  if (output.write(part)) return;
  await new Promise<void>((resolve, reject) => {
    const settle = (error?: Error) => {
      output.off('drain', settle).off('error', settle);
      if (error) reject(error);
      else resolve();
    };
    output.on('drain', settle).on('error', settle);
  });
}
