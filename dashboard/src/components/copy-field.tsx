import { ActionIcon, Text, Tooltip } from '@mantine/core';
import { IconCheck, IconCopy } from '@tabler/icons-react';
import { useRef, useState } from 'react';
import classes from './copy-field.module.css';

const SHOWN_MS = 2_000;

/** A text to be taken along. Where the browser gives no clipboard (plain http), the text is marked instead. */
export function CopyField({ value, label, isHeading = true }: { value: string; label: string; isHeading?: boolean }) {
  const [said, setSaid] = useState<string | null>(null);
  const text = useRef<HTMLElement>(null);
  const copy = async (): Promise<void> => {
    setSaid((await toClipboard(value)) ? 'Copied' : 'Marked: press Ctrl+C');
    if (text.current && !navigator.clipboard) getSelection()?.selectAllChildren(text.current);
    setTimeout(() => setSaid(null), SHOWN_MS);
  };
  return (
    <div>
      {isHeading && (
        <Text size="sm" fw={500} mb={4}>
          {label}
        </Text>
      )}
      <div className={classes.field}>
        <code ref={text} className={classes.text}>
          {value}
        </code>
        <Tooltip label={said ?? 'Copy'} opened={said === null ? undefined : true}>
          <ActionIcon variant="subtle" color="gray" aria-label={`Copy ${label}`} onClick={() => void copy()}>
            {said === 'Copied' ? <IconCheck size={16} aria-hidden /> : <IconCopy size={16} aria-hidden />}
          </ActionIcon>
        </Tooltip>
        <span role="status" className={classes.said}>
          {said}
        </span>
      </div>
    </div>
  );
}

async function toClipboard(text: string): Promise<boolean> {
  try {
    await navigator.clipboard.writeText(text);
    return true;
  } catch {
    return false;
  }
}
