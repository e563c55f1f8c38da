import type { ReactNode } from 'react';
import classes from './status-dot.module.css';

export type Tone = 'good' | 'busy' | 'bad' | 'off';

/** A state in words, with a dot whose colour only repeats them. */
export function StatusDot({ tone, children }: { tone: Tone; children: ReactNode }) {
  return (
    <span className={classes.status} data-tone={tone}>
      <span className={classes.dot} aria-hidden="true" />
      {children}
    </span>
  );
}
