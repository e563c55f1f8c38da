import { t } from '@lingui/core/macro';
import { ActionIcon, type ActionIconProps, Tooltip, VisuallyHidden } from '@mantine/core';
import { IconCheck, IconCopy } from '@tabler/icons-react';
import type { useCopy } from '../lib/use-copy.ts';

type CopyButtonProps = ActionIconProps & Pick<ReturnType<typeof useCopy>, 'outcome' | 'copy'> & { label: string };

const feedbacks = { copied: t`Copied`, selected: t`Selected. Press Ctrl+C to copy.` };

/** The button of `useCopy`, which also says what happened. */
export function CopyButton({ outcome, copy, label, ...button }: CopyButtonProps) {
  const feedback = outcome && feedbacks[outcome];
  const Icon = outcome === 'copied' ? IconCheck : IconCopy;
  return (
    <>
      <Tooltip label={feedback ?? t`Copy`} opened={feedback === null ? undefined : true}>
        <ActionIcon {...button} aria-label={t`Copy ${label}`} onClick={() => void copy()}>
          <Icon size={button.size === 'sm' ? 14 : 16} aria-hidden />
        </ActionIcon>
      </Tooltip>
      <VisuallyHidden role="status">{feedback}</VisuallyHidden>
    </>
  );
}
