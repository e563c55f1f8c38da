import { t } from '@lingui/core/macro';
import { ActionIcon, Text, Tooltip } from '@mantine/core';
import { IconCheck, IconCopy } from '@tabler/icons-react';
import { useCopy } from '../lib/use-copy.ts';
import classes from './copy-field.module.css';

/** A value with a copy button. */
export function CopyField({ value, label, isHeading = true }: { value: string; label: string; isHeading?: boolean }) {
  const { ref, feedback, copy } = useCopy(value);
  return (
    <div>
      {isHeading && (
        <Text size="sm" fw={500} mb={4}>
          {label}
        </Text>
      )}
      <div className={classes.field}>
        <code ref={ref} className={classes.text}>
          {value}
        </code>
        <Tooltip label={feedback ?? t`Copy`} opened={feedback === null ? undefined : true}>
          <ActionIcon variant="subtle" color="gray" aria-label={t`Copy ${label}`} onClick={() => void copy()}>
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
