import type { EmailBlock, EmailContent } from './content.ts';

export type BlockNode = {
  id: string;
  block: EmailBlock;
  /** One list for a container, one per visible column for columns, none for other blocks. */
  children: readonly (readonly BlockNode[])[];
};

const maxBlocks = 500;
const maxDepth = 20;
const maxCharacters = 100_000;

/**
 * Builds the tree of visible blocks. Missing blocks and blocks that contain themselves are skipped. Blocks can be
 * referenced repeatedly, so a few containers could expand into millions: blocks beyond the limits are skipped too.
 */
export function buildTree(content: EmailContent): readonly BlockNode[] {
  let [blocks, characters] = [0, 0];

  function expand(ids: readonly string[], ancestors: readonly string[]): BlockNode[] {
    return ids.flatMap((id): BlockNode[] => {
      const block = findBlock(content, id);
      if (!block || block.type === 'EmailLayout' || ancestors.includes(id) || ancestors.length > maxDepth) return [];
      blocks += 1;
      characters += JSON.stringify(block).length;
      if (blocks > maxBlocks || characters > maxCharacters) return [];
      return [{ id, block, children: childrenOf(block).map((list) => expand(list, [...ancestors, id])) }];
    });
  }

  const root = findBlock(content, 'root');
  return root?.type === 'EmailLayout' ? expand(root.data.childrenIds ?? [], ['root']) : [];
}

/** The content is untrusted JSON, so inherited properties such as `constructor` are not blocks. */
function findBlock(content: EmailContent, id: string): EmailBlock | undefined {
  return Object.hasOwn(content, id) ? content[id] : undefined;
}

function childrenOf(block: EmailBlock): readonly (readonly string[])[] {
  if (block.type === 'Container') return [block.data.props?.childrenIds ?? []];
  if (block.type !== 'ColumnsContainer') return [];
  const { columns = [], columnsCount } = block.data.props ?? {};
  return columns.slice(0, columnsCount ?? 2).map(({ childrenIds }) => childrenIds);
}
