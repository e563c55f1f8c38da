import type { EmailBlock, EmailContent } from './content.ts';

export type BlockNode = {
  id: string;
  block: EmailBlock;
  /** Of a container one list, of columns one for each that is shown, of others none. */
  children: readonly (readonly BlockNode[])[];
};

const maxBlocks = 500;
const maxDepth = 20;
const maxCharacters = 100_000;

/**
 * The blocks that a mail shows, from its root down. A block that is missing, or that contains itself, is left out. Blocks may be
 * named more than once, so a few containers could unfold into millions: what exceeds a mail's bounds is left out too.
 */
export function treeOf(content: EmailContent): readonly BlockNode[] {
  let [blocks, characters] = [0, 0];

  function grow(ids: readonly string[], above: readonly string[]): BlockNode[] {
    return ids.flatMap((id): BlockNode[] => {
      const block = blockAt(content, id);
      if (!block || block.type === 'EmailLayout' || above.includes(id) || above.length > maxDepth) return [];
      blocks += 1;
      characters += JSON.stringify(block).length;
      if (blocks > maxBlocks || characters > maxCharacters) return [];
      return [{ id, block, children: childrenOf(block).map((list) => grow(list, [...above, id])) }];
    });
  }

  const root = blockAt(content, 'root');
  return root?.type === 'EmailLayout' ? grow(root.data.childrenIds ?? [], ['root']) : [];
}

/** Contents are JSON of others: a name that every object has is no block. */
function blockAt(content: EmailContent, id: string): EmailBlock | undefined {
  return Object.hasOwn(content, id) ? content[id] : undefined;
}

function childrenOf(block: EmailBlock): readonly (readonly string[])[] {
  if (block.type === 'Container') return [block.data.props?.childrenIds ?? []];
  if (block.type !== 'ColumnsContainer') return [];
  const { columns = [], columnsCount } = block.data.props ?? {};
  return columns.slice(0, columnsCount ?? 2).map(({ childrenIds }) => childrenIds);
}
