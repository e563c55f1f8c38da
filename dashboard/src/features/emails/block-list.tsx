import type { EmailContent } from '@gatebook/js/admin';
import { t } from '@lingui/core/macro';
import { Trans } from '@lingui/react/macro';
import { ActionIcon, Button, Text, VisuallyHidden } from '@mantine/core';
import { IconArrowDown, IconArrowUp, IconChevronRight, IconPlus, IconTrash } from '@tabler/icons-react';
import { type KeyboardEvent, useId, useLayoutEffect, useRef, useState } from 'react';
import { LateMenu } from '../../components/late-menu.tsx';
import { late, useLate } from '../../lib/late.ts';
import {
  type BlockTypeName,
  blockTypeNames,
  blockTypes,
  excerptOf,
  findBlockType,
  nameOf,
  newBlock,
} from './block-types.ts';
import { addBlock, type BlockItem, type BlockList, moveBlock, removeBlock, withValue } from './content-tree.ts';
import classes from './emails.module.css';

const blockForm = late(async () => (await import('./block-form.tsx')).BlockForm);

type Props = { content: EmailContent; tree: BlockList; change: (content: EmailContent) => void };

/** The blocks of an email: opened, added, moved and removed. */
export function Blocks({ content, tree, change }: Props) {
  const prefix = useId();
  const [openId, setOpenId] = useState<string | null>(null);
  const [news, setNews] = useState('');
  /** Controls that get the focus after a change, the first that exists and is enabled. */
  const nextFocus = useRef<readonly string[]>([]);
  useLayoutEffect(() => {
    const controls = nextFocus.current.map((control) => document.getElementById(`${prefix}-${control}`));
    nextFocus.current = [];
    controls.find((control) => control && !control.matches(':disabled'))?.focus();
  });
  const actions: ItemActions = {
    prefix,
    content,
    openId,
    toggle: (id) => setOpenId(openId === id ? null : id),
    edit: change,
    add: (list, type) => {
      const added = addBlock(content, list, newBlock(type));
      change(added.content);
      setOpenId(added.id);
      setNews(t`${blockTypes[type].label} added.`);
      nextFocus.current = [`${added.id}-toggle`];
    },
    move: (list, { id, block }, by, control) => {
      const nth = list.items.findIndex((item) => item.id === id) + 1 + by;
      if (nth < 1 || nth > list.items.length) return;
      change(moveBlock(content, id, by));
      setNews(t`${nameOf(block)} moved to ${nth} of ${list.items.length}.`);
      nextFocus.current = [`${id}-${control}`, `${id}-toggle`];
    },
    remove: (list, { id, block }) => {
      const nth = list.items.findIndex((item) => item.id === id);
      const neighbor = list.items[nth + 1] ?? list.items[nth - 1];
      change(removeBlock(content, id));
      setNews(t`${nameOf(block)} removed.`);
      nextFocus.current = [`${neighbor?.id}-toggle`, `${list.parentId}-${list.column}-add`];
    },
  };
  return (
    <>
      <List list={tree} label={t`Blocks`} actions={actions} />
      <VisuallyHidden role="status">{news}</VisuallyHidden>
    </>
  );
}

type ItemActions = {
  prefix: string;
  content: EmailContent;
  openId: string | null;
  toggle(id: string): void;
  edit(content: EmailContent): void;
  add(list: BlockList, type: BlockTypeName): void;
  /** `control`: the control that keeps the focus. */
  move(list: BlockList, item: BlockItem, by: -1 | 1, control: 'up' | 'down' | 'toggle'): void;
  remove(list: BlockList, item: BlockItem): void;
};
type ListProps = { list: BlockList; label: string; actions: ItemActions };

function List({ list, label, actions }: ListProps) {
  return (
    <div className={classes.blocks}>
      {list.items.length > 0 && (
        <ol className={classes.blockList} aria-label={label}>
          {list.items.map((item) => (
            <Item key={item.id} list={list} item={item} actions={actions} />
          ))}
        </ol>
      )}
      <AddMenu
        id={`${actions.prefix}-${list.parentId}-${list.column}-add`}
        label={label}
        add={(type) => actions.add(list, type)}
      />
    </div>
  );
}

