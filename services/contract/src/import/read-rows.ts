import { readCsvRows } from './csv-rows.ts';
import { readJsonRows } from './json-rows.ts';
import type { Row } from './row.ts';

/** Where exports have their lists. */
const listKeys = ['users', 'items', 'data', 'organizations', 'members'];

/** Reads the rows of an export as JSON if its first character says so, otherwise as CSV. */
export async function* readRows(chunks: AsyncIterable<string>): AsyncGenerator<Row> {
  const text = withoutMark(chunks);
  const first = await skipBlank(text);
  const all = prepend(first, text);
  yield* /^\s*[[{]/.test(first) ? readJsonRows(all, listKeys) : readCsvRows(all);
}

/** Some programs write a byte order mark at the beginning of a file. */
async function* withoutMark(chunks: AsyncIterable<string>): AsyncGenerator<string> {
  let isFirst = true;
  for await (const chunk of chunks) {
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
