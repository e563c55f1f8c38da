export type CsvCell = string | number | boolean | null | undefined;

/** Excel reads UTF-8 only after a byte order mark. */
export const csvStart = '\ufeff';

/**
 * Spreadsheets run cells that begin with these characters as formulas, also after white space (OWASP, CSV injection).
 * With an apostrophe before them they are text. In many languages, spreadsheets also begin a cell after a semicolon,
 * and a row after a line break, because they don't see the quotes then.
 */
const formula = /(^|[;\r\n])(?=[\s\p{Cc}\p{Cf}]*[=+\-@＝＋－＠])|^(?=[\t\r\n])/gu;
/** What `formula` marked, perhaps each of several line breaks. The limit bounds the time that a hostile file takes. */
const inertFormula = /(^|[;\r\n])'(?=(?:[\s\p{Cc}\p{Cf}]|(?<=[\r\n])'){0,256}[=+\-@＝＋－＠])|^'(?=[\t\r\n])/gu;
/** They change the direction of what is read (Unicode Standard Annex 9). */
const directional = /[\u202a-\u202e\u2066-\u2069]/gu;

/** A row as in RFC 4180. Spreadsheets show its texts, and run none of them. */
export const toCsvRow = (cells: readonly CsvCell[]): string => `${cells.map(toCell).join(',')}\r\n`;

function toCell(value: CsvCell): string {
  const inert = typeof value === 'string' ? makeInert(value) : String(value ?? '');
  return /[",\r\n]/.test(inert) ? `"${inert.replaceAll('"', '""')}"` : inert;
}

const makeInert = (text: string): string =>
  text.replace(directional, (one) => `\\u${one.charCodeAt(0).toString(16)}`).replace(formula, "$1'");

/** The text of a cell that `toCsvRow` wrote. Backslashes before an escape belong to JSON, which reads it itself. */
export const readInert = (text: string): string =>
  text
    .replace(inertFormula, '$1')
    .replace(/(?<!\\)\\u(202[a-e]|206[6-9])/g, (_, code: string) => String.fromCharCode(Number.parseInt(code, 16)));
