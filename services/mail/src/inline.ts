import { interpolate, type Piece, type Variables } from './template.ts';

/** A run of a text, after parsing `**bold**` and `[label](url)`. */
export type Run = { pieces: readonly Piece[]; isBold: boolean; url: readonly Piece[] | null };

/** Replaces the nth value while markup is parsed, so that a value is never parsed as markup. */
const placeholder = (nth: number) => String.fromCharCode(0xe000 + nth);
const anyPlaceholder = /[\uE000-\uF8FF]/g;
const maxValues = 0x1800;
const marks = /\*\*(.+?)\*\*|\[([^[\]]+)\]\(([^()\s]+)\)/gs;

/** Parses the markup of a template; values of variables are plain text. */
export function parseRuns(text: string, variables: Variables, known: readonly string[]): Run[] {
  const pieces = interpolate(text.replace(anyPlaceholder, ''), variables, known);
  const values = pieces.filter((piece) => piece.kind === 'value').slice(0, maxValues);
  let nth = 0;
  const marked = pieces
    .map((piece) => {
      if (piece.kind === 'literal') return piece.text;
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
        return each.length === 1 && value ? value : { kind: 'literal', text: each };
      });
  return parseMarkup(marked, { isBold: false, url: null }).map(({ text, isBold, url }) => {
    return { pieces: unfold(text), isBold, url: url === null ? null : unfold(url) };
  });
}

type ParsedText = { text: string; isBold: boolean; url: string | null };

/** Bold text can contain links and vice versa; neither can contain itself. */
function parseMarkup(text: string, around: Omit<ParsedText, 'text'>): ParsedText[] {
  const parsed: ParsedText[] = [];
  let end = 0;
  const upTo = (index: number) => {
    if (index > end) parsed.push({ ...around, text: text.slice(end, index) });
  };
  for (const { 0: all, 1: bold, 2: label, 3: url, index } of text.matchAll(marks)) {
    const inner = bold === undefined ? { ...around, url: url ?? null } : { ...around, isBold: true };
    if (bold === undefined ? around.url !== null : around.isBold) continue;
    upTo(index);
    parsed.push(...parseMarkup(bold ?? label ?? '', inner));
    end = index + all.length;
  }
  upTo(text.length);
  return parsed;
}

export const joinPieces = (pieces: readonly Piece[]): string => pieces.map(({ text }) => text).join('');

const templateSchemes = ['http:', 'https:', 'mailto:'];
const unsafeSchemes = ['javascript:', 'data:', 'vbscript:', 'blob:', 'file:', 'about:'];

/**
 * The target of a link, or null if it is not allowed. Templates can link to web pages and email addresses. A generated
 * link can also open an app, because its target was validated when it was requested.
 */
export function linkTarget(pieces: readonly Piece[]): string | null {
  const [piece, ...others] = pieces.filter(({ text }) => text.trim() !== '');
  const isGenerated = piece?.kind === 'value' && others.length === 0 && isLinkName(piece.name);
  const url = URL.parse(joinPieces(pieces).trim());
  if (url === null) return null;
  const isSafe = isGenerated ? !unsafeSchemes.includes(url.protocol) : templateSchemes.includes(url.protocol);
  return isSafe ? url.href : null;
}

/** The URL of an image, or null when it is not allowed. */
export function imageSource(pieces: readonly Piece[]): string | null {
  const url = URL.parse(joinPieces(pieces).trim());
  return url !== null && /^https?:$/.test(url.protocol) ? url.href : null;
}

/** Whether a variable holds a generated link, which usually contains a secret. */
export const isLinkName = (name: string): boolean => name.endsWith('Link');
