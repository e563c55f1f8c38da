import type { EmailBlock, EmailContent } from '@gatebook/js/admin';
import { plural, t } from '@lingui/core/macro';

type Data = Readonly<Record<string, unknown>>;

/** A list of blocks: of the email, of a box, or one column. */
export type BlockList = {
  /** The block that contains the list. */
  parentId: string;
  /** Which column of columns; 0 for other lists. */
  column: number;
  items: readonly BlockItem[];
};
export type BlockItem = { id: string; block: EmailBlock; lists: readonly BlockList[] };

const rootId = 'root';

/** Whether a JSON value is a map of blocks. The server validates the blocks themselves. */
export function isContent(value: unknown): value is EmailContent {
  return isObject(value) && Object.values(value).every((block) => isObject(block) && isObject(block.data));
}

/** The source of a template, as the editor shows and compares it. */
export const sourceOf = (content: EmailContent): string => JSON.stringify(content, null, 2);

/** @returns null if the source is not a map of blocks */
export function parseSource(source: string): EmailContent | null {
  try {
    const value: unknown = JSON.parse(source);
    return isContent(value) ? value : null;
  } catch {
    return null;
  }
}

/**
 * The blocks of the email, in reading order. IDs of missing blocks are skipped, as in the email.
 * @returns null if the blocks are not a tree: without a layout, or with a block in two places
 */
export function readTree(content: EmailContent): BlockList | null {
  const seen = new Set<string>([rootId]);
  let isTree = findBlock(content, rootId)?.type === 'EmailLayout';

  function read(parentId: string, block: EmailBlock): BlockList[] {
    return shownLists(block).map((ids, column) => ({
      parentId,
      column,
      items: ids.flatMap((id): BlockItem[] => {
        const child = findBlock(content, id);
        if (!child) return [];
        if (seen.has(id)) {
          isTree = false;
          return [];
        }
        seen.add(id);
        return [{ id, block: child, lists: read(id, child) }];
      }),
    }));
  }

  const root = findBlock(content, rootId);
  const [list] = root ? read(rootId, root) : [];
  return isTree && list ? list : null;
}

/** Adds a block at the end of a list, or at its start. @returns the ID of the block too */
export function addBlock(
  content: EmailContent,
  { parentId, column }: Pick<BlockList, 'parentId' | 'column'>,
  block: EmailBlock,
  { atStart = false } = {},
): { content: EmailContent; id: string } {
  const id = unusedId(content);
  const insert = (ids: readonly string[]) => (atStart ? [id, ...ids] : [...ids, id]);
  return { id, content: { ...withList(content, parentId, column, insert), [id]: block } };
}

/** Swaps a block with the block before or after it in its list. */
export function moveBlock(content: EmailContent, id: string, by: -1 | 1): EmailContent {
  const place = findPlace(content, id);
  if (!place) return content;
  const { parentId, column, ids } = place;
  const shown = ids.filter((each) => findBlock(content, each));
  const other = shown[shown.indexOf(id) + by];
  if (other === undefined) return content;
  const swap = (each: string) => (each === id ? other : each === other ? id : each);
  return withList(content, parentId, column, (all) => all.map(swap));
}

/** Removes a block with everything in it. */
export function removeBlock(content: EmailContent, id: string): EmailContent {
  const place = findPlace(content, id);
  if (!place) return content;
  const kept = withList(content, place.parentId, place.column, (ids) => ids.filter((each) => each !== id));
  const removed = listWithin(content, id);
  return Object.fromEntries(Object.entries(kept).filter(([each]) => !removed.has(each)));
}

/** Where a value of a block is: in its props, in its style, or directly in its data. */
export type FieldPart = 'props' | 'style' | 'data';

export function readValue(block: EmailBlock, part: FieldPart, name: string): unknown {
  return partOf(block, part)[name] ?? undefined;
}

/** Returns the content with one value of a block replaced; undefined removes it. */
export function withValue(
  content: EmailContent,
  id: string,
  { part, name }: { part: FieldPart; name: string },
  value: unknown,
): EmailContent {
  const block = findBlock(content, id);
  if (!block) return content;
  const { [name]: _replaced, ...others } = partOf(block, part);
  const changed = value === undefined ? others : { ...others, [name]: value };
  const data = part === 'data' ? changed : { ...block.data, [part]: changed };
  return { ...content, [id]: { ...block, data } };
}

