import type { EmailContent } from '@gatebook/js/admin';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { blockTypeNames, newBlock } from './block-types.ts';
import {
  addBlock,
  type BlockList,
  describeEdit,
  moveBlock,
  parseSource,
  readTree,
  removeBlock,
  sourceOf,
  withValue,
} from './content-tree.ts';
import { contentFault, readLook, withLook } from './look.ts';

const text = (words: string) => ({ type: 'Text', data: { props: { text: words } } });
const layout = (...childrenIds: string[]) => ({ type: 'EmailLayout', data: { canvasColor: '#ffffff', childrenIds } });
const content: EmailContent = {
  root: layout('a', 'gone', 'box', 'columns'),
  a: text('A'),
  box: { type: 'Container', data: { style: { borderRadius: 8 }, props: { childrenIds: ['b', 'c'] } } },
  b: text('B'),
  c: text('C'),
  columns: {
    type: 'ColumnsContainer',
    data: { props: { columns: [{ childrenIds: ['d'] }, { childrenIds: ['e'] }, { childrenIds: ['hidden'] }] } },
  },
  d: text('D'),
  e: text('E'),
  hidden: text('Hidden'),
  orphan: text('Orphan'),
};

/** IDs in order; a block with lists is an array of its ID and of theirs. */
const shapeOf = (list: BlockList): unknown[] =>
  list.items.map(({ id, lists }) => (lists.length === 0 ? id : [id, ...lists.map(shapeOf)]));
const tree = (given: EmailContent) => {
  const list = readTree(given);
  return list && shapeOf(list);
};
const top = { parentId: 'root', column: 0 };

describe('the tree of blocks', () => {
  test('is in reading order, without missing and hidden blocks', () => {
    expect(tree(content)).toEqual(['a', ['box', ['b', 'c']], ['columns', ['d'], ['e']]]);
  });

  test.each<[string, EmailContent]>([
    ['no layout', { a: text('A') }],
    ['a block twice', { root: layout('a', 'a'), a: text('A') }],
    [
      'a box that contains itself',
      { root: layout('x'), x: { type: 'Container', data: { props: { childrenIds: ['x'] } } } },
    ],
    ['a layout in itself', { root: layout('root') }],
  ])('does not exist with %s', (_, given) => {
    expect(tree(given)).toBeNull();
  });
});

