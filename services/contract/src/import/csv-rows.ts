import { maxRowLength, type Row, tooLong } from './row.ts';

/** `next`: where the next record begins. */
type CsvRecord = { fields: readonly string[]; next: number };

/**
 * Reads rows of CSV (RFC 4180), one at a time, with the names of the first line as keys. A row with a quote that is not
 * closed is lost alone.
 */
export async function* readCsvRows(chunks: AsyncIterable<string>): AsyncGenerator<Row, void, undefined> {
  let [text, line] = ['', 1];
  let names: readonly string[] | null = null;

  function* takeRows(isEnd: boolean): Generator<Row, void, undefined> {
    let start = 0;
    while (start < text.length) {
      const found = parseRecord(text, start, isEnd);
      const isBroken = found === null && (isEnd || text.length - start > maxRowLength);
      if (found === null && !isBroken) break;
      const next: number = found?.next ?? endOfLine(text, start);
      if (found === null) yield { line, error: isEnd ? 'A quote is not closed.' : tooLong };
      else if (names === null) names = found.fields.map((name) => name.trim());
      else if (found.fields.length > 1 || found.fields[0] !== '') yield toCsvRow(line, names, found.fields);
      for (let at = start; at < next; at += 1) if (text.charCodeAt(at) === 10) line += 1;
      start = next;
    }
    text = text.slice(start);
  }

  for await (const chunk of chunks) {
    text += chunk;
    yield* takeRows(false);
  }
  yield* takeRows(true);
}

function toCsvRow(line: number, names: readonly string[], fields: readonly string[]): Row {
  if (fields.length !== names.length) {
    return { line, error: `The row has ${fields.length} fields, and the header ${names.length}.` };
  }
  return { line, value: Object.fromEntries(names.map((name, index) => [name, fields[index]])) };
}

function endOfLine(text: string, from: number): number {
  const end = text.indexOf('\n', from);
  return end < 0 ? text.length : end + 1;
}

/** @returns null if the record is not complete */
function parseRecord(text: string, from: number, isEnd: boolean): CsvRecord | null {
  const fields: string[] = [];
  for (let at = from; ; ) {
    const field = text[at] === '"' ? parseQuoted(text, at) : parsePlain(text, at);
    if (field === null) return null;
    fields.push(field.value);
    if (field.next >= text.length) return isEnd ? { fields, next: text.length } : null;
    if (text[field.next] === '\n') return { fields, next: field.next + 1 };
    at = field.next + 1;
    if (at >= text.length && !isEnd) return null;
  }
}

type Field = { value: string; next: number };

function parsePlain(text: string, from: number): Field {
  let next = from;
  while (next < text.length && text[next] !== ',' && text[next] !== '\n') next += 1;
  return { value: text.slice(from, next).replace(/\r$/, ''), next };
}

/** @returns null if the quote is not closed */
function parseQuoted(text: string, from: number): Field | null {
  for (let at = text.indexOf('"', from + 1); at >= 0; at = text.indexOf('"', at + 2)) {
    if (text[at + 1] === '"') continue;
    const value = text.slice(from + 1, at).replaceAll('""', '"');
    const rest = parsePlain(text, at + 1);
    return { value: value + rest.value, next: rest.next };
  }
  return null;
}