type ItemProps = { list: BlockList; item: BlockItem; actions: ItemActions };

function Item({ list, item, actions }: ItemProps) {
  const { id, block, lists } = item;
  const { prefix, openId, content, toggle, edit, move, remove } = actions;
  const [name, label, excerpt] = [nameOf(block), findBlockType(block)?.label ?? block.type, excerptOf(block)];
  const isOpen = openId === id;
  const BlockForm = useLate(blockForm, isOpen, () => toggle(id));
  const idOf = (control: string) => `${prefix}-${id}-${control}`;
  const moveByKey = (event: KeyboardEvent): void => {
    const by = event.key === 'ArrowUp' ? -1 : event.key === 'ArrowDown' ? 1 : null;
    if (by === null || !event.altKey) return;
    event.preventDefault();
    move(list, item, by, 'toggle');
  };
  const mover = (control: 'up' | 'down', by: -1 | 1, end: BlockItem | undefined) => (
    <ActionIcon
      id={idOf(control)}
      variant="subtle"
      color="gray"
      aria-label={t`Move ${control}: ${name}`}
      disabled={end?.id === id}
      className={classes.mover}
      onClick={() => move(list, item, by, control)}
    >
      {control === 'up' ? <IconArrowUp size={16} aria-hidden /> : <IconArrowDown size={16} aria-hidden />}
    </ActionIcon>
  );
  return (
    <li className={classes.block}>
      <div className={classes.blockHead}>
        <button
          id={idOf('toggle')}
          type="button"
          className={classes.blockToggle}
          aria-expanded={isOpen}
          aria-keyshortcuts="Alt+ArrowUp Alt+ArrowDown"
          onClick={() => toggle(id)}
          onKeyDown={moveByKey}
        >
          <IconChevronRight size={14} aria-hidden className={classes.chevron} data-open={isOpen || undefined} />
          <span className={classes.blockType}>{excerpt === '' ? label : `${label}: `}</span>
          <span className={classes.excerpt}>{excerpt}</span>
        </button>
        {mover('up', -1, list.items[0])}
        {mover('down', 1, list.items.at(-1))}
        <ActionIcon variant="subtle" color="gray" aria-label={t`Remove: ${name}`} onClick={() => remove(list, item)}>
          <IconTrash size={16} aria-hidden />
        </ActionIcon>
      </div>
      {isOpen && BlockForm && (
        <BlockForm
          id={idOf('form')}
          block={block}
          change={(field, value) => edit(withValue(content, id, field, value))}
        />
      )}
      {lists.map((inner) => (
        <div key={inner.column} className={classes.inner}>
          {lists.length > 1 && (
            <Text size="xs" c="dimmed" aria-hidden>
              <Trans>Column {inner.column + 1}</Trans>
            </Text>
          )}
          <List
            list={inner}
            label={lists.length > 1 ? t`Column ${inner.column + 1}` : t`In ${label}`}
            actions={actions}
          />
        </div>
      ))}
    </li>
  );
}

type AddProps = { id: string; label: string; add: (type: BlockTypeName) => void };

function AddMenu({ id, label, add }: AddProps) {
  const isTop = label === 'Blocks';
  return (
    // The focus goes to the new block.
    <LateMenu
      position="bottom-start"
      withinPortal={false}
      withInitialFocusPlaceholder={false}
      returnFocus={false}
      button={
        <Button
          id={id}
          size="compact-sm"
          variant={isTop ? 'default' : 'subtle'}
          leftSection={<IconPlus size={14} aria-hidden />}
          aria-label={isTop ? undefined : t`Add block: ${label}`}
        >
          <Trans>Add block</Trans>
        </Button>
      }
    >
      {(Menu) => (
        <>
          {blockTypeNames.map((type) => (
            <Menu.Item key={type} onClick={() => add(type)}>
              {blockTypes[type].label}
            </Menu.Item>
          ))}
        </>
      )}
    </LateMenu>
  );
}
