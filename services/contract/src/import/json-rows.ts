import { maxRowLength, type Row, tooLong, toRow } from './row.ts';

const space = /\s/;
/** Continues the value before it: an object can't follow. */
const isOperator = (char: string) => char === ',' || char === ':' || char === '[';

/**
 * Reads rows from JSON in any of these forms, one row at a time: an object per line, an array of objects, an object
 * with such an array under one of `listKeys`, or several of them one after the other.
 */
export async function* readJsonRows(
  chunks: AsyncIterable<string>,
  listKeys: readonly string[],
): AsyncGenerator<Row, void, undefined> {
  const scanner = createScanner(listKeys);
  for await (const chunk of chunks) {
    for (const char of chunk) scanner.read(char);
    yield* scanner.takeRows();
  }
  scanner.end();
  yield* scanner.takeRows();
}

/** `between`: outside of a row. `tail`: after the list of an object that has one. `rest`: of any other line. */
type Place = 'between' | 'row' | 'tail' | 'rest';

function createScanner(listKeys: readonly string[]) {
  let rows: Row[] = [];
  let [line, place, isInList, hasTail]: [number, Place, boolean, boolean] = [1, 'between', false, false];
  /** The state of the current row. `key` is the last string directly in it, which a colon follows if it is a key. */
  let row = { line: 1, text: '', depth: 0, isInString: false, isEscaped: false, last: '', string: '', key: '' };

  function begin(char: string): void {
    place = 'row';
    row = { line, text: '', depth: 0, isInString: false, isEscaped: false, last: '', string: '', key: '' };
    continueRow(char);
  }

  function finish() {
    rows.push(toRow(row.line, row.text));
    place = 'between';
  }

  function fail(error: string): void {
    rows.push({ line: row.line, error });
    place = 'between';
  }

  function continueString(char: string) {
    if (row.isEscaped) row.isEscaped = false;
    else if (char === '\\') row.isEscaped = true;
    else if (char === '"') {
      row.isInString = false;
      if (row.depth === 1) row.key = row.string;
    } else if (row.depth === 1 && row.string.length < 64) row.string += char;
  }

  function continueRow(char: string) {
    // One character more than allowed shows that the row is too long.
    if (row.text.length <= maxRowLength) row.text += char;
    if (row.isInString) return continueString(char);
    if (char === '"') {
      row.isInString = true;
      row.string = '';
    } else if (char === '{' || char === '[') {
      if (char === '[' && !isInList && row.depth === 1 && row.last === ':' && listKeys.includes(row.key)) {
        [isInList, hasTail, place] = [true, true, 'between'];
        return;
      }
      row.depth += 1;
    } else if (char === '}' || char === ']') {
      row.depth -= 1;
      if (row.depth === 0) return finish();
    }
    if (!space.test(char)) row.last = char;
  }

  /** A line break ends a broken row of a file with a row per line, so that only this row is lost. */
  function breakRow(): void {
    if (!isInList && row.isInString) fail('The row is not valid JSON: a string is not closed.');
  }

  function readBetween(char: string): void {
    if (space.test(char) || char === ',') return;
    if (char === '[' && !isInList) isInList = true;
    else if (char === ']' && isInList) {
      isInList = false;
      if (!hasTail) return;
      [place, hasTail] = ['tail', false];
      row = { ...row, depth: 1, isInString: false, isEscaped: false };
    } else if (char === '{') begin(char);
    else {
      row = { ...row, line };
      fail('The row is not a JSON object.');
      place = 'rest';
    }
  }

  function readTail(char: string) {
    if (row.isInString) return continueString(char);
    if (char === '"') row.isInString = true;
    else if (char === '{' || char === '[') row.depth += 1;
    else if (char === '}' || char === ']') row.depth -= 1;
    if (row.depth === 0) place = 'between';
  }

  function read(char: string): void {
    if (place === 'row') {
      const startsRow = char === '{' && row.text.endsWith('\n') && !row.isInString && !isInList;
      if (startsRow && !isOperator(row.last)) {
        fail('The row is not valid JSON: a bracket is not closed.');
        begin(char);
      } else continueRow(char);
      if (char === '\n' && place === 'row') breakRow();
    } else if (place === 'between') readBetween(char);
    else if (place === 'tail') readTail(char);
    else if (char === '\n' || (isInList && (char === ',' || char === ']'))) {
      place = 'between';
      readBetween(char);
    }
    if (char === '\n') line += 1;
  }

  return {
    read,
    end: () => {
      if (place === 'row') fail(row.text.length > maxRowLength ? tooLong : 'The file ends inside this row.');
    },
    takeRows: () => {
      const taken = rows;
      rows = [];
      return taken;
    },
  };
}
