import { t } from '@lingui/core/macro';
import { Modal, Stack, Switch } from '@mantine/core';
import { useState } from 'react';
import { areShortcutsOn, goTargets, switchShortcuts } from '../../lib/shortcuts.ts';
import classes from './palette.module.css';

type Props = { isOpen: boolean; onClose: () => void };

/** All shortcuts, and the switch for those of a single character. */
export default function ShortcutHelp({ isOpen, onClose }: Props) {
  return (
    <Modal opened={isOpen} onClose={onClose} title={t`Keyboard shortcuts`}>
      <Keys />
    </Modal>
  );
}

const shortcuts: readonly { keys: readonly string[]; text: string }[] = [
  { keys: ['Ctrl', 'K'], text: t`Search and actions (⌘ K on a Mac)` },
  { keys: ['/'], text: t`Search on this page` },
  { keys: ['?'], text: t`This list` },
  { keys: ['j'], text: t`Next user in the list` },
  { keys: ['k'], text: t`Previous user in the list` },
  { keys: ['x'], text: t`Select the user` },
  { keys: ['Enter'], text: t`Open the user` },
  ...goTargets.map(({ key, label }) => ({ keys: ['g', key], text: t`Go to ${label}` })),
];

function Keys() {
  const [isOn, setOn] = useState(areShortcutsOn);
  return (
    <Stack gap="lg">
      <dl className={classes.keys}>
        {shortcuts.map(({ keys, text }) => (
          <div key={text} style={{ display: 'contents' }}>
            <dt>
              {keys.map((key) => (
                <kbd key={key}>{key}</kbd>
              ))}
            </dt>
            <dd>{text}</dd>
          </div>
        ))}
      </dl>
      <Switch
        label={t`Single-key shortcuts`}
        checked={isOn}
        onChange={(event) => {
          switchShortcuts(event.currentTarget.checked);
          setOn(event.currentTarget.checked);
        }}
      />
    </Stack>
  );
}
