import type { Drawing } from './blocks-html.ts';
import type { EmailBlock } from './content.ts';
import { type Run, runsOf, safeHref } from './inline.ts';
import type { Piece } from './template.ts';

/** The same blocks as plain text. Links and sign-in codes stand alone on their lines, so that programs find them. */
export function writeBlocks(drawing: Drawing, ids: readonly string[], above: readonly string[] = []): string[] {
  return ids.flatMap((id) => {
    const block = Object.hasOwn(drawing.content, id) ? drawing.content[id] : undefined;
    if (!block || above.includes(id)) return [];
    return writeBlock(drawing, block, [...above, id]).filter((paragraph) => paragraph !== '');
  });
}

function writeBlock(drawing: Drawing, block: EmailBlock, above: readonly string[]): string[] {
  switch (block.type) {
    case 'Heading':
    case 'Text':
      return [write(drawing, block.data.props?.text)];
    case 'Button':
      return [linked(write(drawing, block.data.props?.text), write(drawing, block.data.props?.url))];
    case 'Image':
      return [linked(write(drawing, block.data.props?.alt), write(drawing, block.data.props?.linkHref))];
    case 'Container':
      return writeBlocks(drawing, block.data.props?.childrenIds ?? [], above);
    case 'ColumnsContainer': {
      const { columns = [], columnsCount } = block.data.props ?? {};
      return columns.slice(0, columnsCount ?? 2).flatMap(({ childrenIds }) => writeBlocks(drawing, childrenIds, above));
    }
    case 'Divider':
    case 'Spacer':
    case 'EmailLayout':
      return [];
  }
}

function linked(label: string, url: string): string {
  const href = safeHref(url);
  if (href === null) return label;
  return label === '' ? href : `${label}:\n${href}`;
}

function write({ variables, known }: Drawing, text: string | null | undefined): string {
  return tidy(
    runsOf(text ?? '', variables, known)
      .map(writeRun)
      .join(''),
  );
}

function writeRun(run: Run): string {
  const text = run.pieces.map(writePiece).join('');
  if (run.kind !== 'link') return text;
  const href = safeHref(run.url);
  return href === null ? text : `${text}:\n${href}\n`;
}

function writePiece(piece: Piece): string {
  const standsAlone = piece.kind === 'value' && (piece.name === 'otp' || piece.name.endsWith('Link'));
  return standsAlone && piece.text !== '' ? `\n${piece.text}\n` : piece.text;
}

const tidy = (text: string) =>
  text
    .split('\n')
    .map((line) => line.trim())
    .join('\n')
    .replace(/\n{3,}/g, '\n\n')
    .trim();
