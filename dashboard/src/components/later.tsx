import { t } from '@lingui/core/macro';
import { type ReactNode, startTransition, useEffect, useState } from 'react';
import { useIsPrinting } from '../lib/printing.ts';
import { BlockLoading } from './states.tsx';

type Props = {
  children: ReactNode;
  /** About that of the content, in pixels. */
  height: number;
  /** Renders at once. */
  isSeenFirst?: boolean;
};

/**
 * What is only seen by scrolling. It must not delay what is seen first, so it renders after that was painted, or at
 * once for paper.
 */
export function Later({ children, height, isSeenFirst = false }: Props) {
  const isDue = useIsDue();
  return isSeenFirst || isDue ? children : <BlockLoading height={height} label={t`Loading`} />;
}

/** Whether what is seen first was painted, or the page is printed. */
function useIsDue(): boolean {
  const [isPainted, setPainted] = useState(false);
  const isPrinting = useIsPrinting();
  useEffect(() => startTransition(() => setPainted(true)), []);
  return isPainted || isPrinting;
}