describe('an edit', () => {
  test('moves a block past its neighbor that exists, and stops at the ends', () => {
    const moved = moveBlock(content, 'box', -1);
    expect(moved.root?.data.childrenIds).toEqual(['box', 'gone', 'a', 'columns']);
    expect(moveBlock(content, 'a', -1)).toBe(content);
    expect(moveBlock(content, 'e', 1)).toBe(content);
    expect(tree(moveBlock(content, 'c', -1))).toEqual(['a', ['box', ['c', 'b']], ['columns', ['d'], ['e']]]);
  });

  test('adds a block to the email, a box or a column', () => {
    const places = [top, { parentId: 'box', column: 0 }, { parentId: 'columns', column: 1 }];
    const results = places.map((place) => {
      const added = addBlock(content, place, newBlock('Divider'));
      return JSON.stringify(tree(added.content)).replaceAll(added.id, 'new');
    });
    expect(results.map((result) => JSON.parse(result))).toEqual([
      ['a', ['box', ['b', 'c']], ['columns', ['d'], ['e']], 'new'],
      ['a', ['box', ['b', 'c', 'new']], ['columns', ['d'], ['e']]],
      ['a', ['box', ['b', 'c']], ['columns', ['d'], ['e', 'new']]],
    ]);
  });

  test('removes a block with everything in it, and nothing else', () => {
    const removed = removeBlock(content, 'columns');
    expect(Object.keys(removed)).toEqual(['root', 'a', 'box', 'b', 'c', 'orphan']);
    expect(tree(removed)).toEqual(['a', ['box', ['b', 'c']]]);
  });

  test('replaces and removes one value, and keeps the others', () => {
    const field = { part: 'style', name: 'borderColor' } as const;
    const changed = withValue(content, 'box', field, '#aa0000');
    expect(changed.box?.data).toEqual({
      style: { borderRadius: 8, borderColor: '#aa0000' },
      props: { childrenIds: ['b', 'c'] },
    });
    expect(withValue(changed, 'box', field, undefined)).toEqual(content);
  });

  test('is described in a few words', () => {
    const added = addBlock(content, top, newBlock('Text')).content;
    expect(describeEdit(content, added)).toBe('1 block added');
    expect(describeEdit(content, removeBlock(content, 'box'))).toBe('3 blocks removed');
    expect(describeEdit(content, moveBlock(content, 'b', 1))).toBe('order changed');
    const edited = withValue(content, 'a', { part: 'props', name: 'text' }, 'Other');
    expect(describeEdit(content, edited)).toBe('1 block edited');
    expect(describeEdit(content, withLook(content, { canvasColor: '#000000' }))).toBe('look changed');
    expect(describeEdit(content, moveBlock(added, 'a', 1))).toBe('1 block added, order changed');
  });

  test('keeps every block in one place, whatever the order of edits', () => {
    const edits = fc.array(
      fc.record({
        kind: fc.constantFrom('add', 'move', 'remove'),
        at: fc.nat(),
        by: fc.constantFrom(-1, 1),
        type: fc.constantFrom(...blockTypeNames),
      }),
      { maxLength: 30 },
    );
    fc.assert(
      fc.property(edits, (steps) => {
        let edited = content;
        for (const { kind, at, by, type } of steps) {
          const ids = Object.keys(edited).filter((id) => id !== 'root' && id !== 'orphan');
          const id = ids[at % Math.max(ids.length, 1)] ?? '';
          const before = Object.keys(edited);
          if (kind === 'add') edited = addBlock(edited, top, newBlock(type)).content;
          else if (kind === 'move') edited = moveBlock(edited, id, by as -1 | 1);
          else edited = removeBlock(edited, id);
          if (kind === 'move') expect(Object.keys(edited)).toEqual(before);
          expect(readTree(edited)).not.toBeNull();
          expect(edited.orphan).toBe(content.orphan);
        }
      }),
    );
  });
});

test('a source is read back as it was written, and no other JSON is', () => {
  expect(parseSource(sourceOf(content))).toEqual(content);
  for (const wrong of ['{', 'null', '[]', '1', '{"a":1}', '{"a":{"type":"Text"}}'])
    expect(parseSource(wrong)).toBeNull();
});

describe('the look', () => {
  const button = {
    type: 'Button',
    data: { props: { text: 'Open', url: '{{ link }}', buttonBackgroundColor: '#111111' } },
  };
  const plain: EmailContent = { root: layout('a', 'b', 'c'), a: text('A'), b: button, c: button };

  test('changes the layout, all buttons and the image at the top', () => {
    const look = { logoUrl: 'https://shop.example/logo.png', canvasColor: '#222222', buttonColor: '#333333' };
    const changed = withLook(plain, look);
    expect(readLook(changed)).toMatchObject(look);
    for (const id of ['b', 'c']) expect(changed[id]?.data.props).toMatchObject({ buttonBackgroundColor: '#333333' });
    expect(changed.a).toBe(plain.a);
    expect(withLook(changed, { logoUrl: undefined, canvasColor: '#ffffff', buttonColor: '#111111' })).toEqual(plain);
  });

  test('with a wrong color can’t be saved', () => {
    expect(contentFault(plain)).toBeNull();
    expect(contentFault(withLook(plain, { textColor: 'red' }))).toBe('Text color: Enter a color like #1a2b3c');
    const field = { part: 'style', name: 'color' } as const;
    expect(contentFault(withValue(plain, 'a', field, '#12'))).toBe('Text, Text color: Enter a color like #1a2b3c');
  });
});
