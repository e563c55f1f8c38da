import type { EmailBlock, EmailContent } from '@gatebook/js/admin';

/** A text of a template that has its own field in the editor. */
export type EditableText = { blockId: string; field: 'text' | 'url'; label: string; value: string };

type Data = Readonly<Record<string, unknown>>;

/** The texts of a template in reading order; missing blocks are skipped. */
export function editableTexts(content: EmailContent): EditableText[] {
  const counts = new Map<string, number>();
  return listBlockIds(content).flatMap((blockId) => {
    const block = content[blockId];
    if (!block || !['Heading', 'Text', 'Button'].includes(block.type)) return [];
    const count = (counts.get(block.type) ?? 0) + 1;
    counts.set(block.type, count);
    const label = `${block.type} ${count}`;
    const text = { blockId, field: 'text', label, value: textOf(block, 'text') } as const;
    if (block.type !== 'Button') return [text];
    return [text, { blockId, field: 'url', label: `${label} URL`, value: textOf(block, 'url') }];
  });
}

/** Returns the content with one text replaced. */
export function withText(content: EmailContent, { blockId, field }: EditableText, value: string): EmailContent {
  const block = content[blockId];
  if (!block) return content;
  const props = { ...propsOf(block), [field]: value };
  return { ...content, [blockId]: { ...block, data: { ...block.data, props } } };
}

/** Block IDs in reading order, each once: a block can be referenced twice or contain itself. */
function listBlockIds(content: EmailContent): string[] {
  const ids = new Set<string>();
  const visit = (id: string): void => {
    const block = Object.hasOwn(content, id) ? content[id] : undefined;
    if (!block || ids.has(id)) return;
    ids.add(id);
    childrenOf(block).forEach(visit);
  };
  visit('root');
  return [...ids];
}

/** Whether a JSON value is a map of blocks. The server validates the blocks themselves. */
export function isContent(value: unknown): value is EmailContent {
  return isObject(value) && Object.values(value).every((block) => isObject(block) && isObject(block.data));
}

const isObject = (value: unknown): value is Data =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

function childrenOf(block: EmailBlock): string[] {
  const { childrenIds } = block.data;
  const props = propsOf(block);
  const columns: unknown[] = Array.isArray(props.columns) ? props.columns : [];
  const inColumns = columns.flatMap((column) => (isObject(column) ? column.childrenIds : []));
  return [childrenIds, props.childrenIds, inColumns].flatMap((ids) =>
    Array.isArray(ids) ? ids.filter((id) => typeof id === 'string') : [],
  );
}

function propsOf({ data }: EmailBlock): Data {
  return isObject(data.props) ? data.props : {};
}

function textOf(block: EmailBlock, field: 'text' | 'url'): string {
  const value = propsOf(block)[field];
  return typeof value === 'string' ? value : '';
}
