import { ActionIcon, Text, Tooltip } from '@mantine/core';
import { IconCheck, IconCopy } from '@tabler/icons-react';
import { useRef, useState } from 'react';
import classes from './copy-field.module.css';

const FEEDBACK_MS = 2_000;

/** A value with a copy button. Without clipboard access (plain HTTP), the text is selected instead. */
export function CopyField({ value, label, isHeading = true }: { value: string; label: string; isHeading?: boolean }) {
  const [feedback, setFeedback] = useState<string | null>(null);
  const text = useRef<HTMLElement>(null);
  const copy = async (): Promise<void> => {
    setFeedback((await writeClipboard(value)) ? 'Copied' : 'Selected. Press Ctrl+C to copy.');
    if (text.current && !navigator.clipboard) getSelection()?.selectAllChildren(text.current);
    setTimeout(() => setFeedback(null), FEEDBACK_MS);
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
        <Tooltip label={feedback ?? 'Copy'} opened={feedback === null ? undefined : true}>
          <ActionIcon variant="subtle" color="gray" aria-label={`Copy ${label}`} onClick={() => void copy()}>
            {feedback === 'Copied' ? <IconCheck size={16} aria-hidden /> : <IconCopy size={16} aria-hidden />}
          </ActionIcon>
        </Tooltip>
        <span role="status" className={classes.feedback}>
          {feedback}
        </span>
      </div>
    </div>
  );
}

async function writeClipboard(text: string): Promise<boolean> {
  try {
    await navigator.clipboard.writeText(text);
    return true;
  } catch {
    return false;
  }
}
