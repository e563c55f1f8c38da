import { createReadStream } from 'node:fs';
import { readCsvRows } from './csv-rows.ts';
import { readJsonRows } from './json-rows.ts';
import type { Row } from './row.ts';

/** Where exports have their lists. */
const listKeys = ['users', 'items', 'data', 'organizations', 'members'];

/**
 * Reads the rows of a file as JSON if its first character says so, otherwise as CSV. `onRead` gets the number of bytes
 * that were read.
 */
export async function* openRows(file: string, onRead: (bytes: number) => void = () => {}): AsyncGenerator<Row> {
  const stream = createReadStream(file, { encoding: 'utf8', highWaterMark: 256 * 1_024 });
  try {
    const chunks = withoutMark(stream, () => onRead(stream.bytesRead));
    const first = await skipBlank(chunks);
    const all = prepend(first, chunks);
    yield* /^\s*[[{]/.test(first) ? readJsonRows(all, listKeys) : readCsvRows(all);
  } finally {
    stream.destroy();
  }
}

/** Some programs write a byte order mark at the beginning of a file. */
async function* withoutMark(stream: AsyncIterable<string>, onChunk: () => void): AsyncGenerator<string> {
  let isFirst = true;
  for await (const chunk of stream) {
    onChunk();
    yield isFirst ? chunk.replace(/^\uFEFF/, '') : chunk;
    isFirst = false;
  }
}

async function skipBlank(chunks: AsyncGenerator<string>): Promise<string> {
  let text = '';
  for (let next = await chunks.next(); !next.done; next = await chunks.next()) {
    text += next.value;
    if (text.trim() !== '') break;
  }
  return text;
}

async function* prepend(first: string, rest: AsyncGenerator<string>): AsyncGenerator<string> {
  yield first;
  yield* rest;
}
