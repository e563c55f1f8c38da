import type { EmailBlock, EmailContent } from '@gatebook/sdk/emails';

/** A text of a mail that can be edited by itself. */
export type EditableText = { blockId: string; field: 'text' | 'url'; label: string; value: string };

const maxDepth = 20;
type Data = Readonly<Record<string, unknown>>;

/** The texts of a mail in the order in which they are read; blocks that are not there are passed over. */
export function editableTexts(content: EmailContent): EditableText[] {
  const counts = new Map<string, number>();
  return idsBelow(content, 'root', 0).flatMap((blockId) => {
    const block = content[blockId];
    if (!block || !['Heading', 'Text', 'Button'].includes(block.type)) return [];
    const count = (counts.get(block.type) ?? 0) + 1;
    counts.set(block.type, count);
    const label = `${block.type} ${count}`;
    const text = { blockId, field: 'text', label, value: textOf(block, 'text') } as const;
    if (block.type !== 'Button') return [text];
    return [text, { blockId, field: 'url', label: `${label}, link`, value: textOf(block, 'url') }];
  });
}

/** The content with one of its texts changed. */
export function withText(content: EmailContent, { blockId, field }: EditableText, value: string): EmailContent {
  const block = content[blockId];
  if (!block) return content;
  const props = { ...propsOf(block), [field]: value };
  return { ...content, [blockId]: { ...block, data: { ...block.data, props } } };
}

function idsBelow(content: EmailContent, id: string, depth: number): string[] {
  const block = content[id];
  if (!block || depth > maxDepth) return [];
  return childrenOf(block).flatMap((child) => [child, ...idsBelow(content, child, depth + 1)]);
}

function childrenOf(block: EmailBlock): string[] {
  const { childrenIds } = block.data;
  const props = propsOf(block);
  const columns = Array.isArray(props.columns) ? props.columns : [];
  const inColumns = columns.flatMap((column: Data | null) => column?.childrenIds ?? []);
  return [childrenIds, props.childrenIds, inColumns].flatMap((ids) =>
    Array.isArray(ids) ? ids.filter((id) => typeof id === 'string') : [],
  );
}

function propsOf({ data }: EmailBlock): Data {
  return typeof data.props === 'object' && data.props !== null ? (data.props as Data) : {};
}

function textOf(block: EmailBlock, field: 'text' | 'url'): string {
  const value = propsOf(block)[field];
  return typeof value === 'string' ? value : '';
}
