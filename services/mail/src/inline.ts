import { interpolate, type Piece, type Variables } from './template.ts';

/** A run of a text in which the marks `**bold**` and `[label](url)` were read. */
export type Run = { pieces: readonly Piece[]; isBold: boolean; url: readonly Piece[] | null };

/** Stands for the nth value while the marks of a text are read, so that a value is never read as a mark. */
const placeholder = (nth: number) => String.fromCharCode(0xe000 + nth);
const anyPlaceholder = /[\uE000-\uF8FF]/g;
const maxValues = 0x1800;
const marks = /\*\*(.+?)\*\*|\[([^[\]]+)\]\(([^()\s]+)\)/gs;

/** Reads the marks that the maker of a template wrote; what a variable brings along is plain text. */
export function runsOf(text: string, variables: Variables, known: readonly string[]): Run[] {
  const pieces = interpolate(text.replace(anyPlaceholder, ''), variables, known);
  const values = pieces.filter((piece) => piece.kind === 'value').slice(0, maxValues);
  let nth = 0;
  const marked = pieces
    .map((piece) => {
      if (piece.kind === 'written') return piece.text;
      nth += 1;
      return nth <= maxValues ? placeholder(nth - 1) : '';
    })
    .join('');
  const unfold = (part: string): Piece[] =>
    part
      .split(/([\uE000-\uF8FF])/)
      .filter((each) => each !== '')
      .map((each) => {
        const value = values[each.charCodeAt(0) - 0xe000];
        return each.length === 1 && value ? value : { kind: 'written', text: each };
      });
  return readMarks(marked, { isBold: false, url: null }).map(({ text, isBold, url }) => {
    return { pieces: unfold(text), isBold, url: url === null ? null : unfold(url) };
  });
}

type Marked = { text: string; isBold: boolean; url: string | null };

/** Bold parts may hold links and the other way round; neither holds itself. */
function readMarks(text: string, around: Omit<Marked, 'text'>): Marked[] {
  const read: Marked[] = [];
  let end = 0;
  const upTo = (index: number) => {
    if (index > end) read.push({ ...around, text: text.slice(end, index) });
  };
  for (const { 0: all, 1: bold, 2: label, 3: url, index } of text.matchAll(marks)) {
    const inner = bold === undefined ? { ...around, url: url ?? null } : { ...around, isBold: true };
    if (bold === undefined ? around.url !== null : around.isBold) continue;
    upTo(index);
    read.push(...readMarks(bold ?? label ?? '', inner));
    end = index + all.length;
  }
  upTo(text.length);
  return read;
}

export const textOf = (pieces: readonly Piece[]): string => pieces.map(({ text }) => text).join('');

const templateSchemes = ['http:', 'https:', 'mailto:'];
const unsafeSchemes = ['javascript:', 'data:', 'vbscript:', 'blob:', 'file:', 'about:'];

/**
 * Where a link leads, or null where no link may lead. Templates link to web pages and addresses; a link of Gatebook's own may also
 * open an app, since its target was checked when it was asked for.
 */
export function linkTarget(pieces: readonly Piece[]): string | null {
  const [piece, ...others] = pieces.filter(({ text }) => text.trim() !== '');
  const isOurs = piece?.kind === 'value' && others.length === 0 && isLinkName(piece.name);
  const url = URL.parse(textOf(pieces).trim());
  if (url === null) return null;
  const isSafe = isOurs ? !unsafeSchemes.includes(url.protocol) : templateSchemes.includes(url.protocol);
  return isSafe ? url.href : null;
}

/** Where an image may come from, or null. */
export function imageSource(pieces: readonly Piece[]): string | null {
  const url = URL.parse(textOf(pieces).trim());
  return url !== null && /^https?:$/.test(url.protocol) ? url.href : null;
}

/** Variables whose value is a link that is good for something. */
export const isLinkName = (name: string): boolean => name.endsWith('Link');
