import { Modal, Stack, Switch } from '@mantine/core';
import { useState } from 'react';
import { areShortcutsOn, goTargets, switchShortcuts } from '../../lib/shortcuts.ts';
import classes from './palette.module.css';

type Props = { isOpen: boolean; onClose: () => void };

/** All shortcuts, and the switch for those of a single character. */
export default function ShortcutHelp({ isOpen, onClose }: Props) {
  return (
    <Modal opened={isOpen} onClose={onClose} title="Keyboard shortcuts">
      <Keys />
    </Modal>
  );
}

const shortcuts: readonly { keys: readonly string[]; text: string }[] = [
  { keys: ['Ctrl', 'K'], text: 'Search and actions (⌘ K on a Mac)' },
  { keys: ['/'], text: 'Search on this page' },
  { keys: ['?'], text: 'This list' },
  { keys: ['j'], text: 'Next user in the list' },
  { keys: ['k'], text: 'Previous user in the list' },
  { keys: ['x'], text: 'Select the user' },
  { keys: ['Enter'], text: 'Open the user' },
  ...goTargets.map(({ key, label }) => ({ keys: ['g', key], text: `Go to ${label}` })),
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
        label="Shortcuts of single characters"
        checked={isOn}
        onChange={(event) => {
          switchShortcuts(event.currentTarget.checked);
          setOn(event.currentTarget.checked);
        }}
      />
    </Stack>
  );
}
