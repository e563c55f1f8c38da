import { t } from '@lingui/core/macro';
import { type ReactNode, startTransition, useEffect, useState } from 'react';
import { BlockLoading } from './states.tsx';

type Props = {
  children: ReactNode;
  /** About that of the content, in pixels. */
  height: number;
};

/** What is only seen by scrolling. It must not delay what is seen first, so it renders after that was painted. */
export function Later({ children, height }: Props) {
  const [isDue, setDue] = useState(false);
  useEffect(() => startTransition(() => setDue(true)), []);
  return isDue ? children : <BlockLoading height={height} label={t`Loading`} />;
}
