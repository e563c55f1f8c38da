import type { ReactNode } from 'react';
import classes from './status-dot.module.css';

export type Tone = 'good' | 'busy' | 'bad' | 'off';

/** A status with a colored dot; the text alone carries the meaning. */
export function StatusDot({ tone, children }: { tone: Tone; children: ReactNode }) {
  return (
    <span className={classes.status} data-tone={tone}>
      <span className={classes.dot} aria-hidden="true" />
      {children}
    </span>
  );
}
