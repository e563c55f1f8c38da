import { t } from '@lingui/core/macro';
import { type ReactNode, startTransition, useEffect, useState } from 'react';
import { BlockLoading } from './states.tsx';

type Props = {
  children: ReactNode;
  /** About that of the content, in pixels. */
  height: number;
  /** Renders at once. */
  isSeenFirst?: boolean;
};

/** What is only seen by scrolling. It must not delay what is seen first, so it renders after that was painted. */
export function Later({ children, height, isSeenFirst = false }: Props) {
  const [isDue, setDue] = useState(isSeenFirst);
  useEffect(() => startTransition(() => setDue(true)), []);
  return isDue ? children : <BlockLoading height={height} label={t`Loading`} />;
}
