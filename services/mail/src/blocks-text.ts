import { isLinkName, linkTarget, type Run, runsOf, textOf } from './inline.ts';
import { interpolate, type Piece, type Variables } from './template.ts';
import type { BlockNode } from './tree.ts';

type Writing = { variables: Variables; known: readonly string[] };

/** A mail's blocks as plain text. Links and sign-in codes stand alone on their lines, so that people and programs find them. */
export function writeBlocks(writing: Writing, nodes: readonly BlockNode[]): string {
  return paragraphsOf(writing, nodes)
    .filter((paragraph) => paragraph !== '')
    .join('\n\n');
}

function paragraphsOf(writing: Writing, nodes: readonly BlockNode[]): string[] {
  return nodes.flatMap(({ block, children }) => {
    switch (block.type) {
      case 'Heading':
        return [tidy(alone(read(writing, block.data.props?.text)))];
      case 'Text':
        return [
          tidy(
            runsOf(block.data.props?.text ?? '', writing.variables, writing.known)
              .map(writeRun)
              .join(''),
          ),
        ];
      case 'Button': {
        const { text, url } = block.data.props ?? {};
        return [tidy(linked(alone(read(writing, text)), linkTarget(read(writing, url))))];
      }
      case 'Image': {
        const { alt, linkHref } = block.data.props ?? {};
        return [tidy(linked(alone(read(writing, alt)), linkTarget(read(writing, linkHref))))];
      }
      default:
        return children.flatMap((each) => paragraphsOf(writing, each));
    }
  });
}

const read = ({ variables, known }: Writing, text: string | null | undefined): Piece[] =>
  interpolate(text ?? '', variables, known);

function writeRun({ pieces, url }: Run): string {
  if (url === null) return alone(pieces);
  const target = linkTarget(url);
  return target === textOf(pieces).trim() ? `\n${target}\n` : linked(alone(pieces), target);
}

function linked(label: string, target: string | null): string {
  if (target === null) return label;
  const introduction = label.trim().replace(/:$/, '');
  if (introduction === '' || label.includes('\n')) return `${label}\n${target}\n`;
  return `${introduction}:\n${target}\n`;
}

/** Bounds of a value, so that an address which it is part of is not torn apart. */
const [opening, closing] = ['\uE000', '\uE001'];
const bounds = /[\uE000\uE001]/g;
const sought = /https?:\/\/(?:[^\s<>"\uE000\uE001]|\uE000[^\s\uE001]*\uE001)+|\uE000[^\uE001]*\uE001/g;
const endOfSentence = /[.,;:!?)\]}'*]+$/;

/** The text of these pieces, each address and code in it on a line of its own. */
function alone(pieces: readonly Piece[]): string {
  const text = pieces.map((piece) => {
    const plain = piece.text.replace(bounds, '');
    const isSought = piece.kind === 'value' && plain !== '' && (piece.name === 'otp' || isLinkName(piece.name));
    return isSought ? opening + plain + closing : plain;
  });
  return text.join('').replace(sought, (found) => {
    const end = endOfSentence.exec(found)?.[0] ?? '';
    return `\n${found.slice(0, found.length - end.length).replace(bounds, '')}\n${end}`;
  });
}

const strayMarks = /^[.,;:!?)]+$/;

/** What ended a sentence before its link moved to the next line goes; no blanks at the ends of lines, no gaps of two lines. */
const tidy = (text: string): string =>
  text
    .split('\n')
    .map((line) => line.trim())
    .filter((line) => !strayMarks.test(line))
    .map((line) => line.replace(/^[.,;:!?)]+\s+/, ''))
    .join('\n')
    .replace(/\n{3,}/g, '\n\n')
    .trim();
