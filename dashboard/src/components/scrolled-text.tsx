import type { ReactNode, Ref } from 'react';

type Props = { label: string; children: ReactNode; className?: string | undefined; ref?: Ref<HTMLPreElement> };

/** Text of limited height. It can be focused, because some browsers scroll only what is focused by keyboard. */
export function ScrolledText({ label, children, className, ref }: Props) {
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: the arrow keys scroll it
    // biome-ignore lint/a11y/useSemanticElements: a fieldset is not preformatted
    <pre role="group" aria-label={label} className={className} tabIndex={0} ref={ref}>
      {children}
    </pre>
  );
}
