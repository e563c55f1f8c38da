import type { ReactNode, Ref } from 'react';
import classes from './scrolled-text.module.css';

type Props = { label: string; children: ReactNode; ref?: Ref<HTMLPreElement> };

/** Text of limited height. It can be focused, because some browsers scroll only what is focused by keyboard. */
export function ScrolledText({ label, children, ref }: Props) {
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: the arrow keys scroll it
    // biome-ignore lint/a11y/useSemanticElements: a fieldset is not preformatted
    <pre role="group" aria-label={label} className={classes.text} tabIndex={0} ref={ref}>
      {children}
    </pre>
  );
}
