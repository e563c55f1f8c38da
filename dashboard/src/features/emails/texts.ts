import type { EmailBlock, EmailContent } from '@gatebook/js/emails';

/** A text of a mail that can be edited by itself. */
export type EditableText = { blockId: string; field: 'text' | 'url'; label: string; value: string };

type Data = Readonly<Record<string, unknown>>;

/** The texts of a mail in the order in which they are read; blocks that are not there are passed over. */
export function editableTexts(content: EmailContent): EditableText[] {
  const counts = new Map<string, number>();
  return idsIn(content).flatMap((blockId) => {
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

/** Block ids in the order in which they are read, each once: blocks may be named twice, or hold themselves. */
function idsIn(content: EmailContent): string[] {
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

/** Whether a JSON value has the form of blocks. What they hold, the server checks. */
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