/** What an edit did, in a few words. */
export function describeEdit(before: EmailContent, after: EmailContent): string {
  const ids = Object.keys(after).filter((id) => id !== rootId);
  const added = ids.filter((id) => !findBlock(before, id));
  const removed = Object.keys(before).filter((id) => id !== rootId && !findBlock(after, id));
  const isEdited = (id: string) => {
    const block = findBlock(before, id);
    return block !== undefined && withoutLists(block) !== withoutLists(after[id] as EmailBlock);
  };
  const edited = ids.filter(isEdited);
  const orders = [before, after].map((content) => JSON.stringify(orderOf(content, [...added, ...removed])));
  const counted = [
    [added.length, 'added'],
    [edited.length, 'edited'],
    [removed.length, 'removed'],
  ] as const;
  const parts = counted.filter(([count]) => count > 0).map(([count, verb]) => `${blocksText(count)} ${verb}`);
  if (orders[0] !== orders[1]) parts.push(t`order changed`);
  if (isEdited(rootId)) parts.push(t`look changed`);
  return parts.join(', ') || t`source changed`;
}

const blocksText = (count: number): string => plural(count, { one: '# block', other: '# blocks' });

/** The lists of all blocks, without the IDs of blocks that are in one content only. */
function orderOf(content: EmailContent, ignored: readonly string[]): unknown {
  const lists = Object.entries(content).map(([id, block]) => [
    id,
    allLists(block).map((ids) => ids.filter((each) => !ignored.includes(each))),
  ]);
  return lists
    .filter(([id]) => !ignored.includes(id as string))
    .sort(([one], [other]) => String(one).localeCompare(String(other)));
}

const withoutLists = (block: EmailBlock): string => JSON.stringify(mapLists(block, () => []));

function unusedId(content: EmailContent): string {
  for (let nth = Object.keys(content).length; ; nth += 1) {
    const id = `block-${nth}`;
    if (!Object.hasOwn(content, id)) return id;
  }
}

function findPlace(content: EmailContent, id: string) {
  for (const [parentId, block] of Object.entries(content)) {
    const lists = allLists(block);
    const column = lists.findIndex((ids) => ids.includes(id));
    if (column >= 0) return { parentId, column, ids: lists[column] ?? [] };
  }
  return undefined;
}

/** The block and all blocks in it. */
function listWithin(content: EmailContent, id: string, found = new Set<string>()): ReadonlySet<string> {
  const block = findBlock(content, id);
  if (!block || found.has(id)) return found;
  found.add(id);
  for (const child of allLists(block).flat()) listWithin(content, child, found);
  return found;
}

function withList(
  content: EmailContent,
  parentId: string,
  column: number,
  change: (ids: readonly string[]) => readonly string[],
): EmailContent {
  const parent = findBlock(content, parentId);
  if (!parent) return content;
  return { ...content, [parentId]: mapLists(parent, (ids, nth) => (nth === column ? change(ids) : ids)) };
}

function shownLists(block: EmailBlock): readonly (readonly string[])[] {
  const count = block.type === 'ColumnsContainer' ? (propsOf(block).columnsCount ?? 2) : 1;
  return allLists(block).slice(0, Number(count));
}

function allLists(block: EmailBlock): readonly (readonly string[])[] {
  const lists: (readonly string[])[] = [];
  mapLists(block, (ids) => {
    lists.push(ids);
    return ids;
  });
  return lists;
}

/** Replaces the lists of children, also those of hidden columns. A block without lists is unchanged. */
function mapLists(block: EmailBlock, change: (ids: readonly string[], nth: number) => readonly string[]): EmailBlock {
  const { data, type } = block;
  if (type === 'EmailLayout') return { ...block, data: { ...data, childrenIds: change(idsIn(data.childrenIds), 0) } };
  const props = propsOf(block);
  if (type === 'Container') {
    return { ...block, data: { ...data, props: { ...props, childrenIds: change(idsIn(props.childrenIds), 0) } } };
  }
  if (type !== 'ColumnsContainer' || !Array.isArray(props.columns)) return block;
  const columns = props.columns.map((column: unknown, nth) => {
    const { childrenIds, ...others } = isObject(column) ? column : {};
    return { ...others, childrenIds: change(idsIn(childrenIds), nth) };
  });
  return { ...block, data: { ...data, props: { ...props, columns } } };
}

const idsIn = (value: unknown): readonly string[] =>
  Array.isArray(value) ? value.filter((id) => typeof id === 'string') : [];

export const findBlock = (content: EmailContent, id: string): EmailBlock | undefined =>
  Object.hasOwn(content, id) ? content[id] : undefined;

function partOf(block: EmailBlock, part: FieldPart): Data {
  if (part === 'data') return block.data;
  const value = block.data[part];
  return isObject(value) ? value : {};
}

const propsOf = (block: EmailBlock): Data => partOf(block, 'props');

const isObject = (value: unknown): value is Data =>
  typeof value === 'object' && value !== null && !Array.isArray(value);
