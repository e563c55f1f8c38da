import { t } from '@lingui/core/macro';
import { ActionIcon, type ActionIconProps, VisuallyHidden } from '@mantine/core';
import { IconCheck, IconCopy } from '@tabler/icons-react';
import { useRef, useState } from 'react';
import { late, useLate } from '../lib/late.ts';
import type { useCopy } from '../lib/use-copy.ts';

type CopyButtonProps = ActionIconProps & Pick<ReturnType<typeof useCopy>, 'outcome' | 'copy'> & { label: string };

const feedbacks = { copied: t`Copied`, selected: t`Selected. Press Ctrl+C to copy.` };
const tooltip = late(async () => (await import('./copy-tooltip.tsx')).CopyTooltip);

/** The button of `useCopy`, which also says what happened. */
export function CopyButton({ outcome, copy, label, ...button }: CopyButtonProps) {
  const feedback = outcome && feedbacks[outcome];
  const Icon = outcome === 'copied' ? IconCheck : IconCopy;
  const target = useRef<HTMLButtonElement>(null);
  const [isPointedAt, setPointedAt] = useState(false);
  const isNeeded = isPointedAt || feedback !== null;
  const CopyTooltip = useLate(tooltip, isNeeded, () => {});
  return (
    <>
      <ActionIcon
        {...button}
        ref={target}
        aria-label={t`Copy ${label}`}
        onClick={() => void copy()}
        onMouseEnter={() => setPointedAt(true)}
        onMouseLeave={() => setPointedAt(false)}
      >
        <Icon size={button.size === 'sm' ? 14 : 16} aria-hidden />
      </ActionIcon>
      {CopyTooltip && <CopyTooltip target={target} label={feedback ?? t`Copy`} opened={isNeeded} />}
      <VisuallyHidden role="status">{feedback}</VisuallyHidden>
    </>
  );
}
