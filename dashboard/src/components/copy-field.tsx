import { Text } from '@mantine/core';
import { useCopy } from '../lib/use-copy.ts';
import { CopyButton } from './copy-button.tsx';
import classes from './copy-field.module.css';

/** A value with a copy button. */
export function CopyField({ value, label, isHeading = true }: { value: string; label: string; isHeading?: boolean }) {
  const { ref, ...copying } = useCopy(value);
  return (
    <div>
      {isHeading && (
        <Text size="sm" fw={600} mb={4}>
          {label}
        </Text>
      )}
      <div className={classes.field}>
        <code ref={ref} className={classes.text}>
          {value}
        </code>
        <CopyButton {...copying} label={label} variant="subtle" color="gray" />
      </div>
    </div>
  );
}
