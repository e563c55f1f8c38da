import { interpolate, type Piece, type Variables } from './template.ts';

/** A run of a text: `**bold**`, `[label](url)`, or neither. */
export type Run =
  | { kind: 'plain'; pieces: Piece[] }
  | { kind: 'bold'; pieces: Piece[] }
  | { kind: 'link'; pieces: Piece[]; url: string };

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
  const runs: Run[] = [];
  let end = 0;
  for (const match of marked.matchAll(marks)) {
    if (match.index > end) runs.push({ kind: 'plain', pieces: unfold(marked.slice(end, match.index)) });
    const [all, bold, label, url] = match;
    if (bold !== undefined) runs.push({ kind: 'bold', pieces: unfold(bold) });
    else if (label !== undefined && url !== undefined) {
      runs.push({ kind: 'link', pieces: unfold(label), url: textOf(unfold(url)) });
    }
    end = match.index + all.length;
  }
  if (end < marked.length) runs.push({ kind: 'plain', pieces: unfold(marked.slice(end)) });
  return runs;
}

export const textOf = (pieces: readonly Piece[]): string => pieces.map(({ text }) => text).join('');

const unsafeSchemes = ['javascript:', 'data:', 'vbscript:', 'blob:', 'file:', 'about:'];

/** An address that a link may lead to: absolute, of a scheme that goes somewhere instead of running something. */
export function safeHref(url: string): string | null {
  const parsed = URL.parse(url.trim());
  return parsed === null || unsafeSchemes.includes(parsed.protocol) ? null : parsed.href;
}

/** An address that an image may come from. */
export function safeImage(url: string): string | null {
  const parsed = URL.parse(url.trim());
  return parsed !== null && /^https?:$/.test(parsed.protocol) ? parsed.href : null;
}
