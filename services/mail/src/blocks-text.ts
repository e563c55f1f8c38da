import { isLinkName, joinPieces, linkTarget, parseRuns, type Run } from './inline.ts';
import { interpolate, type Piece, type Variables } from './template.ts';
import type { BlockNode } from './tree.ts';

type TextContext = { variables: Variables; known: readonly string[] };

/** Renders blocks as plain text. Links and sign-in codes get their own lines, so that people and programs find them. */
export function renderBlocksAsText(context: TextContext, nodes: readonly BlockNode[]): string {
  return listParagraphs(context, nodes)
    .filter((paragraph) => paragraph !== '')
    .join('\n\n');
}

function listParagraphs(context: TextContext, nodes: readonly BlockNode[]): string[] {
  return nodes.flatMap(({ block, children }) => {
    switch (block.type) {
      case 'Heading':
        return [tidy(isolateLinks(evaluate(context, block.data.props?.text)))];
      case 'Text':
        return [
          tidy(
            parseRuns(block.data.props?.text ?? '', context.variables, context.known)
              .map(renderRun)
              .join(''),
          ),
        ];
      case 'Button': {
        const { text, url } = block.data.props ?? {};
        return [tidy(withTarget(isolateLinks(evaluate(context, text)), linkTarget(evaluate(context, url))))];
      }
      case 'Image': {
        const { alt, linkHref } = block.data.props ?? {};
        return [tidy(withTarget(isolateLinks(evaluate(context, alt)), linkTarget(evaluate(context, linkHref))))];
      }
      default:
        return children.flatMap((each) => listParagraphs(context, each));
    }
  });
}

const evaluate = ({ variables, known }: TextContext, text: string | null | undefined): Piece[] =>
  interpolate(text ?? '', variables, known);

function renderRun({ pieces, url }: Run): string {
  if (url === null) return isolateLinks(pieces);
  const target = linkTarget(url);
  return target === joinPieces(pieces).trim() ? `\n${target}\n` : withTarget(isolateLinks(pieces), target);
}

function withTarget(label: string, target: string | null): string {
  if (target === null) return label;
  const introduction = label.trim().replace(/:$/, '');
  if (introduction === '' || label.includes('\n')) return `${label}\n${target}\n`;
  return `${introduction}:\n${target}\n`;
}

/** Markers around a value, so that a URL that contains the value is not split. */
const [openMarker, closeMarker] = ['\uE000', '\uE001'];
const markerPattern = /[\uE000\uE001]/g;
const isolatedPattern = /https?:\/\/(?:[^\s<>"\uE000\uE001]|\uE000[^\s\uE001]*\uE001)+|\uE000[^\uE001]*\uE001/g;
const endOfSentence = /[.,;:!?)\]}'*]+$/;

/** Joins the pieces and puts each URL and code on its own line. */
function isolateLinks(pieces: readonly Piece[]): string {
  const text = pieces.map((piece) => {
    const plain = piece.text.replace(markerPattern, '');
    const isIsolated = piece.kind === 'value' && plain !== '' && (piece.name === 'otp' || isLinkName(piece.name));
    return isIsolated ? openMarker + plain + closeMarker : plain;
  });
  return text.join('').replace(isolatedPattern, (found) => {
    const end = endOfSentence.exec(found)?.[0] ?? '';
    return `\n${found.slice(0, found.length - end.length).replace(markerPattern, '')}\n${end}`;
  });
}

const strayPunctuation = /^[.,;:!?)]+$/;

/** Removes punctuation stranded by moved links, spaces at line ends and repeated blank lines. */
const tidy = (text: string): string =>
  text
    .split('\n')
    .map((line) => line.trim())
    .filter((line) => !strayPunctuation.test(line))
    .map((line) => line.replace(/^[.,;:!?)]+\s+/, ''))
    .join('\n')
    .replace(/\n{3,}/g, '\n\n')
    .trim();
